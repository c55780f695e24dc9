package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.degradable.cache.CacheSpec;
import io.degradable.model.CallId;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.FallbackContext;
import io.degradable.model.Level;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.model.Trigger;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** H8, B145: every answer says where it came from, how old it is and why; B74, B78, B80: and so does every failure. */
@Timeout(30)
final class ProvenanceTest {

    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");
    private static final StaticTemplate<String> TEMPLATE = StaticTemplate.of("unknown", "to be confirmed");

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();
    private final List<FallbackContext> contexts = new ArrayList<>();

    private final CommandSpec<Call, String> full = Call.declared()
            .semaphore()
            .fallback(chain -> chain.spareCall("second", (call, context) -> {
                        contexts.add(context);
                        ticker.advance(Duration.ofMillis(7));
                        throw new IOException("second is down, too");
                    })
                    .cached(COPIES, call -> call.id, Duration.ofSeconds(60))
                    .template(TEMPLATE, (template, call) -> call.id + ": " + template))
            .build();

    @AfterEach
    void close() {
        commands.close();
    }

    private String fails() throws IOException {
        ticker.advance(Duration.ofMillis(12));
        throw new IOException("down");
    }

    @Test
    void the_primarys_answer_is_normal_and_has_no_age() {
        CommandResult<String> result = new Call(commands, full, "1", () -> "live").executeForResult();

        assertThat(result.value()).isEqualTo("live");
        assertThat(result.source()).isEqualTo(Source.PRIMARY);
        assertThat(result.degraded()).isFalse();
        assertThat(result.age()).contains(Duration.ZERO);
        assertThat(result.trigger()).isEqualTo(Trigger.NONE);
        assertThat(result.cause()).isEmpty();
        assertThat(result.level()).isEqualTo(Level.NORMAL);
        assertThat(result.headers())
                .containsEntry("X-Data-Source", "primary")
                .containsEntry("X-Data-Age", "0")
                .containsEntry("X-Call-Id", CallId.text(result.callId()))
                .doesNotContainKeys("X-Degraded-Trigger", "X-Fallback-Elapsed");
    }

    @DisplayName("B145: an answer from the cache says so, and how old it is, in result, headers and log line")
    @Test
    void a_copy_says_its_true_age_and_who_failed_before_it() {
        new Call(commands, full, "1", () -> "live").execute();
        ticker.advance(Duration.ofSeconds(41));

        CommandResult<String> result = new Call(commands, full, "1", this::fails).executeForResult();

        assertThat(result.value()).isEqualTo("live");
        assertThat(result.source()).isEqualTo(Source.CACHE);
        assertThat(result.age()).contains(Duration.ofSeconds(41).plusMillis(12 + 7));
        assertThat(result.trigger()).isEqualTo(Trigger.FAILURE);
        assertThat(result.cause()).get().isInstanceOf(IOException.class);
        assertThat(result.elapsed()).isEqualTo(Duration.ofMillis(12 + 7));
        assertThat(result.fallbackElapsed()).isEqualTo(Duration.ofMillis(7));
        assertThat(result.trail())
                .extracting(StageReport::stage, StageReport::reason, StageReport::elapsed)
                .containsExactly(
                        tuple("primary", StageReason.EXCEPTION, Duration.ofMillis(12)),
                        tuple("second", StageReason.EXCEPTION, Duration.ofMillis(7)),
                        tuple("cache", StageReason.ANSWER, Duration.ZERO));
        assertThat(result.headers())
                .containsEntry("X-Data-Source", "cache")
                .containsEntry("X-Data-Age", "41")
                .containsEntry("X-Degraded-Trigger", "failure")
                .containsEntry("X-Fallback-Elapsed", "7");
        assertThat(result.provenance())
                .isEqualTo("from cache, 41 s old, after failure, fallback 7 ms, cause java.io.IOException: down, call "
                        + CallId.text(result.callId()));
    }

    @Test
    void a_template_has_no_age_and_is_filled_from_the_arguments() {
        CommandResult<String> result = new Call(commands, full, "5", this::fails).executeForResult();

        assertThat(result.value()).isEqualTo("5: to be confirmed");
        assertThat(result.source()).isEqualTo(Source.STATIC);
        assertThat(result.age()).isEmpty();
        assertThat(result.headers()).containsEntry("X-Data-Source", "static").doesNotContainKey("X-Data-Age");
        assertThat(result.trail())
                .extracting(StageReport::reason)
                .containsExactly(StageReason.EXCEPTION, StageReason.EXCEPTION, StageReason.ABSENT, StageReason.ANSWER);
    }

    @Test
    void the_window_of_a_cached_stage_is_inclusive_to_the_nanosecond() { // S1
        new Call(commands, full, "1", () -> "live").execute();
        ticker.advance(Duration.ofSeconds(60).minusMillis(12 + 7));

        assertThat(new Call(commands, full, "1", this::fails).executeForResult().source())
                .isEqualTo(Source.CACHE);

        new Call(commands, full, "2", () -> "live").execute();
        ticker.advance(Duration.ofSeconds(60).minusMillis(12 + 7).plusNanos(1));

        assertThat(new Call(commands, full, "2", this::fails).executeForResult().source())
                .isEqualTo(Source.STATIC);
    }

    @Test
    void serving_a_copy_never_makes_it_younger() { // S5, B89
        new Call(commands, full, "1", () -> "live").execute();
        ticker.advance(Duration.ofSeconds(30));
        new Call(commands, full, "1", this::fails).execute();
        ticker.advance(Duration.ofSeconds(31));

        CommandResult<String> result = new Call(commands, full, "1", this::fails).executeForResult();

        assertThat(result.source()).isEqualTo(Source.STATIC);
        assertThat(commands.cache(COPIES).read("1", Duration.ofHours(1)).value())
                .isEqualTo("live");
    }

    @Test
    void nothing_left_is_one_exception_with_the_primarys_failure_as_cause_and_later_ones_suppressed() { // B78
        CommandSpec<Call, String> bare = Call.declared()
                .name("Bare")
                .semaphore()
                .fallback(chain -> chain.spareCall("second", (call, context) -> {
                            throw new IOException("second is down, too");
                        })
                        .cached(COPIES, call -> call.id, Duration.ofSeconds(60)))
                .build();

        CommandException thrown = catchThrowableOfType(
                CommandException.class, () -> new Call(commands, bare, "9", this::fails).execute());

        assertThat(thrown).hasCauseInstanceOf(IOException.class).hasRootCauseMessage("down");
        assertThat(thrown.getSuppressed())
                .singleElement()
                .satisfies(later -> assertThat(later).hasMessage("second is down, too"));
        assertThat(thrown.getCause().getSuppressed()).isEmpty();
        assertThat(thrown.trigger()).isEqualTo(Trigger.FAILURE);
        assertThat(thrown.key().name()).isEqualTo("Bare");
        assertThat(thrown.headers()).containsEntry("X-Data-Source", "none");
        assertThat(thrown)
                .hasMessageContaining("primary failed: exception after 12 ms")
                .hasMessageContaining("cache missed: absent");
    }

    @Test
    void a_stage_knows_trigger_cause_and_time_whatever_the_trigger() { // B80, B81
        new Call(commands, full, "1", this::fails).execute();

        assertThat(contexts).singleElement().satisfies(context -> {
            assertThat(context.trigger()).isEqualTo(Trigger.FAILURE);
            assertThat(context.cause()).hasMessage("down");
            assertThat(context.elapsed()).isEqualTo(Duration.ofMillis(12));
            assertThat(context.key().group()).isEqualTo("test");
            assertThat(context.level()).isEqualTo(Level.NORMAL);
        });
    }

    @Test
    void one_run_has_one_call_id_wherever_it_shows() {
        CommandResult<String> result = new Call(commands, full, "1", this::fails).executeForResult();

        assertThat(contexts)
                .singleElement()
                .satisfies(context -> assertThat(context.callId()).isEqualTo(result.callId()));
        assertThat(result.headers()).containsEntry("X-Call-Id", CallId.text(result.callId()));
    }

    @Test
    void a_rejected_calls_exception_carries_no_stack_trace() {
        CommandSpec<Call, String> one =
                Call.declared().name("One").semaphore(1).noCircuitBreaker().build();
        Call inner = new Call(commands, one, "inner", () -> "never");
        Call outer = new Call(commands, one, "outer", () -> {
            assertThatThrownBy(inner::execute)
                    .isInstanceOf(CommandException.class)
                    .hasMessageContaining("primary refused: semaphore full")
                    .satisfies(refused -> assertThat(refused.getStackTrace()).isEmpty())
                    .satisfies(refused -> assertThat(refused)
                            .cause()
                            .satisfies(
                                    cause -> assertThat(cause.getStackTrace()).isEmpty()));
            return "outer";
        });

        assertThat(outer.execute()).isEqualTo("outer");
    }
}
