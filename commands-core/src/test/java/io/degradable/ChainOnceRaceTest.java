package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.model.EventType;
import io.degradable.model.Trigger;
import io.degradable.state.CommandView;
import io.degradable.time.Ticker;
import io.degradable.time.Timer;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** B75: a body that fails the moment its limit comes. Whoever is faster, the chain is run, and once. */
@Timeout(60)
final class ChainOnceRaceTest {

    private static final int ROUNDS = 10_000;
    private static final Duration LIMIT = Duration.ofMillis(100);
    private static final Duration NEVER = Duration.ofSeconds(10);

    /** Moved by the body itself. Whoever waits on it stays awake, so that he sees his limit within nanoseconds. */
    private static final class WakefulTicker implements Ticker {

        private record Due(Runnable task, long atNanos) {}

        private final AtomicLong now = new AtomicLong();
        private final AtomicReference<Due> primarysAlarm = new AtomicReference<>();
        private volatile boolean waiting;
        private volatile int pause;
        private volatile boolean over;

        @Override
        public long nanos() {
            return now.get();
        }

        @Override
        public long epochMillis() {
            return 0;
        }

        @Override
        @SuppressWarnings("ThreadPriorityCheck") // a processor may be missing for the worker that is waited for
        public void await(Object blocker, long untilNanos) {
            if (waiting && now.get() - untilNanos < 0) {
                Thread.yield();
            }
            waiting = true;
            spin(pause);
            if (over) {
                now.addAndGet(LIMIT.toNanos()); // so that a grace ends
            }
        }

        @Override
        public Timer newTimer(String name) {
            return new Timer() {
                @Override
                public Alarm schedule(Runnable task, long atNanos) {
                    if (atNanos - now.get() > LIMIT.toNanos()) {
                        return () -> {}; // a stage's, never due
                    }
                    Due due = new Due(task, atNanos);
                    primarysAlarm.set(due);
                    return () -> primarysAlarm.compareAndSet(due, null);
                }

                @Override
                public void close() {}
            };
        }

        private void fire() {
            Due due = primarysAlarm.get();
            if (due != null && due.atNanos - now.get() <= 0) {
                spin(pause);
                if (primarysAlarm.compareAndSet(due, null)) {
                    due.task.run();
                }
            }
        }
    }

    private final WakefulTicker ticker = new WakefulTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();
    private final Callers callers = new Callers();
    private final Random random = new Random(75);
    private final AtomicInteger spareAsked = new AtomicInteger();

    private final CommandSpec<Call, String> spec = Call.declared()
            .timeout(LIMIT)
            .threadPool(pool -> pool.size(1).queue(1))
            .noCircuitBreaker()
            .interruptOnTimeout(false)
            .fallback(chain -> chain.within(NEVER)
                    .spareCall(
                            "second",
                            (call, context) -> "spare " + spareAsked.incrementAndGet(),
                            stage -> stage.on(Trigger.FAILURE, Trigger.TIMEOUT).timeout(NEVER)))
            .build();

    /** Turns the body gives the other side; below zero, turns the other side gives the body. */
    private int balance;

    private int failures;
    private int timeouts;

    @AfterEach
    void close() {
        ticker.over = true;
        commands.close();
        callers.close();
    }

    private static void spin(int turns) {
        for (int turn = 0; turn < turns; turn++) {
            Thread.onSpinWait();
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // now and then a turn for whoever shares the processor
    private static void until(BooleanSupplier happened) {
        for (int turn = 1; !happened.getAsBoolean(); turn++) {
            if (turn % 50 == 0) {
                assertThat(Thread.currentThread().isInterrupted())
                        .as("waited in vain")
                        .isFalse();
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private CommandView view() {
        return commands.commands().iterator().next();
    }

    private void run(Trouble.Entry<String> entry, BooleanSupplier limitIsSet) throws Exception {
        for (int round = 1; round <= ROUNDS; round++) {
            int drawn = balance + random.nextInt(17) - 8;
            boolean leaving = round % 2 == 0;
            IOException failure = new IOException("at the last moment");
            ticker.waiting = false;
            ticker.pause = Math.max(0, -drawn);

            String answer = entry.run(new Call(commands, spec, "1", () -> {
                until(limitIsSet);
                ticker.now.addAndGet(LIMIT.toNanos());
                if (leaving) {
                    until(() -> view().stages().get(0).orphans() > 0); // its caller is about to decide, or has
                } else {
                    spin(drawn);
                }
                throw failure;
            }));

            assertThat(answer).isEqualTo("spare " + round);
            book(view().events(EventType.TIMEOUT) > timeouts, leaving);
        }
    }

    private void book(boolean late, boolean leaving) {
        timeouts += late ? 1 : 0;
        failures += late ? 0 : 1;
        balance = leaving ? balance : Math.max(-200, Math.min(200, balance + (late ? -1 : 1)));
    }

    private void assertOneChainRunPerCall() {
        assertThat(spareAsked).hasValue(ROUNDS);
        assertThat(view().events(EventType.FALLBACK_SUCCESS)).isEqualTo(ROUNDS);
        assertThat(view().events(EventType.FAILURE)).isEqualTo(failures);
        assertThat(view().events(EventType.TIMEOUT)).isEqualTo(timeouts);
        assertThat(view().stages().get(1).reached()).isEqualTo(ROUNDS);
        until(() -> view().stages().get(0).orphans() == 0);
        assertThat(view().stages().get(0).lateFailures()).as("bodies that lost").isEqualTo(timeouts);
        assertThat(failures).as("the body was faster").isPositive();
        assertThat(timeouts).as("the limit was faster").isPositive();
    }

    @Test
    @DisplayName("B75: execute")
    void of_a_failing_body_and_the_limit_one_enters_the_chain_when_executed() throws Exception {
        run(Call::execute, () -> ticker.waiting);

        assertOneChainRunPerCall();
    }

    @Test
    @DisplayName("B75: queue")
    void of_a_failing_body_and_the_limit_one_enters_the_chain_when_queued() throws Exception {
        FutureTask<Boolean> caller = callers.start(() -> {
            run(call -> call.queue().get(), () -> ticker.primarysAlarm.get() != null);
            return true;
        });

        try {
            until(() -> {
                ticker.fire();
                return caller.isDone();
            });
        } finally {
            callers.interruptLast(); // in vain, unless it hangs
        }
        assertThat(caller.get()).isTrue();

        assertOneChainRunPerCall();
    }
}
