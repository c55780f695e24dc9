package io.degradable.time;

import javax.annotation.Nullable;

/**
 * The alarms that a timer waits for, by the tick each is due in. To add one and to find the due ones costs the same however
 * many there are.
 *
 * <p>This is a timing wheel (G. Varghese and T. Lauck, "Hashed and hierarchical timing wheels", 1987): an array in which
 * the position says the moment, one slot for each tick of the turn ahead, used again turn after turn. What is due later than
 * that waits on a list beside it, as in their scheme for short and long timers, and is looked through now and then. Unlike
 * theirs the wheel does not turn by itself: it is asked for the first slot in use, and its timer sleeps until then.
 *
 * <p>Cancelled alarms stay where they are until somebody passes by; then they are dropped.
 *
 * <p>Threading: belongs to one thread at a time.
 */
final class AlarmRing {

    /** About a millisecond. A power of two, so that slots go on in order where the clock's readings overflow. */
    private static final long TICK_NANOS = 1 << 20;

    private static final int SLOTS = 2048;
    private static final long TURN_NANOS = SLOTS * TICK_NANOS; // two seconds, more than most time limits

    /** How long a cancelled alarm may stay on the list of later ones, and keep a thread alive. */
    private static final long REVIEW_NANOS = 10_000_000_000L;

    private static final int FEW = 1024;

    /** Of each slot the last alarm, whose next is the first one. All alarms of a slot are due at the same tick. */
    private final SystemAlarm[] slots = new SystemAlarm[SLOTS];

    /** The tick from which on the turn is counted, never ahead of the clock. */
    private long fromNanos;

    /** The last of those that are due after the turn; its next is the first one. */
    private @Nullable SystemAlarm later;

    private int laterOnes;
    private int laterOnesAtReview = FEW;
    private long reviewNanos;

    /** The first tick that is not before a moment. */
    static long tick(long atNanos) {
        return (atNanos + TICK_NANOS - 1) & -TICK_NANOS;
    }

    /**
     * Adds an alarm, unless it is cancelled. To be called at the time that {@link #takeDue} was asked about last.
     *
     * @return when it is due: at once when its moment is over
     */
    long add(SystemAlarm alarm) {
        long ahead = Math.max(0, alarm.dueNanos - fromNanos);
        long dueNanos = fromNanos + ahead;
        alarm.dueNanos = dueNanos;
        if (!alarm.isArmed()) {
            return dueNanos;
        }
        if (ahead < TURN_NANOS) {
            int slot = slot(dueNanos);
            slots[slot] = appended(slots[slot], alarm);
        } else {
            later = appended(later, alarm);
            laterOnes++;
            // Early enough for its slot; and soon when they have become many, since most of them may be cancelled.
            long soonest = laterOnes > laterOnesAtReview ? fromNanos : dueNanos - TURN_NANOS / 2;
            reviewNanos = laterOnes == 1 ? fromNanos + REVIEW_NANOS : reviewNanos;
            reviewNanos = Spans.earlier(reviewNanos, soonest);
        }
        return dueNanos;
    }

    /** Takes out all that are due at the first tick up to a moment, in the order they were added, linked; null when none is. */
    @Nullable
    SystemAlarm takeDue(long nowNanos) {
        while (true) {
            long first = first();
            if (first - fromNanos < TURN_NANOS && first - nowNanos <= 0) {
                fromNanos = first;
                SystemAlarm due = unlinked(slots[slot(first)]);
                slots[slot(first)] = null;
                return due;
            }
            fromNanos = nowNanos & -TICK_NANOS;
            if (later == null || reviewNanos - nowNanos > 0) {
                return null;
            }
            review();
        }
    }

    private void review() {
        SystemAlarm alarm = unlinked(later);
        later = null;
        laterOnes = 0;
        laterOnesAtReview = Integer.MAX_VALUE;
        while (alarm != null) {
            SystemAlarm after = alarm.next;
            alarm.next = null;
            add(alarm);
            alarm = after;
        }
        laterOnesAtReview = 2 * laterOnes + FEW;
    }

    boolean isEmpty() {
        return later == null && first() - fromNanos == TURN_NANOS;
    }

    /** When {@link #takeDue} has something to do next; of no meaning when this is empty. */
    long next() {
        long first = first();
        if (later == null) {
            return first;
        }
        return first - fromNanos == TURN_NANOS ? reviewNanos : Spans.earlier(first, reviewNanos);
    }

    /** The first tick with an armed alarm, or the end of the turn. */
    private long first() {
        long end = fromNanos + TURN_NANOS;
        long tick = fromNanos;
        while (tick != end && !isUsed(slot(tick))) {
            tick += TICK_NANOS;
        }
        return tick;
    }

    private boolean isUsed(int slot) {
        SystemAlarm last = slots[slot];
        while (last != null) {
            SystemAlarm first = last.next;
            if (first == null || first.isArmed()) {
                return true;
            }
            last.next = first.next;
            first.next = null;
            last = first == last ? null : last;
            slots[slot] = last;
        }
        return false;
    }

    /** Lets go of all. */
    void clear() {
        for (int slot = 0; slot < SLOTS; slot++) {
            cancelAll(unlinked(slots[slot]));
            slots[slot] = null;
        }
        cancelAll(unlinked(later));
        later = null;
        laterOnes = 0;
    }

    private static void cancelAll(@Nullable SystemAlarm first) {
        for (SystemAlarm alarm = first; alarm != null; alarm = alarm.next) {
            alarm.cancel();
        }
    }

    private static int slot(long tick) {
        return (int) (tick / TICK_NANOS) & (SLOTS - 1);
    }

    // ---- rings of alarms, known by their last one ----

    private static SystemAlarm appended(@Nullable SystemAlarm last, SystemAlarm alarm) {
        if (last == null) {
            alarm.next = alarm;
        } else {
            alarm.next = last.next;
            last.next = alarm;
        }
        return alarm;
    }

    /** The first one, from which the links lead to the last one and end. */
    private static @Nullable SystemAlarm unlinked(@Nullable SystemAlarm last) {
        if (last == null) {
            return null;
        }
        SystemAlarm first = last.next;
        last.next = null;
        return first;
    }
}
