package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.degradable.cache.CacheSpec;
import io.degradable.event.CommandEvent;
import io.degradable.event.CommandLog;
import io.degradable.model.BadRequestException;
import io.degradable.model.CallId;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The log says of every call that its primary did not answer who did, how old that is, why, and for how long. */
@Timeout(30)
final class CommandLogTest {

    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");

    private final ManualTicker ticker = new ManualTicker();
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger logger = new LoggerContext().getLogger("test");
    private final Commands commands = Commands.builder()
            .ticker(ticker)
            .inlineListener(new CommandLog(logger))
            .build();
    private final CommandSpec<Call, String> spec = Call.declared()
            .semaphore()
            .circuitBreaker(breaker -> breaker.requestVolumeThreshold(4).noRamp())
            .fallback(chain -> chain.spareCall("second", (call, context) -> {
                        ticker.advance(Duration.ofMillis(12));
                        throw new IllegalStateException("down, too");
                    })
                    .cached(COPIES, call -> call.id, Duration.ofMinutes(1)))
            .build();

    @BeforeEach
    void capture() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void close() {
        commands.close();
    }

    private Call call(String id, Exception failure) {
        return new Call(commands, spec, id, () -> {
            throw failure;
        });
    }

    private List<String> written() {
        return lines.list.stream()
                .map(line -> line.getLevel() + " " + line.getFormattedMessage())
                .toList();
    }

    @DisplayName("H8: a call that was answered by another source is one line with its provenance, a normal one is none")
    @Test
    void a_degraded_call_is_a_line_with_its_provenance() {
        new Call(commands, spec, "1", () -> "live").execute();
        assertThat(written()).isEmpty();
        ticker.advance(Duration.ofSeconds(41));

        CommandResult<String> copy = call("1", new IOException("down\r\nWARN forged\u2028line\u001b[2J"))
                .executeForResult();

        assertThat(written())
                .containsExactly("INFO call Call outcome=degraded source=cache trigger=failure age=41012ms"
                        + " fallback=12ms id=" + CallId.text(copy.callId())
                        + " cause=java.io.IOException: down  WARN forged line [2J");
    }

    @Test
    void a_call_without_an_answer_is_a_warning_unless_the_request_was_wrong() {
        CommandException failed = Assertions.catchThrowableOfType(
                CommandException.class, () -> call("2", new IOException()).execute());
        Throwable bad = Assertions.catchThrowable(
                () -> call("2", new BadRequestException("wrong")).execute());

        assertThat(bad).isInstanceOf(BadRequestException.class);
        assertThat(written().get(0))
                .isEqualTo("WARN call Call outcome=failed source=none trigger=failure age=none fallback=12ms id="
                        + CallId.text(failed.callId()) + " cause=java.io.IOException");
        assertThat(written().get(1))
                .matches("INFO call Call outcome=bad_request source=none trigger=none age=none fallback=0ms"
                        + " id=[0-9a-f]{16} cause=io\\.degradable\\.model\\.BadRequestException: wrong");
        assertThat(written()).hasSize(2);
    }

    @Test
    void a_budget_for_retries_that_is_used_up_is_a_warning() {
        new CommandLog(logger)
                .on(new CommandEvent.RetryBudgetExhausted(spec.settings().key(), 7));

        assertThat(written()).containsExactly("WARN retries Call budget=exhausted denied=7");
    }

    @DisplayName("H6: a new version of a template is a line, and one that was refused is a warning")
    @Test
    void a_template_that_was_swapped_is_a_line_and_one_that_was_refused_a_warning() {
        CommandLog log = new CommandLog(logger);

        log.on(new CommandEvent.TemplateSwapped(
                spec.settings().key(), "unknown", "built-in", "2026-11-30", "file unknown.json"));
        log.on(new CommandEvent.TemplateRefused(
                spec.settings().key(), "unknown", "2026-11-30", "field price is 0\nand more"));

        assertThat(written())
                .containsExactly(
                        "INFO template unknown from=built-in to=2026-11-30 loaded=file unknown.json",
                        "WARN template unknown stays=2026-11-30 refused=field price is 0 and more");
    }

    @Test
    void a_cause_that_has_too_much_to_say_or_cannot_say_it_is_one_line_all_the_same() {
        new Call(commands, spec, "1", () -> "live").execute();

        call("1", new IOException("x".repeat(10_000))).execute();
        call("1", new IOException() {
                    private static final long serialVersionUID = 1;

                    @Override
                    public String getMessage() {
                        throw new IllegalStateException("a mistake");
                    }
                })
                .execute();

        assertThat(written().get(0)).endsWith("xxx...").hasSizeBetween(500, 700);
        assertThat(written().get(1)).contains(" cause=io.degradable.CommandLogTest$");
        assertThat(commands.listenerMistakes()).isZero();
    }

    @Test
    void each_move_of_a_breaker_is_a_line_and_one_that_refuses_every_call_is_a_warning() {
        commands.register(spec);

        commands.circuit("Call").forceOpen("ann\nfrom the desk");
        commands.circuit("Call").release("ben");
        new Call(commands, spec, "1", () -> "live").execute();
        for (int probe = 0; probe < 3; probe++) {
            new Call(commands, spec, "1", () -> "live").execute();
        }

        assertThat(written())
                .containsExactly(
                        "WARN circuit Call/primary from=closed to=forced_open by=hand why=forced by ann from the desk",
                        "INFO circuit Call/primary from=forced_open to=half_open by=hand why=released by ben",
                        "INFO circuit Call/primary from=half_open to=closed by=measurement"
                                + " why=4 of 5 probes good >= 4");
    }

    @Test
    void the_default_logger_has_the_name_of_the_class() {
        Logger own = (Logger) org.slf4j.LoggerFactory.getLogger(CommandLog.class);
        own.addAppender(lines);
        own.setLevel(Level.INFO);
        try (Commands other =
                Commands.builder().ticker(ticker).listener(new CommandLog()).build()) {
            other.register(spec);
            other.circuit("Call").forceClosed("cay");
        } finally {
            own.detachAppender(lines);
        }

        assertThat(written())
                .containsExactly("INFO circuit Call/primary from=closed to=forced_closed by=hand why=forced by cay");
    }
}
