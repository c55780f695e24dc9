package io.degradable.internal.control;

import io.degradable.time.Ticker;
import io.degradable.time.Timer;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.annotation.Nullable;

/**
 * Ends holds when they are over: an alarm for the first one, which hands off to another thread.
 *
 * <p>Threading: every method may be called from any thread.
 */
final class Expiries {

    private static final long NO_THREAD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Ticker ticker;
    private final Predicate<Runnable> aside;
    private final Supplier<Table> table;
    private final Runnable expire;
    private final OneAlarm alarm;
    private final Runnable whenDue = this::handOff;

    /** Whether holds are about to be ended, after which the alarm is set anew; guarded by this. */
    private boolean handedOff;

    /** @param expire ends what is over, and then asks for {@link #rearm} */
    Expiries(Ticker ticker, Timer timer, Predicate<Runnable> aside, Supplier<Table> table, Runnable expire) {
        this.ticker = ticker;
        this.aside = aside;
        this.table = table;
        this.expire = expire;
        this.alarm = new OneAlarm(timer);
    }

    /** Sets the alarm for what ends first; to be called after each change. */
    synchronized void rearm() {
        if (!handedOff) {
            Held first = first();
            if (first == null) {
                alarm.cancel();
            } else {
                alarm.set(first.expiresNanos(), whenDue);
            }
        }
    }

    /** Looked at under the lock: whoever comes last has seen the last change. */
    private @Nullable Held first() {
        return table.get().endsFirst;
    }

    private void handOff() {
        synchronized (this) {
            handedOff = true;
        }
        if (!aside.test(this::expire)) {
            alarm.set(ticker.nanos() + NO_THREAD_NANOS, whenDue);
        }
    }

    private void expire() {
        synchronized (this) {
            handedOff = false;
        }
        expire.run();
    }

    void close() {
        alarm.close();
    }
}
