package io.degradable.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.degradable.testing.Caller;
import io.degradable.testing.Race;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class SystemTimerTest {

    private static final long MILLI = 1_000_000;
    private static final long MINUTE = 60_000 * MILLI;
    private static final long TICK = AlarmRing.tick(1);

    private final List<SystemTimer> timers = new ArrayList<>();
    private final Queue<Thread> made = new ConcurrentLinkedQueue<>();
    private final List<Timer.Alarm> held = new ArrayList<>();
    private final Queue<Throwable> mistakes = new ConcurrentLinkedQueue<>();

    private SystemTimer timer(long idleNanos, ThreadFactory threads) {
        SystemTimer timer = new SystemTimer(idleNanos, threads);
        timers.add(timer);
        return timer;
    }

    private SystemTimer timer(long idleNanos) {
        return timer(idleNanos, this::thread);
    }

    private Thread thread(Runnable work) {
        Thread thread = new Thread(work, "timer-test");
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((self, mistake) -> mistakes.add(mistake));
        made.add(thread);
        return thread;
    }

    @AfterEach
    void close() throws InterruptedException {
        timers.forEach(SystemTimer::close);
        for (Thread thread : made) {
            thread.join(10_000);
            assertThat(thread.isAlive()).isFalse();
        }
    }

    private static long in(long nanos) {
        return System.nanoTime() + nanos;
    }

    /** Returns when an alarm for this moment has been run, and so all that was armed before has been taken in. */
    private static void ring(Timer timer) throws InterruptedException {
        CountDownLatch run = new CountDownLatch(1);
        timer.schedule(run::countDown, in(-2 * MILLI));
        assertThat(run.await(10, TimeUnit.SECONDS)).as("an alarm for now").isTrue();
    }

    /** Collects until at most so many are left. */
    private static void assertThatCollected(List<? extends WeakReference<?>> gone, int left)
            throws InterruptedException {
        for (int round = 0; round < 100 && leftOf(gone) > left; round++) {
            System.gc();
            new CountDownLatch(1).await(20, TimeUnit.MILLISECONDS);
        }
        assertThat(leftOf(gone)).isLessThanOrEqualTo(left);
    }

    private static long leftOf(List<? extends WeakReference<?>> gone) {
        return gone.stream().filter(one -> one.get() != null).count();
    }

    // ---- the moment ----

    @Test
    void a_task_runs_soon_after_its_moment_and_never_before() throws InterruptedException {
        Timer timer = timer(MINUTE);
        Queue<Long> lateness = new ConcurrentLinkedQueue<>();
        CountDownLatch run = new CountDownLatch(200);

        for (int i = 0; i < 200; i++) {
            long at = in(i * MILLI / 2);
            timer.schedule(
                    () -> {
                        lateness.add(System.nanoTime() - at);
                        run.countDown();
                    },
                    at);
        }

        assertThat(run.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(lateness).allMatch(late -> late >= 0);
        assertThat(lateness.stream().sorted().skip(100).findFirst().orElseThrow())
                .as("the median, which is a millisecond")
                .isLessThan(20 * MILLI);
    }

    @Test
    void a_moment_that_is_over_is_not_waited_for() throws InterruptedException {
        Timer timer = timer(MINUTE);
        CountDownLatch run = new CountDownLatch(3);

        timer.schedule(run::countDown, in(0));
        timer.schedule(run::countDown, in(-MINUTE));
        timer.schedule(run::countDown, in(-Spans.FOREVER));

        assertThat(run.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void a_far_moment_is_neither_lost_nor_early_and_costs_nothing_until_then() throws Exception {
        Timer timer = timer(MINUTE);
        AtomicInteger early = new AtomicInteger();
        List<SystemAlarm> far = new ArrayList<>();
        for (long ahead : new long[] {MINUTE, 365 * 1440 * MINUTE, Spans.FOREVER}) {
            far.add((SystemAlarm) timer.schedule(early::incrementAndGet, in(ahead)));
        }
        ring(timer);
        Thread thread = made.element();
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

        long before = threads.getThreadCpuTime(thread.getId());
        new CountDownLatch(1).await(300, TimeUnit.MILLISECONDS);
        long used = threads.getThreadCpuTime(thread.getId()) - before;

        assertThat(used).as("a tick costs some microseconds").isLessThan(300_000);
        ring(timer);
        assertThat(early).hasValue(0);
        assertThat(far).allMatch(SystemAlarm::isArmed);
    }

    @Test
    void an_earlier_alarm_wakes_the_thread_that_sleeps_for_a_later_one() throws InterruptedException {
        Timer timer = timer(MINUTE);
        timer.schedule(() -> {}, in(MINUTE));
        ring(timer);
        CountDownLatch run = new CountDownLatch(1);

        timer.schedule(run::countDown, in(5 * MILLI));

        assertThat(run.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void tasks_run_by_their_moments_and_those_of_one_moment_as_they_were_armed() throws InterruptedException {
        Timer timer = timer(MINUTE);
        Queue<Integer> order = new ConcurrentLinkedQueue<>();
        CountDownLatch run = new CountDownLatch(400);
        List<Integer> expected = new ArrayList<>();
        long start = in(20 * MILLI);

        for (int i = 0; i < 400; i++) {
            int number = i;
            expected.add(i);
            Runnable task = () -> {
                order.add(number);
                run.countDown();
            };
            timer.schedule(task, start + i / 100 * 5L * MILLI);
            timer.schedule(() -> order.add(-1), start + (399 - i) / 100 * 5L * MILLI)
                    .cancel();
        }

        assertThat(run.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(order).containsExactlyElementsOf(expected);
    }

    // ---- cancelling ----

    @Test
    void of_a_canceller_and_the_timer_exactly_one_takes_the_task() throws Exception {
        int rounds = 20_000;
        List<SystemAlarm> alarms = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            alarms.add(new SystemAlarm(() -> {}, 0));
        }
        AtomicIntegerArray taken = new AtomicIntegerArray(rounds);
        AtomicInteger first = new AtomicInteger();

        try (Race race = new Race(2)) {
            race.inStep(rounds, (side, round) -> {
                if (alarms.get(round).take() != null) {
                    taken.incrementAndGet(round);
                    first.addAndGet(side);
                }
            });
        }

        for (int round = 0; round < rounds; round++) {
            assertThat(taken.get(round)).isEqualTo(1);
        }
        assertThat(first.get()).as("rounds won by one side").isBetween(1, rounds - 1);
    }

    /** The timer goes through them from the first to the last one, and the canceller comes the other way. */
    @Test
    void an_alarm_is_either_cancelled_or_run_and_that_once() throws InterruptedException {
        Timer timer = timer(MINUTE);
        int rounds = 100;
        int each = 300;
        AtomicIntegerArray runs = new AtomicIntegerArray(rounds * each);
        AtomicIntegerArray cancels = new AtomicIntegerArray(rounds * each);

        for (int round = 0; round < rounds; round++) {
            CountDownLatch decided = new CountDownLatch(each);
            SystemAlarm[] alarms = new SystemAlarm[each];
            long at = AlarmRing.tick(in(MILLI));
            for (int i = 0; i < each; i++) {
                int number = round * each + i;
                alarms[i] = (SystemAlarm) timer.schedule(
                        () -> {
                            runs.incrementAndGet(number);
                            decided.countDown();
                        },
                        at);
            }
            long begins = at + (round % 50 - 10) * 5_000L; // somewhat earlier than the timer wakes, or somewhat later
            while (round % 10 == 0 ? decided.getCount() == each : begins - System.nanoTime() > 0) {
                Thread.onSpinWait();
            }
            for (int i = each - 1; i >= 0; i--) {
                if (alarms[i].take() != null) {
                    cancels.incrementAndGet(round * each + i);
                    decided.countDown();
                }
            }
            assertThat(decided.await(10, TimeUnit.SECONDS)).isTrue();
        }
        ring(timer);

        int cancelled = 0;
        for (int i = 0; i < rounds * each; i++) {
            assertThat(runs.get(i) + cancels.get(i)).isEqualTo(1);
            cancelled += cancels.get(i);
        }
        assertThat(cancelled).as("of both there are some").isBetween(1, rounds * each - 1);
    }

    @Test
    void an_alarm_that_is_over_holds_no_task_although_somebody_holds_the_alarm() throws InterruptedException {
        Timer timer = timer(MINUTE);
        AtomicInteger cancelledTask = new AtomicInteger();
        AtomicInteger runTask = new AtomicInteger();
        Timer.Alarm cancelled = timer.schedule(cancelledTask::incrementAndGet, in(Spans.FOREVER));
        held.add(cancelled);
        held.add(timer.schedule(runTask::incrementAndGet, in(0)));
        ring(timer);
        List<WeakReference<?>> tasks = List.of(new WeakReference<>(cancelledTask), new WeakReference<>(runTask));

        cancelled.cancel();
        cancelledTask = null;
        runTask = null;

        assertThatCollected(tasks, 0);
    }

    @Test
    void an_alarm_does_not_hold_those_that_were_armed_before() throws InterruptedException {
        Timer timer = timer(MINUTE);
        List<SystemAlarm> armed = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            armed.add((SystemAlarm) timer.schedule(() -> {}, in(MINUTE)));
        }

        ring(timer);

        assertThat(armed).allMatch(alarm -> alarm.below == null);
    }

    @Test
    void a_stream_of_alarms_that_are_cancelled_later_is_not_kept() throws InterruptedException {
        Timer timer = timer(MINUTE);
        timer.schedule(() -> {}, in(MINUTE));
        ring(timer);
        List<WeakReference<Timer.Alarm>> alarms = new ArrayList<>();
        Timer.Alarm before = timer.schedule(() -> {}, in(2 * MINUTE));

        for (int i = 0; i < 10_000; i++) { // all for later than the thread would wake by itself
            Timer.Alarm next = timer.schedule(() -> {}, in(2 * MINUTE));
            alarms.add(new WeakReference<>(next));
            before.cancel();
            before = next;
        }

        assertThatCollected(alarms, 3_000);
    }

    @DisplayName("G12: arming and cancelling makes one object of at most 64 bytes")
    @Test
    void arming_and_cancelling_makes_one_small_object() {
        Timer timer = timer(MINUTE);
        Runnable task = () -> {};
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long self = Thread.currentThread().getId();
        long bytes = Long.MAX_VALUE;

        for (int round = 0; round < 3; round++) {
            long before = threads.getThreadAllocatedBytes(self);
            for (int i = 0; i < 20_000; i++) {
                timer.schedule(task, in(MINUTE)).cancel();
            }
            bytes = Math.min(bytes, threads.getThreadAllocatedBytes(self) - before);
        }

        assertThat(bytes / 20_000.0).isBetween(16.0, 64.0);
    }

    // ---- mistakes ----

    @Test
    void a_task_that_throws_or_interrupts_does_not_touch_the_next_one() throws InterruptedException {
        Timer timer = timer(MINUTE);
        Error mistake = new AssertionError("a mistake");
        timer.schedule(
                () -> {
                    throw mistake;
                },
                in(0));
        timer.schedule(() -> Thread.currentThread().interrupt(), in(0));
        ring(timer);
        CountDownLatch run = new CountDownLatch(1);
        AtomicInteger interrupted = new AtomicInteger();

        timer.schedule(
                () -> {
                    interrupted.set(Thread.currentThread().isInterrupted() ? 1 : 0);
                    run.countDown();
                },
                in(5 * MILLI));

        assertThat(run.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(interrupted).hasValue(0);
        assertThat(mistakes).containsExactly(mistake);
        assertThat(made).hasSize(1);
    }

    @Test
    void who_arms_at_the_end_of_its_stack_breaks_nothing() throws InterruptedException {
        Timer timer = timer(MINUTE);
        AtomicInteger overflows = new AtomicInteger();

        for (int round = 0; round < 20; round++) {
            Caller.calls(() -> armDown(timer, 1_000_000, overflows)).result();
        }

        assertThat(overflows).hasPositiveValue();
        ring(timer);
    }

    private static int armDown(Timer timer, int frames, AtomicInteger overflows) {
        if (frames == 0) {
            return 0;
        }
        int depth = 0;
        try {
            timer.schedule(() -> {}, in(-MILLI)).cancel();
            depth = armDown(timer, frames - 1, overflows) + 1;
        } catch (StackOverflowError end) {
            overflows.incrementAndGet();
        }
        return depth;
    }

    // ---- the thread ----

    @Test
    void the_thread_comes_with_the_first_alarm_and_is_a_daemon_that_holds_no_loader() throws InterruptedException {
        String name = "timer-of-" + getClass().getName();
        SystemTimer timer = new SystemTimer(name);
        timers.add(timer);
        assertThat(threads(name)).isEmpty();

        ring(timer);

        assertThat(threads(name)).singleElement().satisfies(thread -> {
            assertThat(thread.isDaemon()).isTrue();
            assertThat(thread.getContextClassLoader()).isNull();
        });
        made.addAll(threads(name));
    }

    private static List<Thread> threads(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(name))
                .toList();
    }

    @Test
    void the_thread_goes_when_nothing_is_armed_and_comes_again() throws InterruptedException {
        Timer timer = timer(20 * MILLI);
        ring(timer);
        Thread first = made.element();
        first.join(10_000);
        assertThat(first.isAlive()).isFalse();

        ring(timer);
        timer.schedule(() -> {}, in(MINUTE));
        made.forEach(thread -> assertThat(thread.isAlive()).isEqualTo(thread != first));

        assertThat(made).hasSize(2);
    }

    @Test
    void the_thread_stays_while_something_is_armed() throws InterruptedException {
        Timer timer = timer(MILLI);
        CountDownLatch run = new CountDownLatch(1);

        timer.schedule(run::countDown, in(100 * MILLI));

        assertThat(run.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(made).hasSize(1);
    }

    @Test
    void no_alarm_is_lost_to_a_thread_that_is_about_to_end() {
        Timer timer = timer(1);

        armAgainAndAgain(timer, 5_000, -TICK);

        assertThat(made.size()).as("threads that went").isGreaterThan(1);
    }

    @Test
    void no_alarm_is_lost_to_a_thread_that_is_about_to_sleep_for_longer() {
        Timer timer = timer(MINUTE);

        armAgainAndAgain(timer, 1_000, 0);

        assertThat(made).hasSize(1);
    }

    /** Each alarm is armed within nanoseconds of the last one's end, and somewhat later the next time. */
    @SuppressWarnings("ThreadPriorityCheck") // where there is one free processor the timer needs it
    private static void armAgainAndAgain(Timer timer, int rounds, long aheadNanos) {
        AtomicInteger run = new AtomicInteger();
        long overdue = in(30_000 * MILLI);
        for (int round = 1; round <= rounds; round++) {
            for (int turn = round % 100; turn > 0; turn--) {
                Thread.onSpinWait();
            }
            timer.schedule(run::incrementAndGet, AlarmRing.tick(in(aheadNanos)));
            for (int turn = 1; run.get() < round && overdue - System.nanoTime() > 0; turn++) {
                if (turn % 500 == 0) {
                    Thread.yield();
                }
            }
            assertThat(run).hasValue(round);
        }
    }

    @Test
    void when_no_thread_can_be_made_who_arms_is_told_and_what_others_armed_waits_for_the_next_one() throws Exception {
        CountDownLatch starting = new CountDownLatch(1);
        CountDownLatch others = new CountDownLatch(1);
        AtomicInteger starts = new AtomicInteger();
        Timer timer = timer(MINUTE, work -> {
            if (starts.getAndIncrement() > 0) {
                return thread(work);
            }
            starting.countDown();
            await(others);
            throw new OutOfMemoryError("unable to create native thread");
        });
        AtomicInteger refusedRuns = new AtomicInteger();
        Caller<Timer.Alarm> refused = Caller.calls(() -> timer.schedule(refusedRuns::incrementAndGet, in(0)));
        starting.await();
        CountDownLatch run = new CountDownLatch(1);
        timer.schedule(run::countDown, in(0));
        others.countDown();
        assertThatThrownBy(refused::result).hasCauseInstanceOf(OutOfMemoryError.class);

        ring(timer);

        assertThat(run.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(refusedRuns).hasValue(0);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException overdue) {
            throw new AssertionError(overdue);
        }
    }

    // ---- closing ----

    @Test
    void a_close_ends_the_thread_and_lets_go_of_all() throws InterruptedException {
        SystemTimer timer = timer(MINUTE);
        AtomicInteger runs = new AtomicInteger();
        List<SystemAlarm> alarms = new ArrayList<>();
        for (long ahead : new long[] {100 * MILLI, MINUTE, Spans.FOREVER}) {
            alarms.add((SystemAlarm) timer.schedule(runs::incrementAndGet, in(ahead)));
        }
        ring(timer);
        alarms.add((SystemAlarm) timer.schedule(runs::incrementAndGet, in(2 * MINUTE))); // not taken in yet

        timer.close();
        timer.close();
        made.element().join(10_000);
        SystemAlarm tooLate = (SystemAlarm) timer.schedule(runs::incrementAndGet, in(0));

        assertThat(made.element().isAlive()).isFalse();
        assertThat(alarms).noneMatch(SystemAlarm::isArmed);
        assertThat(tooLate.isArmed()).isFalse();
        assertThat(made).hasSize(1);
        assertThat(runs).hasValue(0);
    }

    @Test
    void a_task_may_close_its_own_timer_and_is_the_last_to_run() throws InterruptedException {
        SystemTimer timer = timer(MINUTE);
        AtomicInteger runs = new AtomicInteger();
        long at = in(10 * MILLI);
        timer.schedule(timer::close, at);
        timer.schedule(runs::incrementAndGet, at);

        made.element().join(10_000);

        assertThat(made.element().isAlive()).isFalse();
        assertThat(runs).hasValue(0);
    }

    @Test
    void whoever_arms_while_another_one_closes_leaves_nothing_behind() throws Exception {
        int rounds = 500;
        List<SystemTimer> closed = new ArrayList<>();
        Queue<SystemAlarm> alarms = new ConcurrentLinkedQueue<>();
        for (int round = 0; round < rounds; round++) {
            SystemTimer timer = timer(MINUTE);
            closed.add(timer);
            if (round % 2 == 0) {
                timer.schedule(() -> {}, in(MINUTE));
            }
        }

        try (Race race = new Race(2)) {
            race.inStep(rounds, (side, round) -> {
                if (side == 0) {
                    closed.get(round).close();
                } else {
                    for (int i = 0; i < 3; i++) {
                        alarms.add((SystemAlarm) closed.get(round).schedule(() -> {}, in(MINUTE)));
                    }
                }
            });
        }
        for (Thread thread : made) {
            thread.join(10_000);
        }

        assertThat(made).noneMatch(Thread::isAlive);
        assertThat(alarms).hasSize(3 * rounds).noneMatch(SystemAlarm::isArmed);
    }
}
