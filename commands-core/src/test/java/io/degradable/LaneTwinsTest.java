package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.cache.CacheSpec;
import io.degradable.model.BadRequestException;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.EventType;
import io.degradable.model.Headers;
import io.degradable.model.Source;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.model.Trigger;
import io.degradable.state.CallKind;
import io.degradable.state.CommandView;
import io.degradable.state.StageView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import io.degradable.time.Deadline;
import io.degradable.time.Lane;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A run by a lane and a run without one are twins: the same answers, the same failures, the same figures. */
@Timeout(120)
final class LaneTwinsTest {

    private static final int LIVES = 150;
    private static final int CALLS = 60;
    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");
    private static final StaticTemplate<String> TEMPLATE = StaticTemplate.of("unknown", "to be confirmed");

    /** Chains that a run by a lane may meet. */
    @SuppressWarnings("ImmutableEnumChecker") // lambdas that hold nothing
    private enum Chain {
        NONE(chain -> chain),
        CONSTANT(chain -> chain.fallback(links -> links.template(TEMPLATE))),
        FILLED(chain -> chain.fallback(links -> links.template(TEMPLATE, LaneTwinsTest::fill))),
        COPY(chain -> chain.fallback(links -> links.cached(COPIES, call -> call.id, Duration.ofSeconds(3)))),
        COPY_THEN_CONSTANT(chain -> chain.fallback(links ->
                links.cached(COPIES, call -> call.id, Duration.ofSeconds(3)).template(TEMPLATE))),
        SPARE_THEN_ALL(chain -> chain.fallback(links -> links.spareCall("second", (call, context) -> spare(call))
                .cached(COPIES, call -> call.id, Duration.ofSeconds(3))
                .template(TEMPLATE, LaneTwinsTest::fill))),
        FOR_SOME_FAILURES(chain -> chain.fallback(links ->
                links.template(TEMPLATE, stage -> stage.onFailure(failure -> failure instanceof IOException)))),
        NULL_IS_FAILURE(chain -> chain.nullIsFailure().fallback(links -> links.template(TEMPLATE)));

        private final UnaryOperator<CommandSpec.Builder<Call, String>> declaration;

        Chain(UnaryOperator<CommandSpec.Builder<Call, String>> declaration) {
            this.declaration = declaration;
        }
    }

    private static String fill(String template, Call call) {
        if (call.id.equals("3")) {
            throw new IllegalStateException("no name for 3");
        }
        return call.id + ": " + template + (Deadline.current() == Deadline.NONE ? " without a limit" : "");
    }

    private static String spare(Call call) throws IOException {
        if (call.id.equals("2")) {
            throw new IOException("second is down, too");
        }
        return "spare " + call.id;
    }

    /** One life of a command: the same calls at the same moments, with or without the lane. */
    private static final class Life {

        private final ManualTicker ticker = new ManualTicker();
        private final Commands commands = Commands.builder().ticker(ticker).build();
        private final Random random;
        private final CommandSpec<Call, String> spec;
        private final List<String> book = new ArrayList<>();

        Life(Chain chain, long seed) {
            this.random = new Random(seed);
            this.spec = chain.declaration
                    .apply(Call.declared()
                            .semaphore(1)
                            .timeout(Duration.ofMillis(100))
                            .ignore(failure -> failure instanceof IllegalArgumentException)
                            .fatal(failure -> failure instanceof ArithmeticException)
                            .overloaded(failure -> failure instanceof UnsupportedOperationException)
                            .circuitBreaker(breaker -> breaker.requestVolumeThreshold(8)
                                    .sleepWindow(Duration.ofSeconds(2))
                                    .maxSleepWindow(Duration.ofSeconds(2)) // grown ones have jitter
                                    .consecutiveFailures(5)))
                    .build();
        }

        List<String> live() {
            try (commands) {
                for (int call = 0; call < CALLS; call++) {
                    ticker.advance(Duration.ofMillis(random.nextInt(400)));
                    book.add(one());
                }
                CommandView view = commands.commands().stream()
                        .filter(command -> command.key().name().equals("Call"))
                        .findFirst()
                        .orElseThrow();
                book.addAll(figures(view));
                return book;
            }
        }

        private String one() {
            String id = Integer.toString(random.nextInt(4));
            Callable<String> body = body(id, random.nextInt(14), random.nextInt(250));
            boolean interrupted = random.nextInt(20) == 0;
            boolean asResult = random.nextBoolean();
            Call call = new Call(commands, spec, id, body);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            String told;
            try {
                told = asResult ? text(call.executeForResult()) : String.valueOf(call.execute());
            } catch (CommandException failed) {
                told = failed.getClass().getSimpleName() + " " + failed.outcome() + " " + texts(failed.trail())
                        + " for " + failed.getCause();
            } catch (Throwable failed) {
                told = failed + " for " + failed.getCause();
            }
            String withoutId = told.replaceAll("call [0-9a-f]{16}", "call");
            return withoutId + (Thread.interrupted() ? ", interrupted" : "");
        }

        private Callable<String> body(String id, int kind, int millis) {
            return () -> {
                // A run inside sees how long this one is in flight already: to the moment by a lane, else by stretches.
                ticker.advance(Duration.ofMillis(kind == 10 ? 0 : millis / 2));
                boolean bounded = Deadline.current().remaining().toMillis() <= 100;
                switch (kind) {
                    case 0 -> throw new IOException("down " + bounded);
                    case 1 -> throw new IllegalStateException("broken");
                    case 2 -> throw new IllegalArgumentException("wrong");
                    case 3 -> throw new ArithmeticException("fatal");
                    case 4 -> throw new UnsupportedOperationException("sheds load");
                    case 5 -> throw new BadRequestException("no such thing");
                    case 6 -> throw new InterruptedException("of its own");
                    case 7 -> throw new StackOverflowError();
                    case 8 -> {
                        return null;
                    }
                    case 9 -> {
                        Thread.currentThread().interrupt();
                        throw new IOException("while interrupted");
                    }
                    case 10 -> {
                        // The only slot is held by who calls.
                        return "inside: " + new Call(commands, spec, id, () -> "not reached").execute();
                    }
                    case 11 -> {
                        Thread.currentThread().interrupt();
                        throw new UnsupportedOperationException("sheds load while interrupted");
                    }
                    default -> {
                        return "live " + id + " " + bounded;
                    }
                }
            };
        }

        private static String text(CommandResult<String> result) {
            Map<String, String> headers = new LinkedHashMap<>(result.headers());
            headers.remove(Headers.CALL_ID);
            return result.value() + " " + headers + " " + result.age() + " " + result.elapsed() + " "
                    + result.fallbackElapsed() + " " + result.overrun() + " " + texts(result.trail()) + " for "
                    + result.cause();
        }

        private static List<String> texts(List<StageReport> trail) {
            return trail.stream()
                    .map(report -> report + " " + report.kind() + " " + report.elapsed() + " " + report.cause())
                    .toList();
        }
    }

    private static List<String> figures(CommandView view) {
        List<String> figures = new ArrayList<>();
        figures.add("received " + view.received() + ", in flight " + view.inFlight());
        for (CallKind kind : view.possibleCalls()) {
            figures.add(kind + " " + view.calls(kind));
        }
        for (EventType event : EventType.values()) {
            figures.add(
                    event + " " + view.events(event) + " " + view.recentEvents().get(event));
        }
        figures.add("took " + view.elapsedNanos() + ", copies " + view.servedCopies() + " " + view.servedAgeNanos());
        for (StageView stage : view.stages()) {
            figures.add(stage.name() + " reached " + stage.reached() + " active " + stage.active() + " overruns "
                    + stage.overruns() + " mistakes " + stage.userMistakes() + " "
                    + stage.recentLatency().count() + " "
                    + stage.recentLatency().percentile(50) + " " + stage.circuit());
            for (StageReason reason : StageReason.values()) {
                figures.add(stage.name() + " " + reason + " " + stage.left(reason) + " " + stage.ended(reason) + " "
                        + stage.recent(reason));
            }
            for (StageOutcome outcome : StageOutcome.values()) {
                figures.add(stage.name() + " " + outcome + " " + stage.nanos(outcome));
            }
        }
        return figures;
    }

    @ParameterizedTest
    @EnumSource
    void the_same_life_by_a_lane_and_without_is_the_same(Chain chain) {
        for (int life = 0; life < LIVES; life++) {
            long seed = 7_919L * life + chain.ordinal();
            List<String> byLane = new Life(chain, seed).live();
            List<String> without = withoutLane(() -> new Life(chain, seed).live());

            for (int line = 0; line < without.size(); line++) {
                assertThat(byLane.get(line)).as("life %d, line %d", life, line).isEqualTo(without.get(line));
            }
        }
    }

    @Test
    void the_result_of_a_long_chain_knows_its_stage() {
        int caches = 150;
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore()
                .fallback(links -> {
                    Caches<Call, String> chain = links;
                    for (int number = 0; number < caches; number++) {
                        chain = chain.cached(
                                COPIES,
                                call -> call.id,
                                Duration.ofSeconds(3),
                                stage -> stage.on(Trigger.SHORT_CIRCUITED));
                    }
                    return chain.template(TEMPLATE);
                })
                .build();
        try (Commands commands = Commands.create()) {
            CommandResult<String> result = new Call(commands, spec, "1", () -> {
                        throw new IOException("down");
                    })
                    .executeForResult();

            assertThat(result.source()).isEqualTo(Source.STATIC);
            assertThat(result.trail()).hasSize(caches + 2);
        }
    }

    /** A lane that is held is as good as none. */
    private static <T> T withoutLane(Callable<T> work) {
        Lane held = Objects.requireNonNull(Lane.enter(), "no lane to hold: a life would be compared with itself");
        try {
            return work.call();
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            held.holder = null;
        }
    }
}
