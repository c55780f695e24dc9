package io.degradable.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import javax.annotation.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A ring has no clock: here the test says what time it is. */
@Timeout(20)
final class AlarmRingTest {

    private static final long TICK = AlarmRing.tick(1);
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final long HOUR = 3_600 * SECOND;

    private final AlarmRing ring = new AlarmRing();

    /** The time; close to where it overflows, unless a test says something else. */
    private long now = Long.MAX_VALUE - 3 * SECOND;

    private int wakes;

    AlarmRingTest() {
        takeDue();
    }

    private SystemAlarm add(long atNanos) {
        SystemAlarm alarm = new SystemAlarm(() -> {}, AlarmRing.tick(atNanos));
        ring.add(alarm);
        return alarm;
    }

    private List<SystemAlarm> takeDue() {
        List<SystemAlarm> all = new ArrayList<>();
        SystemAlarm due = ring.takeDue(now);
        while (due != null) {
            all.add(due);
            SystemAlarm after = due.next;
            due = after == null ? ring.takeDue(now) : after;
        }
        return all;
    }

    /** Sleeps as a timer does, and takes what is due then. */
    private List<SystemAlarm> wake() {
        wakes++;
        now = ring.next();
        return takeDue();
    }

    private static long span(Random random) {
        long[] spans = {TICK, 50 * MILLI, SECOND, 3 * SECOND, 30 * SECOND, HOUR};
        return (long) (spans[random.nextInt(spans.length)] * random.nextDouble());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void every_alarm_comes_once_at_the_first_tick_after_its_moment_and_in_order(long seed) {
        Random random = new Random(seed);
        Map<SystemAlarm, Long> waiting = new LinkedHashMap<>();
        @Nullable SystemAlarm last = null;
        long lastAt = 0;

        for (int step = 0; step < 3_000 || !ring.isEmpty(); step++) {
            if (step < 3_000) {
                long at = now + span(random);
                waiting.put(add(at), at);
            }
            if (step % 5 == 0 && step < 3_000) {
                SystemAlarm cancelled = waiting.keySet().iterator().next();
                cancelled.cancel();
                waiting.remove(cancelled);
            }
            if (step >= 3_000 || random.nextInt(3) == 0) {
                for (SystemAlarm due : wake()) {
                    if (due.isArmed()) {
                        Long at = waiting.remove(due);
                        assertThat(at).as("an alarm that nobody has seen yet").isNotNull();
                        assertThat(now - at).as("lateness").isBetween(0L, TICK);
                        assertThat(last == null || AlarmRing.tick(at) - AlarmRing.tick(lastAt) >= 0)
                                .as("tick after tick")
                                .isTrue();
                        last = due;
                        lastAt = at;
                    }
                }
            }
        }

        assertThat(waiting).isEmpty();
        assertThat(last).isNotNull();
    }

    @Test
    void alarms_of_one_tick_come_in_the_order_they_were_added() {
        long moment = now + 20 * MILLI;
        List<SystemAlarm> added = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            added.add(add(moment));
        }

        assertThat(wake()).containsExactlyElementsOf(added);
    }

    @Test
    void who_sleeps_for_long_finds_all_that_is_overdue() {
        List<SystemAlarm> added = new ArrayList<>();
        for (long ahead = MILLI; ahead < 10 * HOUR; ahead *= 2) {
            added.add(add(now + ahead));
        }

        now += 20 * HOUR;

        assertThat(takeDue()).containsExactlyInAnyOrderElementsOf(added);
        assertThat(ring.isEmpty()).isTrue();
    }

    @Test
    void a_moment_that_is_over_is_due_at_once() {
        SystemAlarm late = add(now - 5 * SECOND);
        SystemAlarm veryLate = add(now - Spans.FOREVER);

        assertThat(takeDue()).containsExactly(late, veryLate);
    }

    @Test
    void for_a_far_moment_it_is_asked_a_few_times_and_not_each_tick() {
        SystemAlarm far = add(now + HOUR);
        SystemAlarm never = add(now + Spans.FOREVER);
        SystemAlarm near = add(now + 10 * MILLI);

        assertThat(wake()).containsExactly(near);
        List<SystemAlarm> due = List.of();
        while (due.isEmpty()) {
            due = wake();
        }

        assertThat(due).containsExactly(far);
        assertThat(wakes).as("one in ten seconds").isLessThan(400);
        assertThat(never.isArmed()).isTrue();
        assertThat(ring.isEmpty()).isFalse();
    }

    @Test
    void nobody_wakes_for_cancelled_alarms() {
        for (int i = 1; i < 1_000; i++) {
            add(now + i * TICK).cancel();
        }
        SystemAlarm armed = add(now + SECOND);

        assertThat(wake()).containsExactly(armed);
        assertThat(ring.isEmpty()).isTrue();
    }

    @Test
    void cancelled_alarms_for_far_moments_are_let_go_when_they_are_many() {
        List<SystemAlarm> cancelled = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            cancelled.add(add(now + Spans.FOREVER));
        }
        cancelled.forEach(SystemAlarm::cancel);

        takeDue();

        assertThat(cancelled).allMatch(alarm -> alarm.next == null);
        assertThat(ring.isEmpty()).isTrue();
    }

    @Test
    void cancelled_alarms_for_far_moments_are_let_go_after_a_while_when_they_are_few() {
        add(now + Spans.FOREVER).cancel();
        add(now + HOUR).cancel();

        assertThat(ring.isEmpty()).as("they are on the list still").isFalse();
        assertThat(ring.next() - now).isLessThan(11 * SECOND);
        assertThat(wake()).isEmpty();
        assertThat(ring.isEmpty()).isTrue();
    }

    @Test
    void a_cleared_ring_holds_no_task() {
        List<SystemAlarm> added = List.of(add(now + MILLI), add(now + SECOND), add(now + SECOND), add(now + HOUR));

        ring.clear();

        assertThat(added).noneMatch(SystemAlarm::isArmed);
        assertThat(ring.isEmpty()).isTrue();
    }
}
