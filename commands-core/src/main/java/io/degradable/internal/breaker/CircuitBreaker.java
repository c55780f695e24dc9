package io.degradable.internal.breaker;

import io.degradable.model.CircuitState;
import io.degradable.settings.BreakerSettings;
import io.degradable.state.CircuitView;
import io.degradable.time.Lane;
import io.degradable.time.Spans;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import javax.annotation.Nullable;

/**
 * Leaves a dependency alone while it is ill, and finds out with a few probes when it is well.
 *
 * <pre>
 *   CLOSED ----- window full of bad calls ------------------&gt; OPEN
 *   OPEN ------- open time over, first call -----------------&gt; HALF_OPEN
 *   HALF_OPEN -- enough probes good --------------------------&gt; RAMPING, first share; CLOSED if there is no ramp
 *   HALF_OPEN -- too many probes bad or never reported -------&gt; OPEN, from the second failed round on for longer
 *   RAMPING ---- step good -----------------------------------&gt; RAMPING, next share; CLOSED after the last
 *   RAMPING ---- step much worse than the one below ----------&gt; RAMPING, share below
 *   RAMPING ---- step as bad as a window that opens it -------&gt; OPEN, as a failed round
 *   any -------- forced by hand ------------------------------&gt; FORCED_OPEN, FORCED_CLOSED
 *   FORCED_OPEN ---- released --------------------------------&gt; HALF_OPEN: what is behind it is not known
 *   FORCED_CLOSED -- released --------------------------------&gt; CLOSED, nothing measured yet
 * </pre>
 *
 * <p>The state is one immutable phase in one cell. Window, stamps and probes belong to the phase, and every move is a
 * compare-and-set from the phase that asks for it: of two threads that want to move, one does and the other's wish is void,
 * and a call that was let through by an earlier phase can only write into that phase's own figures. A forced phase asks for no
 * move, so nothing but a hand ends it.
 *
 * <p>Refusals of ours never enter the window. The pattern is Michael Nygard's ("Release It!"), the ramp after it the slow
 * start of load balancers.
 *
 * <p>Threading: every method may be called from any thread; none blocks.
 */
public final class CircuitBreaker {

    private static final VarHandle PHASE;

    static {
        try {
            PHASE = MethodHandles.lookup().findVarHandle(CircuitBreaker.class, "phase", Phase.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Told of each move, once, by the thread that has made it. */
    @FunctionalInterface
    public interface Watcher {

        /**
         * It has moved.
         *
         * @param why as {@link #explain} has it
         * @param byHand whether somebody held or released it
         */
        void moved(CircuitState from, CircuitState to, String why, boolean byHand);
    }

    /** What it is set to; it changes as a whole. */
    record Tuning(BreakerSettings settings, Rates rates, long leaseNanos, long slowNanos) {}

    private final @Nullable Watcher watcher;
    private final DoubleSupplier jitter;
    private final LongAdder opened = new LongAdder();
    private volatile Tuning tuning;
    private volatile Phase phase;

    /**
     * A closed breaker.
     *
     * @param leaseNanos how long a probe may take before it counts as failed
     * @param slowNanos from when on a call in flight counts as slow; {@link Spans#FOREVER} for never
     * @param nowNanos the moment the first window begins to fill
     */
    public CircuitBreaker(BreakerSettings settings, long leaseNanos, long slowNanos, long nowNanos) {
        this(settings, leaseNanos, slowNanos, nowNanos, (Watcher) null);
    }

    /**
     * A closed breaker.
     *
     * @param leaseNanos how long a probe may take before it counts as failed
     * @param slowNanos from when on a call in flight counts as slow; {@link Spans#FOREVER} for never
     * @param nowNanos the moment the first window begins to fill
     * @param watcher told of each move; null when nobody wants to know
     */
    public CircuitBreaker(
            BreakerSettings settings, long leaseNanos, long slowNanos, long nowNanos, @Nullable Watcher watcher) {
        this(
                settings,
                leaseNanos,
                slowNanos,
                nowNanos,
                () -> ThreadLocalRandom.current().nextDouble(),
                watcher);
    }

    // jitter, 0 to 1: which part of the jitter's tenth a grown open time is cut by
    CircuitBreaker(BreakerSettings settings, long leaseNanos, long slowNanos, long nowNanos, DoubleSupplier jitter) {
        this(settings, leaseNanos, slowNanos, nowNanos, jitter, null);
    }

    CircuitBreaker(
            BreakerSettings settings,
            long leaseNanos,
            long slowNanos,
            long nowNanos,
            DoubleSupplier jitter,
            @Nullable Watcher watcher) {
        this.watcher = watcher;
        this.jitter = jitter;
        this.tuning = new Tuning(settings, Rates.of(settings), leaseNanos, slowNanos);
        this.phase = settings.enabled() ? new Closed(this, Why.NEW, nowNanos) : new Disabled(nowNanos);
    }

    /**
     * Sets it to something else while it works: what it has measured and the state that it is in stay, an open time grows or
     * shrinks at once, a ramp goes on as it began. The window itself, its buckets and {@code countWindow}, must be as before.
     * One thread at a time.
     *
     * @param leaseNanos how long a probe may take before it counts as failed
     * @param slowNanos from when on a call in flight counts as slow; {@link Spans#FOREVER} for never
     * @return tells the watcher, if there is something to tell; for who holds a lock
     */
    public Runnable configure(BreakerSettings settings, long leaseNanos, long slowNanos, long nowNanos) {
        Tuning wanted = new Tuning(settings, Rates.of(settings), leaseNanos, slowNanos);
        if (wanted.equals(tuning)) {
            return CircuitBreaker::nothing;
        }
        tuning = wanted; // before it looks at the phase: who moves it meanwhile looks here afterwards
        Runnable telling;
        do {
            telling = retune(phase, nowNanos);
        } while (telling == null);
        return telling;
    }

    private static void nothing() {}

    /** Returns what tells of it; null when somebody else has moved on from {@code from}. */
    private @Nullable Runnable retune(Phase from, long nowNanos) {
        Phase to = from.retuned(this, tuning, nowNanos);
        if (to == from) {
            return CircuitBreaker::nothing;
        }
        if (!PHASE.compareAndSet(this, from, to)) {
            return null;
        }
        return to.getClass() == from.getClass() ? CircuitBreaker::nothing : () -> tell(from, to);
    }

    /**
     * A permit for one call, to be settled exactly once; null when the call must not be made.
     *
     * @param lane what the calling thread holds; null when it holds none
     */
    public @Nullable Permit tryAcquire(@Nullable Lane lane, long nowNanos) {
        return phase.tryAcquire(lane, nowNanos);
    }

    /** The same for who holds no lane. */
    public @Nullable Permit tryAcquire(long nowNanos) {
        return tryAcquire(null, nowNanos);
    }

    /**
     * Whether a call may be let through now. Takes no permit, so the answer may be outdated at once, and a ramp, which counts
     * off those who ask, says yes to all.
     */
    public boolean wouldPermit(long nowNanos) {
        return current(nowNanos).wouldPermit(nowNanos);
    }

    /** Whether it lets every call through. */
    public boolean isClosed() {
        Phase now = phase;
        return now instanceof Closed || now instanceof ForcedClosed || now instanceof Disabled;
    }

    /** Whether it has nothing to remember. Asks only: unlike a look at the state it moves nothing, so it tells nobody. */
    public boolean isAtRest() {
        Phase now = phase;
        return now instanceof Closed || now instanceof Disabled;
    }

    /** What it does with calls now. An open time that is over reads as half-open, and so does nothing else. */
    public CircuitState state(long nowNanos) {
        return current(nowNanos).state(nowNanos);
    }

    /** All there is to know about it, of one phase. */
    public CircuitView explain(long nowNanos) {
        Phase current = current(nowNanos);
        return new CircuitView(
                current.state(nowNanos),
                Duration.ofNanos(nowNanos - current.sinceNanos(nowNanos)),
                current.why().text(),
                Duration.ofNanos(current.openForNanos(nowNanos)),
                current.window(nowNanos),
                current.probes(nowNanos),
                current.ramp(nowNanos),
                current.failedRounds(),
                opened(),
                current.forcedBy());
    }

    /** How often it has opened by itself. */
    public long opened() {
        return opened.sum();
    }

    /**
     * Holds it open until it is forced otherwise or released, whatever it was, even switched off. Calls in flight end, and
     * move nothing. What was measured is given up, and nothing is measured.
     *
     * @param by who, for people to read
     */
    public void forceOpen(String by, long nowNanos) {
        force(new ForcedOpen(by, nowNanos));
    }

    /**
     * Holds it closed until it is forced otherwise or released, whatever it was. It measures anew, to be looked at only.
     *
     * @param by who, for people to read
     */
    public void forceClosed(String by, long nowNanos) {
        force(new ForcedClosed(this, by, nowNanos));
    }

    private void force(Phase held) {
        forceQuietly(held).run();
    }

    /** The same as {@link #forceOpen}; the watcher is told by what is returned. */
    public Runnable forceOpenQuietly(String by, long nowNanos) {
        return forceQuietly(new ForcedOpen(by, nowNanos));
    }

    /** The same as {@link #forceClosed}; the watcher is told by what is returned. */
    public Runnable forceClosedQuietly(String by, long nowNanos) {
        return forceQuietly(new ForcedClosed(this, by, nowNanos));
    }

    private Runnable forceQuietly(Phase held) {
        Phase before = (Phase) PHASE.getAndSet(this, held);
        retuneIfLate(held);
        return () -> tell(before, held);
    }

    /**
     * Lets it move by itself again: from held open to half-open, since nobody knows how the dependency is; from held closed
     * to closed with nothing measured. Says whether it was held.
     *
     * @param by who, for people to read
     */
    public boolean release(String by, long nowNanos) {
        while (true) {
            Phase forced = phase;
            if (!(forced instanceof ForcedOpen || forced instanceof ForcedClosed)) {
                return false;
            }
            Why released = Why.by(Why.Rule.RELEASED, by);
            Phase next;
            if (!settings().enabled()) {
                next = new Disabled(nowNanos);
            } else if (forced instanceof ForcedOpen) {
                next = new HalfOpen(this, released, 0, nowNanos);
            } else {
                next = new Closed(this, released, nowNanos);
            }
            if (move(forced, next)) {
                return true;
            }
        }
    }

    private Phase current(long nowNanos) {
        phase.refresh(nowNanos);
        return phase;
    }

    /** The one way to change the phase. A lost race is a no-op: somebody else has moved on from {@code from}. */
    boolean move(Phase from, Phase to) {
        if (!PHASE.compareAndSet(this, from, to)) {
            return false;
        }
        if (to instanceof Open) {
            opened.increment();
        }
        tell(from, to);
        retuneIfLate(to);
        return true;
    }

    /** A phase that was made before {@link #configure} and takes its place after it. */
    private void retuneIfLate(Phase placed) {
        Runnable telling = retune(placed, placed.sinceNanos(0));
        if (telling != null) { // else the next one to move has looked, too
            telling.run();
        }
    }

    private void tell(Phase from, Phase to) {
        if (watcher == null) {
            return;
        }
        try {
            watcher.moved(stateOf(from), stateOf(to), to.why().text(), to.why().isByHand());
        } catch (Throwable noStackLeft) {
            // The move stands, whether or not there is room to tell of it.
        }
    }

    /** What the phase itself is; an open time that is over reads as half-open, and is not. */
    private static CircuitState stateOf(Phase phase) {
        return phase instanceof Open open ? open.state(open.fromNanos()) : phase.state(0);
    }

    /** Opens after {@code failedRounds} half-open phases or ramps that failed since it was last closed. */
    boolean open(Phase from, int failedRounds, Why why, long nowNanos) {
        return move(from, new Open(this, why, failedRounds, nowNanos, jitter.getAsDouble()));
    }

    /** A closed phase could not open it. If what stands now has the same figures, that one can. */
    void openIfStill(Measurement tooBad, long nowNanos) {
        if (phase instanceof Closed now && now.hasFiguresOf(tooBad)) {
            now.opens(nowNanos);
        }
    }

    /** Goes on from half-open. */
    void recover(HalfOpen from, Why why, long nowNanos) {
        BreakerSettings now = settings(); // once: a ramp without shares could not be left
        move(
                from,
                now.rampShares().isEmpty()
                        ? new Closed(this, why, nowNanos)
                        : new Ramping(now, this, why, from.failedRounds(), nowNanos));
    }

    /** Asks the phase that stands now, after a move of ours or of another thread. */
    @Nullable
    Permit retry(@Nullable Lane lane, long nowNanos) {
        return phase.tryAcquire(lane, nowNanos);
    }

    Tuning tuning() {
        return tuning;
    }

    BreakerSettings settings() {
        return tuning.settings();
    }

    Rates rates() {
        return tuning.rates();
    }

    long leaseNanos() {
        return tuning.leaseNanos();
    }

    Measurement newMeasurement(long nowNanos) {
        return new Measurement(this, tuning, nowNanos);
    }

    /**
     * How long it stays open.
     *
     * @param cut 0 to 1: which part of the jitter's tenth a grown time is cut by
     */
    long openNanos(int failedRounds, double cut) {
        BreakerSettings settings = settings();
        long first = Spans.nanos(settings.sleepWindow());
        if (failedRounds < 2) {
            return first; // exactly what was asked for: only grown times are spread
        }
        long longest = Spans.nanos(settings.maxSleepWindow());
        long grown = first;
        for (int doubling = 1; doubling < failedRounds && grown < longest; doubling++) {
            grown = Math.min(longest, grown * 2);
        }
        return Math.max(first, grown - (long) (grown * 0.1 * cut));
    }
}
