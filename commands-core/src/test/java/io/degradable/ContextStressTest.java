package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.degradable.cache.CacheSpec;
import io.degradable.event.CommandEvent;
import io.degradable.event.CommandEvent.CallEnded;
import io.degradable.event.CommandEvent.CircuitChanged;
import io.degradable.event.CommandEvent.StageEnded;
import io.degradable.event.ContextCarrier.Captured;
import io.degradable.template.StaticTemplate;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import javax.annotation.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Many calls at once, each with a value of its own on its caller's thread. Whatever is done for a call must see that value,
 * wherever it is done; and when all is over no thread has any.
 */
@Timeout(120) // it takes a few seconds
final class ContextStressTest {

    private static final int RUNS = 20_000;
    private static final int CALLERS = 6;
    private static final int POOL = 4;
    private static final ThreadLocal<String> CARRIED = new ThreadLocal<>();
    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");

    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final Map<String, LongAdder> looks = new ConcurrentHashMap<>();
    private final Map<Long, String> heardInline = new ConcurrentHashMap<>();
    private final Map<Long, String> heardQueued = new ConcurrentHashMap<>();
    private final Map<Long, String> sent = new ConcurrentHashMap<>();
    private final Queue<String> ended = new ConcurrentLinkedQueue<>();

    private final Commands commands = Commands.builder()
            .name("context-stress")
            .carry(ContextStressTest::capture)
            .inlineListener(event -> hear("inline listener", event, heardInline))
            .listener(event -> hear("listener", event, heardQueued))
            .eventQueue(2 * RUNS)
            .build();

    @AfterEach
    void close() {
        CARRIED.remove();
        commands.close();
    }

    /** Installs nothing where there is nothing, so that what a thread has kept is seen. */
    private static @Nullable Captured capture() {
        String mine = CARRIED.get();
        return mine == null
                ? null
                : () -> {
                    String before = CARRIED.get();
                    CARRIED.set(mine);
                    return () -> {
                        if (before == null) {
                            CARRIED.remove();
                        } else {
                            CARRIED.set(before);
                        }
                    };
                };
    }

    private void look(String where, String own) {
        looks.computeIfAbsent(where, first -> new LongAdder()).increment();
        String seen = String.valueOf(CARRIED.get());
        if (!own.equals(seen)) {
            wrong.add(where + " of " + own + " saw " + seen);
        }
    }

    /** An event has no value of its own, but all of a run have one id, and a failure says whose it is. */
    private void hear(String who, CommandEvent event, Map<Long, String> heard) {
        if (event instanceof StageEnded stage) {
            hear(who, stage.callId(), stage.failure(), heard);
        } else if (event instanceof CallEnded call) {
            hear(who, call.callId(), call.cause(), heard);
            if (heard == heardQueued && CARRIED.get() != null) {
                ended.add(CARRIED.get());
            }
        } else if (event instanceof CircuitChanged && heard == heardQueued && CARRIED.get() != null) {
            wrong.add("a circuit's change is no call's, saw " + CARRIED.get());
        }
    }

    private void hear(String who, long callId, @Nullable Throwable failure, Map<Long, String> heard) {
        String seen = String.valueOf(CARRIED.get());
        String first = heard.putIfAbsent(callId, seen);
        look(who, first == null ? seen : first);
        if (failure instanceof IOException) {
            look(who, String.valueOf(failure.getMessage()));
        }
    }

    // ---- the calls ----

    private CommandSpec.Builder<Call, String> declared(String name) {
        return Call.declared()
                .name(name)
                .timeout(Duration.ofMillis(20))
                .fallbackOn(failure -> {
                    if (failure instanceof IOException) {
                        look("predicate", String.valueOf(failure.getMessage()));
                    }
                    return true;
                })
                .repeatable()
                .retry(retry -> retry.attempts(2)
                        .backoff(Duration.ofNanos(1_000), Duration.ofMillis(1))
                        .budget(20, 1_000))
                .fallback(chain -> chain.spareCall(
                                "spare",
                                (call, context) -> {
                                    look("spare", call.id);
                                    throw new IOException(call.id);
                                },
                                stage -> stage.threadPool(
                                        pool -> pool.named("context-stress-two").size(POOL)))
                        .cached(
                                COPIES,
                                call -> {
                                    look("key", call.id);
                                    return call.id;
                                },
                                Duration.ofMinutes(1))
                        .template(StaticTemplate.of("last", "template"), (value, call) -> {
                            look("fill", call.id);
                            return value;
                        }));
    }

    private List<CommandSpec<Call, String>> specs() {
        return List.of(
                declared("Pooled")
                        .threadPool(pool -> pool.named("context-stress-one").size(POOL))
                        .noCircuitBreaker()
                        .build(),
                declared("Breaking")
                        .threadPool(pool -> pool.named("context-stress-one").size(POOL))
                        .circuitBreaker(breaker -> breaker.requestVolumeThreshold(20)
                                .sleepWindow(Duration.ofMillis(5))
                                .maxSleepWindow(Duration.ofMillis(5)))
                        .build(),
                declared("Counted").semaphore(POOL).noCircuitBreaker().build());
    }

    private String body(String own, int number) throws Exception {
        look("body", own);
        if (number % 100 == 0) {
            new CountDownLatch(1).await(20, TimeUnit.MILLISECONDS); // until it is interrupted, on a pool
        }
        if (number % 3 != 0) {
            throw new IOException(own);
        }
        look("body", own);
        return "live";
    }

    private void call(CommandSpec<Call, String> spec, String own, int number) throws Exception {
        Call call = new Call(commands, spec, own, () -> body(own, number));
        switch (EntryPoint.values()[number % 7]) {
            case EXECUTE_FOR_RESULT -> sent.put(call.executeForResult().callId(), own);
            case QUEUE_FOR_RESULT -> sent.put(call.queueForResult().get().callId(), own);
            case TO_RESULT_SINGLE ->
                sent.put(call.toResultSingle().blockingGet().callId(), own);
            default -> {
                var unused = EntryPoint.values()[number % 7].run(call);
            }
        }
    }

    private void stress(List<CommandSpec<Call, String>> specs) throws Exception {
        try (Callers callers = new Callers()) {
            List<FutureTask<Boolean>> all = new ArrayList<>();
            for (int caller = 0; caller < CALLERS; caller++) {
                int first = caller;
                all.add(callers.start(() -> {
                    for (int number = first; number < RUNS; number += CALLERS) {
                        String own = "call " + number;
                        CARRIED.set(own);
                        call(specs.get(number / CALLERS % specs.size()), own, number);
                        look("caller", own);
                    }
                    return true;
                }));
            }
            for (FutureTask<Boolean> one : all) {
                assertThat(one.get()).isTrue();
            }
        }
        assertThat(wrong).isEmpty();
    }

    @DisplayName(
            "B130: 20,000 runs over pools, retries, spares, timeouts and entry points never see each other's context")
    @Test
    void contexts_never_cross_over_and_no_worker_keeps_one() throws Exception {
        stress(specs());

        assertThatWorkersAreClean();
        commands.close();
        assertThatNothingWasWrong();
    }

    @DisplayName("B130: nor on virtual threads")
    @Tag("virtual-threads")
    @Test
    void contexts_never_cross_over_on_virtual_threads() throws Exception {
        stress(List.of(
                declared("Virtual").virtualThreads(POOL).noCircuitBreaker().build(), specs().get(0)));

        commands.close();
        assertThatNothingWasWrong();
    }

    private void assertThatNothingWasWrong() {
        assertThat(wrong).isEmpty();
        assertThat(commands.listenerMistakes()).isZero();
        assertThat(commands.droppedEvents()).isZero();
        assertThat(looks.keySet())
                .contains("body", "predicate", "spare", "key", "fill", "inline listener", "listener", "caller");
        assertThat(ended)
                .as("each run ends once, under its own value")
                .hasSize(RUNS)
                .doesNotHaveDuplicates();
        assertThat(heardQueued).containsAllEntriesOf(sent);
        assertThat(heardInline).containsAllEntriesOf(sent);
        assertThat(sent).hasSizeGreaterThan(RUNS / 3);
    }

    /** Bodies that meet are on threads of their own, so each worker of both pools has been looked at. */
    private void assertThatWorkersAreClean() throws Exception {
        Queue<String> kept = new ConcurrentLinkedQueue<>();
        CARRIED.remove();
        await().until(() ->
                commands.pools().stream().allMatch(pool -> pool.active() == 0)); // also of bodies left behind
        for (String pool : List.of("context-stress-one", "context-stress-two")) {
            CyclicBarrier all = new CyclicBarrier(POOL);
            CommandSpec<Call, String> spec = Call.declared()
                    .name("looks-at-" + pool)
                    .threadPool(declared -> declared.named(pool).size(POOL))
                    .noTimeout()
                    .build();
            List<CompletableFuture<String>> looks = new ArrayList<>();
            for (int worker = 0; worker < POOL; worker++) {
                looks.add(new Call(commands, spec, "", () -> {
                            kept.add(String.valueOf(CARRIED.get()));
                            all.await();
                            return "clean";
                        })
                        .queue()
                        .whenComplete((answer, failure) -> kept.add(String.valueOf(CARRIED.get()))));
            }
            for (CompletableFuture<String> one : looks) {
                assertThat(one.get()).isEqualTo("clean");
            }
        }
        assertThat(kept).hasSize(4 * POOL).containsOnly("null");
    }
}
