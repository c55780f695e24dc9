package io.degradable;

import io.degradable.model.Source;
import io.degradable.settings.ChainRules;
import io.degradable.settings.GuardSettings;
import io.degradable.settings.Require;
import io.degradable.settings.ShortCutSettings;
import io.degradable.settings.StageSettings;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/**
 * When a stage is entered, and the guard around it. Of a cache the guard stands around the store behind it, where the
 * container has one; memory is read without.
 */
public final class StageSpec extends EntrySpec<StageSpec> {

    private static final int STORE_THREADS = 8;

    private @Nullable Consumer<? super ThreadPoolSpec> pool;
    private @Nullable Duration timeout;
    private @Nullable Consumer<? super BreakerSpec> breaker;
    private boolean interruptOnTimeout = true;
    private @Nullable Duration beforePrimary;
    private double refillPerSecond;

    StageSpec(Source kind) {
        super(kind, 0);
    }

    /** The stage's own pool; default: as many threads as the primary may use, 8 for a store; no queue. */
    public StageSpec threadPool(Consumer<? super ThreadPoolSpec> pool) {
        this.pool = Objects.requireNonNull(pool, "threadPool must not be null");
        return this;
    }

    /** The stage's own limit, at most the chain's budget; default: the primary's timeout, 50 ms for a store, cut to the budget. */
    public StageSpec timeout(Duration timeout) {
        said.add("timeout");
        this.timeout = Objects.requireNonNull(timeout, "timeout must not be null");
        return this;
    }

    /** The stage's own breaker; default: the breaker's defaults. */
    public StageSpec circuitBreaker(Consumer<? super BreakerSpec> breaker) {
        this.breaker = Objects.requireNonNull(breaker, "circuitBreaker must not be null");
        return this;
    }

    /** Whether the worker is interrupted when nobody waits for it any more; default true. */
    public StageSpec interruptOnTimeout(boolean interrupt) {
        said.add("interruptOnTimeout");
        this.interruptOnTimeout = interrupt;
        return this;
    }

    /** Takes null for an answer of this stage. Default: null is a miss, and the next stage is asked. */
    public StageSpec allowNull() {
        this.allowNull = true;
        return this;
    }

    /**
     * Serves the copies of this cache without asking the primary, as long as they are young; such a call is degraded, with the
     * trigger {@code RESPONSE_FROM_CACHE} and the copy's age. Of the calls of one key that find no such copy, one goes on to the
     * primary; the others get an older copy, within the freshness window, or wait for the new one. Default: the primary is
     * always asked first.
     *
     * @param youngerThan up to which age, inclusive; at most the freshness window. Each key takes up to a tenth less, so that
     *     what was written at one moment is not fetched anew at one moment
     */
    public StageSpec beforePrimary(Duration youngerThan) {
        this.beforePrimary = Objects.requireNonNull(youngerThan, "beforePrimary must not be null");
        return this;
    }

    /**
     * With {@link #beforePrimary}: how many calls a second may go on to the primary for want of a young copy, as when the whole
     * cache is gone; the others are answered by the chain, with the trigger {@code OVERLOADED}. Default: as many as the
     * primary's bulkhead has room for.
     *
     * @param perSecond from 0.000001 to 1,000,000,000
     */
    public StageSpec refill(double perSecond) {
        Require.that(perSecond > 0, "refill must be positive, was " + perSecond);
        this.refillPerSecond = perSecond;
        return this;
    }

    /** When copies of a stage are served before the primary is asked; null for never. */
    @Nullable
    ShortCutSettings shortCut(String stage, Duration freshness) {
        Require.that(
                beforePrimary != null || refillPerSecond == 0,
                "refill is for a cache that is read before the primary: say beforePrimary(...), too");
        if (beforePrimary == null) {
            return null;
        }
        ChainRules.beforePrimary(beforePrimary, freshness);
        return new ShortCutSettings(stage, beforePrimary, refillPerSecond);
    }

    /** Refuses what is for caches only. */
    void requireNoShortCut(String stage) {
        Require.that(
                beforePrimary == null && refillPerSecond == 0,
                stage + " takes no beforePrimary(...) or refill(...): only a cache has copies");
    }

    @Override
    StageSpec self() {
        return this;
    }

    /** Whether a refill was set. */
    boolean setsRefill() {
        return refillPerSecond > 0;
    }

    boolean setsMoreThanEntry() {
        return pool != null || timeout != null || breaker != null || !interruptOnTimeout;
    }

    /** The guard of a function: as wide as the primary, and as patient. */
    GuardSettings guard(String poolName, GuardSettings primary, Duration budget) {
        return guard(poolName, CommandSpec.boundOf(primary.bulkhead()), primary.timeout(), budget);
    }

    /** The guard of a store of copies, which answers fast or not at all. */
    GuardSettings storeGuard(String poolName, Duration budget) {
        return guard(poolName, STORE_THREADS, StageSettings.STORE_TIMEOUT, budget);
    }

    private GuardSettings guard(String poolName, int size, Duration byDefault, Duration budget) {
        Duration limit = timeout == null ? shorter(byDefault, budget) : timeout;
        ChainRules.stageTimeout(limit, budget);
        ThreadPoolSpec spec = new ThreadPoolSpec(poolName, size);
        if (pool != null) {
            pool.accept(spec);
        }
        spec.said().forEach(setting -> said.add("pool." + setting));
        BreakerSpec circuit = BreakerSpec.of(breaker);
        circuit.said().forEach(setting -> said.add("circuitBreaker." + setting));
        return new GuardSettings(spec.build(), limit, interruptOnTimeout, limit, circuit.build());
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }
}
