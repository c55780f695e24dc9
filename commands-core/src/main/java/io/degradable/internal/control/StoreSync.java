package io.degradable.internal.control;

import io.degradable.control.OverrideStore;
import io.degradable.control.OverrideStore.Entry;
import io.degradable.control.StoreState;
import io.degradable.time.Ticker;
import io.degradable.time.Timer;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Agrees with a store: loads everything, takes over what is later there, saves what is later here or absent there. To do
 * that again does no harm, so it is done whenever either side may have changed, and after a failure until it has worked.
 *
 * <pre>
 *   idle --request--> running --request--> again
 *   again --it has worked--> running
 *   running --it has worked--> idle
 *   running, again --it has failed--> idle, and a request after 1 s, then 2 s, 4 s, ... 30 s
 * </pre>
 *
 * <p>Threading: every method may be called from any thread; none blocks but {@link #start}. A store that hangs holds one
 * thread.
 */
final class StoreSync {

    private static final long FIRST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LAST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int LONGEST_FAULT = 500;

    private enum Phase {
        IDLE,
        RUNNING,
        AGAIN,
        CLOSED
    }

    /** How the last attempt went. */
    private record Health(boolean reachable, Optional<Instant> since, String lastFault) {}

    private final OverrideStore store;
    private final Ledger ledger;
    private final Ticker ticker;
    private final Predicate<Runnable> aside;
    private final Consumer<List<Move>> tell;
    private final Runnable whenAtRest;
    private final OneAlarm retry;
    private final Runnable whenDue = this::request;
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.IDLE);

    // Of the thread that runs it; handed on by the phase.
    private long retryNanos = FIRST_RETRY_NANOS;

    private volatile Health health = new Health(false, Optional.empty(), "");
    private final AtomicReference<AutoCloseable> watch = new AtomicReference<>();

    /**
     * The agreement with a store.
     *
     * @param tell tells of what has moved
     * @param whenAtRest told when nothing is under way any more
     */
    StoreSync(
            OverrideStore store,
            Ledger ledger,
            Ticker ticker,
            Timer timer,
            Predicate<Runnable> aside,
            Consumer<List<Move>> tell,
            Runnable whenAtRest) {
        this.store = store;
        this.ledger = ledger;
        this.ticker = ticker;
        this.aside = aside;
        this.tell = tell;
        this.whenAtRest = whenAtRest;
        this.retry = new OneAlarm(timer);
    }

    /** Tries it once on the calling thread. */
    void start() {
        if (phase.compareAndSet(Phase.IDLE, Phase.RUNNING)) {
            if (once() && !phase.compareAndSet(Phase.RUNNING, Phase.IDLE)) {
                begin(); // somebody has asked for it again, and the calling thread has other things to do
            }
        }
    }

    /** Has it done on another thread, once more when it is being done. */
    void request() {
        while (!phase.compareAndSet(Phase.RUNNING, Phase.AGAIN)) {
            if (phase.compareAndSet(Phase.IDLE, Phase.RUNNING)) {
                begin();
                return;
            }
            Phase now = phase.get();
            if (now == Phase.AGAIN || now == Phase.CLOSED) {
                return;
            }
        }
    }

    private void begin() {
        if (!aside.test(this::run)) {
            failed("there is no thread to ask it on");
            toIdle();
            whenAtRest.run();
        }
    }

    private void run() {
        try {
            boolean more = true;
            while (more) {
                phase.compareAndSet(Phase.AGAIN, Phase.RUNNING); // what it was asked for is done now
                boolean unused = Thread.interrupted(); // before the end is asked for, whose interrupt is for the store
                more = once() && !phase.compareAndSet(Phase.RUNNING, Phase.IDLE) && !isClosed();
            }
        } finally {
            whenAtRest.run();
        }
    }

    /** Whether it has worked; if not this is idle, and tried again later. */
    private boolean once() {
        if (isClosed()) {
            return false;
        }
        try {
            agree();
            retryNanos = FIRST_RETRY_NANOS;
            retry.cancel();
            Health before = health;
            health = new Health(true, before.reachable ? before.since : now(), before.lastFault);
            return true;
        } catch (Throwable failure) { // of the store
            failed(failure.toString());
            toIdle(); // what was asked for meanwhile is done then, too
            return false;
        }
    }

    private void agree() throws Exception {
        watch();
        Ledger.Merge merge = ledger.merge(Map.copyOf(store.load()));
        tell.accept(merge.moves());
        if (!merge.missing().isEmpty() && !isClosed()) {
            Map<String, Entry> entries = new TreeMap<>();
            merge.missing().forEach((key, missing) -> entries.put(key, missing.entry));
            store.save(entries);
            ledger.saved(merge.missing().values());
        }
    }

    /** Before the first look, so that nothing is missed in between. */
    private void watch() throws Exception {
        if (watch.get() == null) {
            watch.set(store.watch(this::request));
            if (isClosed()) { // asked after it is there: who closes sees it, or is seen
                endWatch();
            }
        }
    }

    private void failed(String fault) {
        Health before = health;
        boolean wasDown = !before.reachable && before.since.isPresent();
        String shown = fault.length() > LONGEST_FAULT ? fault.substring(0, LONGEST_FAULT) + "..." : fault;
        health = new Health(false, wasDown ? before.since : now(), shown);
        if (!retry.isSet()) { // requests in between do not put it off
            retry.set(ticker.nanos() + retryNanos, whenDue);
            retryNanos = Math.min(2 * retryNanos, LAST_RETRY_NANOS);
        }
    }

    private Optional<Instant> now() {
        return Optional.of(Instant.ofEpochMilli(ticker.epochMillis()));
    }

    private void toIdle() {
        if (!phase.compareAndSet(Phase.RUNNING, Phase.IDLE)) {
            phase.compareAndSet(Phase.AGAIN, Phase.IDLE);
        }
    }

    /** Whether the last attempt has worked. */
    boolean isReachable() {
        return health.reachable;
    }

    /** Whether it is being done, or about to be. */
    boolean isUnderWay() {
        Phase now = phase.get();
        return now == Phase.RUNNING || now == Phase.AGAIN;
    }

    StoreState state() {
        Health now = health;
        return new StoreState(
                store.name(), now.reachable, now.since, now.lastFault, ledger.waiting(), ledger.unreadable());
    }

    private boolean isClosed() {
        return phase.get() == Phase.CLOSED;
    }

    void close() {
        phase.set(Phase.CLOSED);
        retry.close();
        endWatch();
    }

    private void endWatch() {
        AutoCloseable ended = watch.getAndSet(null);
        if (ended != null) {
            try {
                ended.close();
            } catch (Exception failure) {
                Health before = health;
                health = new Health(before.reachable, before.since, failure.toString());
            }
        }
    }
}
