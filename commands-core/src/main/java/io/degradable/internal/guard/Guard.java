package io.degradable.internal.guard;

import io.degradable.internal.breaker.CircuitBreaker;
import io.degradable.internal.breaker.CircuitBreaker.Watcher;
import io.degradable.internal.breaker.Permit;
import io.degradable.internal.breaker.Verdict;
import io.degradable.internal.bulkhead.Bulkhead;
import io.degradable.internal.bulkhead.InlineBulkhead;
import io.degradable.internal.bulkhead.SemaphoreBulkhead;
import io.degradable.internal.bulkhead.Slots;
import io.degradable.internal.bulkhead.WorkerBulkhead;
import io.degradable.model.FallbackContext;
import io.degradable.model.StageReason;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.GuardSettings;
import io.degradable.time.Lane;
import io.degradable.time.Spans;
import io.degradable.time.Ticker;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/**
 * Breaker, bulkhead, time limit and meter around one body. Every stage of every chain has one; a command that serves as a
 * spare has the same one as for its direct users.
 *
 * <p>Threading: every method may be called from any thread; bodies run where the bulkhead says.
 */
public final class Guard {

    /** A probe may take its stage's time limit and this long on top. */
    private static final long LEASE_MARGIN_NANOS = 1_000_000_000L;

    /** A probe without a time limit: one that hangs must not keep everybody out for ever. */
    private static final long UNLIMITED_LEASE_NANOS = 60_000_000_000L;

    private final GuardSettings settings;
    private final Bulkhead bulkhead;
    private final CircuitBreaker breaker;
    private final FailureRules rules;
    private final GuardMeter meter;
    private final Runnable onMistake;
    private final Ticker ticker;
    private final Executor interrupts;
    private final long timeoutNanos;
    private final long slowNanos;
    private final long queueNanos;

    /** What a test has put in here; null in production. */
    private volatile @Nullable Fault injected;

    /**
     * A guard with a breaker and a meter of its own.
     *
     * @param interrupts runs what interrupts a body: soon, and where nobody minds if it is held up
     */
    public Guard(GuardSettings settings, Bulkhead bulkhead, FailureRules rules, Ticker ticker, Executor interrupts) {
        this(settings, bulkhead, rules, ticker, interrupts, null);
    }

    /**
     * A guard with a breaker and a meter of its own.
     *
     * @param watcher told of each move of the breaker; null when nobody wants to know
     */
    public Guard(
            GuardSettings settings,
            Bulkhead bulkhead,
            FailureRules rules,
            Ticker ticker,
            Executor interrupts,
            @Nullable Watcher watcher) {
        this(
                settings,
                bulkhead,
                rules,
                ticker,
                interrupts,
                newBreaker(settings, ticker, watcher),
                new GuardMeter(ticker.nanos()));
    }

    private Guard(
            GuardSettings settings,
            Bulkhead bulkhead,
            FailureRules rules,
            Ticker ticker,
            Executor interrupts,
            CircuitBreaker breaker,
            GuardMeter meter) {
        this.settings = settings;
        this.bulkhead = bulkhead;
        this.rules = rules;
        this.ticker = ticker;
        this.interrupts = interrupts;
        this.timeoutNanos = Spans.nanos(settings.timeout());
        this.slowNanos = Spans.nanos(settings.slowCall());
        this.queueNanos = settings.bulkhead() instanceof BulkheadSettings.ThreadPool pool
                ? Spans.nanos(pool.queueTimeout())
                : Spans.FOREVER;
        this.breaker = breaker;
        this.meter = meter;
        this.onMistake = meter::userMistake;
    }

    private static CircuitBreaker newBreaker(GuardSettings settings, Ticker ticker, @Nullable Watcher watcher) {
        return new CircuitBreaker(
                settings.breaker(), leaseNanos(settings), Spans.nanos(settings.slowCall()), ticker.nanos(), watcher);
    }

    private static long leaseNanos(GuardSettings settings) {
        boolean limited = Spans.nanos(settings.timeout()) < Spans.FOREVER;
        return limited ? Spans.nanos(settings.timeout()) + LEASE_MARGIN_NANOS : UNLIMITED_LEASE_NANOS;
    }

    /**
     * The guard for calls that begin from now on, under other settings. Breaker, bulkhead and meter are the same and keep what
     * they know; calls in flight end under the settings that they began with. One thread at a time.
     *
     * @param telling gets what tells of a breaker that this has moved, to be run when no lock is held
     */
    public Guard retuned(GuardSettings other, Consumer<? super Runnable> telling) {
        if (other.equals(settings)) {
            return this;
        }
        telling.accept(
                breaker.configure(other.breaker(), leaseNanos(other), Spans.nanos(other.slowCall()), ticker.nanos()));
        Guard made = sharing(other, bulkhead, rules);
        made.injected = injected;
        return made;
    }

    /** A guard that shares breaker and meter with this one. */
    public Guard sharing(GuardSettings own, Bulkhead bulkhead, FailureRules rules) {
        return new Guard(own, bulkhead, rules, ticker, interrupts, breaker, meter);
    }

    /**
     * Begins to run a body, if breaker and bulkhead let it. Throws nothing but what the end of the memory
     * brings. What runs on the calling thread has ended on return. What goes to a worker is decided later, and then the
     * driver calls {@link #finish}.
     *
     * <p>The order of the protections is here and in {@link #call}, which does without what a worker needs: a permit, a slot,
     * the body under its limit.
     *
     * @param startNanos the moment it is called, as the caller has read it
     * @param deadlineNanos when the run must be over
     * @param toTell is told when somebody else has decided
     */
    public <C, V> Call<V> begin(
            Body<C, V> body,
            C command,
            @Nullable FallbackContext context,
            long startNanos,
            long deadlineNanos,
            Driver toTell) {
        if (!(bulkhead instanceof WorkerBulkhead workers)) {
            HereCall<V> here = new HereCall<>();
            here.value = call(here, null, body, command, context, startNanos, deadlineNanos);
            return here;
        }
        Fault fault = injected;
        Body<C, V> toRun = fault == null ? body : fault.around(body, ticker);
        Permit permit = breaker.tryAcquire(startNanos);
        if (permit == null || (fault != null && fault.refuses())) {
            return refused(permit, permit == null ? StageReason.SHORT_CIRCUITED : workers.full(), startNanos);
        }
        if (workers.isCalledByWorker()) {
            // In the slot that this worker holds: to wait for another could be to wait for itself.
            return here(permit, toRun, command, context, startNanos, deadlineNanos);
        }
        if (workers.tryEnter()) {
            Attempt<C, V> attempt = new Attempt<>(this, toRun, command, context, startNanos);
            attempt.admit(permit, startNanos + timeoutNanos, deadlineNanos, queueNanos);
            attempt.startOn(workers, toTell);
            return attempt;
        }
        if (breaker.isClosed() && workers.tryEnterAsCaller()) {
            try {
                return here(permit, toRun, command, context, startNanos, deadlineNanos);
            } finally {
                workers.exitAsCaller();
            }
        }
        return refused(permit, workers.full(), startNanos);
    }

    private <V> HereCall<V> refused(@Nullable Permit permit, StageReason why, long startNanos) {
        HereCall<V> here = new HereCall<>();
        here.begin(startNanos);
        here.refuse(why);
        end(here, null, permit);
        return here;
    }

    private <C, V> HereCall<V> here(
            Permit permit,
            Body<C, V> body,
            C command,
            @Nullable FallbackContext context,
            long startNanos,
            long deadlineNanos) {
        HereCall<V> here = new HereCall<>();
        here.begin(startNanos);
        here.value = here.run(this, null, body, command, context, deadlineNanos, true);
        end(here, null, permit);
        return here;
    }

    /**
     * Calls a body on the calling thread, if breaker and bulkhead let it, and books how that ended. Only where
     * {@link #isHere}.
     *
     * @param here where it is recorded how it ended
     * @param lane what the calling thread holds; null when it holds none
     * @return what the body yielded
     */
    public <C, V> @Nullable V call(
            HereCall<V> here,
            @Nullable Lane lane,
            Body<C, V> body,
            C command,
            @Nullable FallbackContext context,
            long startNanos,
            long deadlineNanos) {
        Fault fault = injected;
        if (fault == null && body.isConstant()) {
            here.begin(startNanos);
            V constant = here.take(body); // there is nothing to protect, and nothing to be protected from
            meter.ended(lane, here);
            return constant;
        }
        Body<C, V> toRun = fault == null ? body : fault.around(body, ticker);
        here.begin(startNanos);
        Permit permit = breaker.tryAcquire(lane, startNanos);
        V yielded = null;
        if (permit == null) {
            here.refuse(StageReason.SHORT_CIRCUITED);
        } else if (fault != null && fault.refuses()) {
            here.refuse(bulkhead.full());
        } else {
            try {
                yielded = bulkhead instanceof SemaphoreBulkhead semaphore
                        ? callInSlot(semaphore, semaphore.slots(), here, lane, toRun, command, context, deadlineNanos)
                        : here.run(this, lane, toRun, command, context, deadlineNanos, false);
            } catch (Throwable noStackLeft) {
                // If there is room for it; else its lease expires.
                permit.settle(lane, Verdict.UNUSED, startNanos, startNanos);
                throw noStackLeft;
            }
        }
        end(here, lane, permit);
        return yielded;
    }

    private <C, V> @Nullable V callInSlot(
            SemaphoreBulkhead semaphore,
            Slots slots,
            HereCall<V> here,
            @Nullable Lane lane,
            Body<C, V> body,
            C command,
            @Nullable FallbackContext context,
            long deadlineNanos) {
        if (!semaphore.tryEnter()) {
            here.refuse(semaphore.full());
            return null;
        }
        try {
            return here.run(this, lane, body, command, context, deadlineNanos, true);
        } finally {
            try {
                semaphore.exit();
            } catch (StackOverflowError noStackLeft) {
                slots.owed++;
            }
        }
    }

    /** Books what has ended here: the permit is settled and the meter moved, once. */
    private void end(HereCall<?> here, @Nullable Lane lane, @Nullable Permit permit) {
        if (permit != null) {
            Verdict verdict = verdict(here.bodyReason(), here.bodyStarted, here.endNanos - here.startNanos);
            permit.settle(lane, verdict, here.startNanos, here.endNanos);
        }
        meter.ended(lane, here);
    }

    /** Books what was decided on a worker; what was called here is booked already. */
    public void finish(Call<?> call) {
        if (call instanceof Attempt<?, ?> attempt) {
            attempt.close();
            meter.ended(null, attempt);
        }
    }

    /** Whether bodies run on the threads of those who call. */
    public boolean isHere() {
        return !(bulkhead instanceof WorkerBulkhead);
    }

    /** Whether a rule of the user takes a failure in; no rule takes in all. */
    public boolean matches(@Nullable Predicate<? super Throwable> rule, Throwable failure) {
        return rule == null || FailureRules.matches(rule, failure, onMistake);
    }

    /** Lets what begins from now on meet a trouble; null ends that. For tests. */
    public void inject(@Nullable Fault fault) {
        injected = fault;
    }

    /** Counts a function of the user that threw. */
    public void userMistake() {
        meter.userMistake();
    }

    /** Makes sure that the calling thread has enough of its stack left to hand a body over, if it is going to. */
    public void ensureStackRoom() {
        if (bulkhead instanceof WorkerBulkhead) {
            StackRoom.forHandOver();
        }
    }

    /** Whether the body only looks something up in memory: it is read however little time is left. */
    public boolean isInline() {
        return bulkhead == InlineBulkhead.INSTANCE;
    }

    public long timeoutNanos() {
        return timeoutNanos;
    }

    /** What the breaker learns from the end of a body. */
    Verdict verdict(@Nullable StageReason reason, boolean bodyStarted, long elapsedNanos) {
        if (!bodyStarted || reason == null) {
            return Verdict.UNUSED;
        }
        return switch (reason) {
            case ANSWER, ABSENT, TOO_OLD, FROM_THE_FUTURE, NULL_ANSWER ->
                elapsedNanos > slowNanos ? Verdict.SLOW : Verdict.GOOD;
            case EXCEPTION, FATAL, TIMEOUT -> Verdict.FAILED;
            default -> Verdict.UNUSED;
        };
    }

    /** Whether a write whose body failed so may have been done all the same. */
    public boolean leavesOutcomeUnknown(Throwable failure) {
        return rules.leavesOutcomeUnknown(failure, onMistake);
    }

    StageReason classify(Throwable failure) {
        return rules.classify(failure, onMistake);
    }

    /** Whether no body runs, not even one whose caller has gone, and the breaker has nothing to remember. */
    public boolean isAtRest() {
        return meter.orphans() == 0 && breaker.isAtRest();
    }

    long now() {
        return ticker.nanos();
    }

    void await(Object blocker, long untilNanos) {
        ticker.await(blocker, untilNanos);
    }

    void handOverInterrupt(Runnable interrupt) {
        interrupts.execute(interrupt);
    }

    Ticker ticker() {
        return ticker;
    }

    public GuardSettings settings() {
        return settings;
    }

    public Bulkhead bulkhead() {
        return bulkhead;
    }

    public CircuitBreaker breaker() {
        return breaker;
    }

    public GuardMeter meter() {
        return meter;
    }
}
