package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.degradable.cache.CacheSpec;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.Caller;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import javax.annotation.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** S5, S13: those who wait for one that fetches, when that one, its key or its answer is in trouble. */
@Timeout(30)
final class FlightTroubleTest {

    private static final CacheSpec<Object, String> COPIES = CacheSpec.named("copies");
    private static final Duration YOUNG = Duration.ofSeconds(10);
    private static final Duration WINDOW = Duration.ofMinutes(10);

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();
    private final AtomicInteger asked = new AtomicInteger();
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void close() {
        release.countDown();
        commands.close();
    }

    private static CommandSpec.Builder<Call, String> pooled() {
        return Call.declared().threadPool(pool -> pool.size(200));
    }

    private static CommandSpec<Call, String> young(
            CommandSpec.Builder<Call, String> declared, UnaryOperator<StageSpec> stage) {
        return declared.fallback(chain -> chain.cached(COPIES, call -> call.id, WINDOW, it -> {
                            var unused = stage.apply(it.beforePrimary(YOUNG));
                        })
                        .template(StaticTemplate.of("last", "template")))
                .build();
    }

    private Call call(CommandSpec<Call, String> spec, String id, Callable<String> body) {
        return new Call(commands, spec, id, () -> {
            asked.incrementAndGet();
            return body.call();
        });
    }

    private Call held(CommandSpec<Call, String> spec, Callable<String> then) {
        return call(spec, "1", () -> {
            release.await();
            return then.call();
        });
    }

    private List<Caller<String>> waiting(int count, CommandSpec<Call, String> spec, Callable<String> body)
            throws Exception {
        List<Caller<String>> callers = new ArrayList<>();
        for (int caller = 0; caller < count; caller++) {
            callers.add(Caller.calls(() -> call(spec, "1", body).execute()));
        }
        ticker.untilWaiting(count + 1); // with the limit of the one that asks
        return callers;
    }

    /** A key that throws when it is told to. */
    private static final class Key {
        private final String id;
        private final AtomicInteger goodFor;

        Key(String id, AtomicInteger goodFor) {
            this.id = id;
            this.goodFor = goodFor;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && id.equals(key.id);
        }

        @Override
        public int hashCode() {
            if (goodFor.getAndDecrement() <= 0) {
                throw new IllegalStateException("no hash");
            }
            return id.hashCode();
        }
    }

    private CommandSpec<Call, String> keyed(AtomicInteger goodFor) {
        return pooled().fallback(chain -> chain.cached(
                                COPIES, call -> new Key(call.id, goodFor), WINDOW, stage -> stage.beforePrimary(YOUNG))
                        .template(StaticTemplate.of("last", "template")))
                .build();
    }

    @Test
    void a_key_without_a_hash_asks_the_primary_as_if_there_were_no_cache() {
        CommandSpec<Call, String> spec = keyed(new AtomicInteger());

        assertThat(call(spec, "1", () -> "new").execute()).isEqualTo("new");
        assertThat(Caller.valueOf(call(spec, "1", () -> "new").queue())).isEqualTo("new");
    }

    @Test
    void a_key_whose_hash_goes_bad_at_any_moment_neither_changes_the_answer_nor_holds_up_others() {
        for (int good = 0; good < 12; good++) {
            AtomicInteger goodFor = new AtomicInteger(good);
            try (Commands own = Commands.builder().ticker(ticker).build()) {
                CommandSpec<Call, String> spec = keyed(goodFor);
                assertThat(new Call(own, spec, "1", () -> "new").execute())
                        .as("good for %d", good)
                        .isEqualTo("new");
                goodFor.set(1_000);
                own.cache(COPIES).invalidate(new Key("1", goodFor));
                ticker.advance(Duration.ofNanos(1));

                assertThat(Caller.calls(() -> new Call(own, spec, "1", () -> "newer").execute())
                                .result())
                        .as("good for %d", good)
                        .isEqualTo("newer");
            }
        }
    }

    @Test
    void an_answer_that_is_not_kept_sends_no_more_to_the_primary_than_the_refill_allows() throws Exception {
        CommandSpec<Call, String> spec = young(pooled(), stage -> stage.refill(2));
        CompletableFuture<String> fetching = held(spec, () -> null).queue();
        await().until(() -> asked.get() == 1);
        List<Caller<String>> callers = waiting(20, spec, () -> null);

        release.countDown();
        callers.forEach(Caller::result);

        assertThat(Caller.valueOf(fetching)).isNull();
        assertThat(asked.get()).isLessThanOrEqualTo(2);
    }

    @Test
    void a_shared_failure_is_not_tried_again_by_each_who_waited() throws Exception {
        CommandSpec<Call, String> spec = young(
                pooled().repeatable()
                        .retry(retry -> retry.attempts(2)
                                .backoff(Duration.ofMillis(1), Duration.ofMillis(1))
                                .budget(100, 1_000)),
                stage -> stage);
        CompletableFuture<String> fetching = held(spec, () -> {
                    throw new IOException("down");
                })
                .queue();
        await().until(() -> asked.get() == 1);
        List<Caller<String>> callers = waiting(20, spec, () -> {
            throw new IOException("down");
        });

        release.countDown();
        await().until(() -> {
            ticker.advance(Duration.ofMillis(1)); // less than the time of the poll, so nobody runs out of time
            return fetching.isDone() && callers.stream().allMatch(Caller::isDone);
        });

        assertThat(asked).hasValue(2);
    }

    @Test
    void what_the_stack_of_one_caller_had_no_room_for_is_not_said_of_the_key() throws Exception {
        CommandSpec<Call, String> spec = young(pooled(), stage -> stage);
        CompletableFuture<String> fetching = held(spec, () -> {
                    throw new StackOverflowError("of this thread");
                })
                .queue();
        await().until(() -> asked.get() == 1);
        List<Caller<String>> callers = waiting(1, spec, () -> "new");

        release.countDown();

        assertThat(callers.get(0).result()).isEqualTo("new");
        assertThat(fetching).failsWithin(Duration.ofSeconds(10));
    }

    @Test
    void who_has_waited_in_vain_leaves_nothing_behind_with_the_one_that_hangs() throws Exception {
        CommandSpec<Call, String> spec = young(Call.declared().semaphore(5), stage -> stage);
        Caller<String> hangs = Caller.calls(() -> held(spec, () -> "new").execute());
        await().until(() -> asked.get() == 1);
        WeakReference<Thread> sync = startAndEnd(spec, false);
        WeakReference<Thread> async = startAndEnd(spec, true);

        await().atMost(Duration.ofSeconds(10)).until(() -> {
            System.gc();
            return sync.get() == null && async.get() == null;
        });

        release.countDown();
        assertThat(hangs.result()).isEqualTo("new");
    }

    private WeakReference<Thread> startAndEnd(CommandSpec<Call, String> spec, boolean async) throws Exception {
        Thread caller = new Thread(() -> {
            Thread self = Thread.currentThread();
            Call call = call(spec, "1", () -> self.getName());
            String unused = async ? Caller.valueOf(call.queue()) : call.execute();
        });
        caller.start();
        ticker.untilWaiting(1);
        ticker.advance(Duration.ofSeconds(1));
        caller.join();
        return new WeakReference<>(caller);
    }

    @SuppressWarnings("InfiniteRecursion") // the stack ends it
    private void goDown(CommandSpec<Call, String> spec, AtomicInteger keys, AtomicInteger overflowed) {
        try {
            goDown(spec, keys, overflowed);
        } catch (StackOverflowError deepest) {
            // From here up, each frame has a little more room.
        }
        int key = keys.get();
        if (overflowed.get() > key + 200) {
            return;
        }
        try {
            String id = "key-" + keys.getAndIncrement();
            String unused = call(spec, id, () -> "new").execute();
        } catch (StackOverflowError noRoom) {
            overflowed.incrementAndGet();
        }
    }
}
