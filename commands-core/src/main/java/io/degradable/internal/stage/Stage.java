package io.degradable.internal.stage;

import io.degradable.cache.Lookup;
import io.degradable.cache.TimedCache;
import io.degradable.internal.bulkhead.Slots;
import io.degradable.internal.guard.Call;
import io.degradable.internal.guard.Driver;
import io.degradable.internal.guard.Guard;
import io.degradable.internal.guard.GuardMeter;
import io.degradable.internal.guard.HereCall;
import io.degradable.model.CommandResult;
import io.degradable.model.FallbackContext;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import io.degradable.model.Trigger;
import io.degradable.settings.Entering;
import io.degradable.settings.StageSettings;
import io.degradable.template.StaticSnapshot;
import io.degradable.time.Lane;
import io.degradable.time.Ticker;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.annotation.Nullable;

/**
 * One link of a chain: a guard, a body, and the rule when it is entered. Primary, spare, cache and template differ in these
 * three only.
 *
 * <p>Threading: every method may be called from any thread.
 *
 * @param <C> the command
 * @param <V> what the body yields
 * @param <R> the answer
 */
public final class Stage<C, V, R> {

    /** From so many measured calls on, the figures of the last ten seconds are believed. */
    private static final int ENOUGH_SAMPLES = 20;

    private static final int HEALTHY_SUCCESS_PERCENTAGE = 90;

    private final StageSettings settings;
    private final Guard guard;
    private final StageBody<C, V, R> body;
    private final @Nullable Predicate<? super Throwable> onFailure;
    private final @Nullable Slots atMost;
    private final @Nullable Quota quota;
    private final StageRecord record;
    private final @Nullable RehearsalCounts rehearsed;

    /** Why no run enters, whatever brings it here; null when it is not closed by hand. */
    private final @Nullable StageReason closed;

    private Stage(
            StageSettings settings,
            Guard guard,
            StageBody<C, V, R> body,
            @Nullable Predicate<? super Throwable> onFailure,
            long nowNanos) {
        this(settings, guard, body, onFailure, new StageRecord(), null, nowNanos);
    }

    private Stage(
            StageSettings settings,
            Guard guard,
            StageBody<C, V, R> body,
            @Nullable Predicate<? super Throwable> onFailure,
            StageRecord record,
            @Nullable StageReason closed,
            long nowNanos) {
        this.settings = settings;
        this.guard = guard;
        this.body = body;
        this.onFailure = onFailure;
        this.record = record;
        this.rehearsed = guard.isInline() ? record.rehearsed() : null;
        this.closed = closed;
        this.atMost = record.places(settings.entry());
        this.quota = record.quota(settings.entry().quotaPerSecond(), nowNanos);
    }

    /**
     * The same stage, going on with what an earlier one of its name has kept.
     *
     * @param closed why no run enters; null when it is open
     */
    public Stage<C, V, R> with(StageRecord kept, @Nullable StageReason closed, long nowNanos) {
        return new Stage<>(settings, guard, body, onFailure, kept, closed, nowNanos);
    }

    /** {@code run()} of a command. */
    public static <C, R> Stage<C, R, R> primary(
            StageSettings settings,
            Guard guard,
            LiveCall<C, R> run,
            boolean nullIsFailure,
            List<Memory<C, ?, R>> memories,
            @Nullable Rehearsal<C> rehearsal,
            Ticker ticker) {
        PrimaryBody<C, R> body = new PrimaryBody<>(run, nullIsFailure, memories, rehearsal, ticker, guard::userMistake);
        return new Stage<>(settings, guard, body, null, ticker.nanos());
    }

    /** Another way to a live answer. */
    public static <C, R> Stage<C, R, R> spare(
            StageSettings settings,
            Guard guard,
            LiveCall<C, R> call,
            @Nullable Predicate<? super Throwable> onFailure,
            Ticker ticker) {
        SpareBody<C, R> body = new SpareBody<>(call, settings.entry().allowNull());
        return new Stage<>(settings, guard, body, onFailure, ticker.nanos());
    }

    /**
     * A read of a cache, with a freshness window.
     *
     * @param copies how they are looked up
     */
    public static <C, K, R> Stage<C, Lookup<R>, R> cached(
            StageSettings settings,
            Guard guard,
            Copies<K, R> copies,
            TimedCache<K, R> cache,
            Function<? super C, ? extends K> key,
            @Nullable Predicate<? super Throwable> onFailure,
            Ticker ticker) {
        return new Stage<>(
                settings, guard, new CacheBody<>(copies, cache, key, settings.freshness()), onFailure, ticker.nanos());
    }

    /** A template that is filled for each command. */
    public static <C, R> Stage<C, R, R> template(
            StageSettings settings,
            Guard guard,
            Function<? super C, ? extends R> fill,
            @Nullable Predicate<? super Throwable> onFailure,
            Ticker ticker) {
        return new Stage<>(settings, guard, new TemplateBody<>(fill), onFailure, ticker.nanos());
    }

    /** A template that is the same for everybody. */
    public static <C, R> Stage<C, R, R> constant(
            StageSettings settings,
            Guard guard,
            Supplier<? extends R> value,
            @Nullable Predicate<? super Throwable> onFailure,
            Ticker ticker) {
        return new Stage<>(settings, guard, new ConstantBody<>(value), onFailure, ticker.nanos());
    }

    /** A record of a snapshot, else a template. */
    public static <C, K, R> Stage<C, StaticSnapshot.Found<? extends R>, R> snapshot(
            StageSettings settings,
            Guard guard,
            StaticSnapshot<K, ? extends R> snapshot,
            Function<? super C, ? extends K> key,
            Supplier<? extends R> otherwise,
            @Nullable Predicate<? super Throwable> onFailure,
            Ticker ticker) {
        SnapshotBody<C, K, R> body = new SnapshotBody<>(snapshot, key, otherwise, guard::userMistake);
        return new Stage<>(settings, guard, body, onFailure, ticker.nanos());
    }

    /** Begins the stage as the first of a run: without a rule of entry. */
    public Call<V> beginFirst(C command, long nowNanos, long deadlineNanos, Driver toTell) {
        return !isInline() && deadlineNanos - nowNanos <= 0
                ? HereCall.skipped(nowNanos, StageReason.NO_TIME_LEFT)
                : guard.begin(body, command, null, nowNanos, deadlineNanos, toTell);
    }

    /** Begins the stage as a link of the chain, if the run may enter it. */
    public Call<V> beginNext(C command, Entrance entrance, long nowNanos, long chainEndNanos, Driver toTell) {
        guard.ensureStackRoom();
        StageReason closed = closedFor(entrance, nowNanos, chainEndNanos);
        if (closed == null && atMost != null && !atMost.tryTake()) {
            closed = StageReason.AT_MOST;
        }
        if (closed == null && quota != null && !quota.tryTake(nowNanos)) {
            giveBackPlace();
            closed = StageReason.QUOTA;
        }
        if (closed != null) {
            return HereCall.skipped(nowNanos, closed);
        }
        try {
            FallbackContext context = isInline() ? null : entrance.fallbackContext();
            return guard.begin(body, command, context, nowNanos, chainEndNanos, toTell);
        } catch (Throwable noStackLeft) {
            giveBackPlace();
            throw noStackLeft;
        }
    }

    /**
     * Calls the stage on the calling thread, without a rule of entry, see {@link Guard#call}. What its body yielded is given
     * back as it is: {@link #answer} has the answer in it.
     */
    public @Nullable V call(HereCall<V> here, @Nullable Lane lane, C command, long nowNanos, long deadlineNanos) {
        return guard.call(here, lane, body, command, null, nowNanos, deadlineNanos);
    }

    /** The answer in what the body yielded. */
    public @Nullable R answer(@Nullable V yielded) {
        return body.answer(yielded);
    }

    /** Its age; zero for a live answer, {@link CommandResult#AGELESS} for one that has none. */
    public long ageNanos(@Nullable V yielded) {
        return body.ageNanos(yielded);
    }

    /** Ends what {@link #beginFirst} began, once it is decided. Unless it is tried again, the run has {@link #left} then. */
    public Step<C, V, R> endFirst(Call<V> call) {
        guard.finish(call);
        return new Step<>(this, call);
    }

    /**
     * Counts that a run has left the stage, with the step that stands.
     *
     * @param lane what the calling thread holds; null when it holds none
     */
    public void left(@Nullable Lane lane, StageReason reason) {
        record.ended.increment(lane, reason);
    }

    /** Ends what {@link #beginNext} began, once it is decided. */
    public Step<C, V, R> endNext(Call<V> call) {
        if (!call.isSkipped()) {
            giveBackPlace();
            guard.finish(call);
            if (quota != null && call.outcome() == StageOutcome.REFUSED) {
                quota.giveBack();
            }
        }
        left(null, call.reason());
        return new Step<>(this, call);
    }

    private void giveBackPlace() {
        if (atMost != null) {
            atMost.giveBack();
        }
    }

    /** Why a run may not enter; null when it may, as far as rules go that take nothing. */
    private @Nullable StageReason closedFor(Entrance entrance, long nowNanos, long chainEndNanos) {
        if (closed != null) {
            return closed;
        }
        Route route = entrance.route();
        StageReason byRoute = route.closes(settings.kind());
        if (byRoute != null) {
            return byRoute;
        }
        Entering entering = settings.entry().entering();
        if (entering == Entering.WHEN_KNOWN && entrance.outcomeUnknown()) {
            return StageReason.OUTCOME_UNKNOWN;
        }
        if (entering == Entering.WHEN_UNKNOWN && !entrance.outcomeUnknown()) {
            return StageReason.NOT_FOR_TRIGGER;
        }
        if (route.isFull() && !isFor(entrance.trigger())) {
            return StageReason.NOT_FOR_TRIGGER;
        }
        if (onFailure != null && entrance.trigger() == Trigger.FAILURE && !guard.matches(onFailure, entrance.cause())) {
            return StageReason.NOT_FOR_FAILURE;
        }
        long leftNanos = chainEndNanos - nowNanos;
        if (!isInline() && leftNanos <= 0) {
            return StageReason.NO_TIME_LEFT;
        }
        if (entrance.trigger() == Trigger.TIMEOUT
                && settings.entry().whileHealthy()
                && !isHealthy(entrance.primary(), nowNanos, leftNanos)) {
            return StageReason.UNHEALTHY;
        }
        return null;
    }

    /** Whether it is entered for a trigger at all. */
    public boolean isFor(Trigger trigger) {
        return settings.entry().on().contains(trigger);
    }

    /** Whether no run enters it, whatever brings it here. */
    public boolean isClosed() {
        return closed != null;
    }

    /**
     * Whether nothing but the trigger decides if a run enters, nothing is taken when it does, and what is called is a look
     * into memory.
     */
    public boolean isPlain() {
        return isInline()
                && closed == null
                && onFailure == null
                && atMost == null
                && quota == null
                && settings.entry().entering() == Entering.ALWAYS;
    }

    /**
     * Whether the stage can take over from a primary that is too slow: its breaker lets calls through, and, while that is
     * closed, it mostly succeeds, answers within what it would get now, and most of the primary's calls are in time still.
     */
    private boolean isHealthy(GuardMeter primary, long nowNanos, long leftNanos) {
        if (!guard.breaker().wouldPermit(nowNanos)) {
            return false;
        }
        if (!guard.breaker().isClosed()) {
            return true; // its own probes and its ramp find out
        }
        GuardMeter.Recent own = guard.meter().recent(nowNanos);
        GuardMeter.Recent primarys = primary.recent(nowNanos);
        long limitNanos = Math.min(guard.timeoutNanos(), leftNanos);
        return (own.measured() < ENOUGH_SAMPLES || own.answered() * 100 >= own.measured() * HEALTHY_SUCCESS_PERCENTAGE)
                && (own.answered() < ENOUGH_SAMPLES || own.meanAnswerNanos() <= limitNanos)
                && (primarys.measured() < ENOUGH_SAMPLES
                        || primarys.ended(StageReason.TIMEOUT) * 2 < primarys.measured());
    }

    private boolean isInline() {
        return guard.isInline();
    }

    public StageSettings settings() {
        return settings;
    }

    public Guard guard() {
        return guard;
    }

    /** Runs of this chain that left the stage for a reason, since the start. */
    public long ended(StageReason reason) {
        return record.ended.get(reason);
    }

    /** Runs of this chain that reached the stage and have left it, entered or not. */
    public long reached() {
        return record.ended.total();
    }

    /** Asks the body without a guard, a trace or anybody to answer. */
    void rehearse(C command) {
        StageReason reason;
        long ageNanos = 0;
        try {
            V value = body.rehearse(command);
            reason = body.judge(value);
            ageNanos = body.ageNanos(value);
        } catch (Throwable thrown) {
            reason = StageReason.EXCEPTION;
        }
        if (rehearsed != null) {
            rehearsed.add(reason, ageNanos);
        }
    }

    /** How its rehearsals ended; null when it is more than a look into memory. */
    public @Nullable RehearsalCounts rehearsed() {
        return rehearsed;
    }

    StageBody<C, V, R> body() {
        return body;
    }
}
