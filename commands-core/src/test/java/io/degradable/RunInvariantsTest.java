package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.degradable.cache.CacheSpec;
import io.degradable.model.BadRequestException;
import io.degradable.model.CallOutcome;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.EventType;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.Trigger;
import io.degradable.state.CallKind;
import io.degradable.state.CommandView;
import io.degradable.state.StageView;
import io.degradable.template.StaticTemplate;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Invariants 1, 2 and 6 over random runs: what the callers themselves saw, what the container counts, and what its
 * bulkheads hold at rest. The seed is in the message of a failure; {@code -Ddegradable.seed=N} runs it again.
 */
@Timeout(120)
final class RunInvariantsTest {

    private static final int CALLERS = 8;
    private static final int CALLS_EACH = 2_500;
    private static final CacheSpec<String, String> COPIES =
            CacheSpec.<String, String>named("copies").maximumSize(50);

    private static final CallKind BAD_REQUEST = new CallKind(CallOutcome.BAD_REQUEST, null, Trigger.NONE);

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void every_call_ends_once_and_the_books_agree_with_the_callers(boolean pooled) throws Exception {
        long seed = Long.getLong("degradable.seed", System.nanoTime());
        try (Commands commands = Commands.create();
                Callers callers = new Callers()) {
            CommandSpec<Call, String> spec = spec(pooled);
            List<FutureTask<Map<CallKind, Long>>> tasks = new ArrayList<>();
            for (int caller = 0; caller < CALLERS; caller++) {
                Random random = new Random(seed + caller);
                tasks.add(callers.start(() -> callMany(commands, spec, random)));
            }
            Map<CallKind, Long> seen = new HashMap<>();
            for (FutureTask<Map<CallKind, Long>> task : tasks) {
                task.get().forEach((kind, count) -> seen.merge(kind, count, Long::sum));
            }
            CommandView view = commands.commands().stream()
                    .filter(command -> command.key().name().equals("Call"))
                    .findFirst()
                    .orElseThrow();

            assertThat(booked(view)).as("seed %d", seed).isEqualTo(seen);
            assertThat(view.received()).isEqualTo((long) CALLERS * CALLS_EACH);
            assertThat(view.inFlight()).isZero();
            assertThat(events(view)).as("seed %d", seed).isEqualTo(eventsOf(view, seen));
            chainAddsUp(view, seed);
            await().untilAsserted(() -> assertThat(view.stages()).allSatisfy(stage -> {
                assertThat(stage.active()).isZero();
                assertThat(stage.queued()).isZero();
                assertThat(stage.orphans()).isZero();
            }));
        }
    }

    private static CommandSpec<Call, String> spec(boolean pooled) {
        CommandSpec.Builder<Call, String> builder = Call.declared()
                .timeout(Duration.ofMillis(2))
                .circuitBreaker(
                        breaker -> breaker.sleepWindow(Duration.ofMillis(5)).requestVolumeThreshold(50))
                .overloaded(failure -> failure instanceof UnsupportedOperationException);
        return (pooled ? builder.threadPool(pool -> pool.size(4).queue(2)) : builder.semaphore(5))
                .fallback(chain -> chain.within(Duration.ofMillis(20))
                        .spareCall("second", (call, context) -> spare(call.id))
                        .cached(COPIES, call -> call.id, Duration.ofMillis(200))
                        .template(StaticTemplate.of("last", "template"), (template, call) -> {
                            if (call.id.endsWith("3")) {
                                throw new IllegalStateException("fill");
                            }
                            return template;
                        }))
                .build();
    }

    private static String spare(String id) throws IOException {
        if (id.hashCode() % 3 == 0) {
            throw new IOException("spare down");
        }
        if (id.hashCode() % 11 == 0) {
            throw new BadRequestException("not here either");
        }
        return "spare " + id;
    }

    private static String primary(String id, int dice) throws Exception {
        switch (dice) {
            case 0, 1 -> throw new IOException("down");
            case 2 -> throw new BadRequestException("wrong");
            case 3 -> throw new UnsupportedOperationException("busy");
            case 4 -> throw new AssertionError("bug");
            case 5 -> LockSupport.parkNanos(3_000_000);
            default -> {
                // answers
            }
        }
        return "live " + id;
    }

    private static Map<CallKind, Long> callMany(Commands commands, CommandSpec<Call, String> spec, Random random) {
        Map<CallKind, Long> seen = new HashMap<>();
        for (int call = 0; call < CALLS_EACH; call++) {
            String id = "id-" + random.nextInt(100);
            int dice = random.nextInt(20);
            CallKind kind = kindOf(new Call(commands, spec, id, () -> primary(id, dice)), id);
            seen.merge(kind, 1L, Long::sum);
        }
        return seen;
    }

    /** What the caller of one call can tell of it. Outcome and trigger of a bad request are not told, so they are left out. */
    private static CallKind kindOf(Call call, String id) {
        try {
            CommandResult<String> result = call.executeForResult();
            String expected =
                    switch (result.source()) {
                        case PRIMARY, CACHE -> "live " + id;
                        case SPARE -> "spare " + id;
                        case STATIC -> "template";
                    };
            assertThat(result.value()).isEqualTo(expected); // invariant 6: no degraded value was ever kept as a copy
            return new CallKind(
                    result.degraded() ? CallOutcome.DEGRADED : CallOutcome.NORMAL, result.source(), result.trigger());
        } catch (BadRequestException wrong) {
            return BAD_REQUEST;
        } catch (CommandException failed) {
            return new CallKind(failed.outcome(), null, failed.trigger());
        } catch (AssertionError bug) {
            assertThat(bug).hasMessage("bug");
            return new CallKind(CallOutcome.FAILED, null, Trigger.FAILURE);
        }
    }

    private static Map<CallKind, Long> booked(CommandView view) {
        Map<CallKind, Long> booked = new HashMap<>();
        for (CallKind kind : view.possibleCalls()) {
            long count = view.calls(kind);
            if (count > 0) {
                booked.merge(kind.outcome() == CallOutcome.BAD_REQUEST ? BAD_REQUEST : kind, count, Long::sum);
            }
        }
        return booked;
    }

    private static final Set<EventType> ENDINGS = EnumSet.of(
            EventType.SUCCESS,
            EventType.BAD_REQUEST,
            EventType.FALLBACK_SUCCESS,
            EventType.FALLBACK_FAILURE,
            EventType.FALLBACK_REJECTION,
            EventType.FALLBACK_MISSING);

    private static Map<EventType, Long> events(CommandView view) {
        Map<EventType, Long> events = new EnumMap<>(EventType.class);
        ENDINGS.forEach(event -> events.put(event, view.events(event)));
        events.values().removeIf(count -> count == 0);
        return events;
    }

    /** The same events as they follow from what the callers saw. */
    private static Map<EventType, Long> eventsOf(CommandView view, Map<CallKind, Long> seen) {
        Map<EventType, Long> events = new EnumMap<>(EventType.class);
        long fatal = view.stages().get(0).left(StageReason.FATAL);
        seen.forEach((kind, count) -> {
            switch (kind.outcome()) {
                case NORMAL -> events.merge(EventType.SUCCESS, count, Long::sum);
                case DEGRADED -> events.merge(EventType.FALLBACK_SUCCESS, count, Long::sum);
                case BAD_REQUEST -> events.merge(EventType.BAD_REQUEST, count, Long::sum);
                default -> events.merge(EventType.FALLBACK_FAILURE, count, Long::sum);
            }
        });
        events.merge(EventType.FALLBACK_FAILURE, -fatal, Long::sum); // such a call never entered the chain
        events.values().removeIf(count -> count == 0);
        return events;
    }

    /** Along the chain: who reached a stage was served there, ended there, or reached the next. */
    private static void chainAddsUp(CommandView view, long seed) {
        List<StageView> stages = view.stages();
        assertThat(stages.get(0).reached()).isEqualTo(view.received());
        for (int stage = 0; stage + 1 < stages.size(); stage++) {
            StageView here = stages.get(stage);
            long ended = here.left(StageReason.ANSWER);
            if (here.kind() == Source.PRIMARY || here.kind() == Source.SPARE) {
                ended += here.left(StageReason.BAD_REQUEST) + here.left(StageReason.FATAL);
            }
            assertThat(stages.get(stage + 1).reached() + ended)
                    .as("seed %d, after %s", seed, here.name())
                    .isEqualTo(here.reached());
        }
    }
}
