package io.degradable.internal.execution;

import io.degradable.internal.bulkhead.Bulkhead;
import io.degradable.internal.bulkhead.SemaphoreBulkhead;
import io.degradable.internal.bulkhead.VirtualThreadBulkhead;
import io.degradable.internal.control.Held;
import io.degradable.internal.guard.Guard;
import io.degradable.internal.stage.Route;
import io.degradable.internal.stage.StageRecord;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.EffectiveSettings;
import io.degradable.settings.GuardSettings;
import io.degradable.settings.RetrySettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.annotation.Nullable;

/**
 * What a command keeps when it is wired anew: breakers, bulkheads and counts of its stages, what is in flight, what was
 * retried.
 *
 * <p>Threading: guarded by the container, but for {@link #isHeld} and {@link #retries}, which anybody may ask.
 */
final class Lasting {

    private final Map<String, Guard> guards = new HashMap<>(4);
    private final Map<String, CommandRuntime<?, ?>> spares = new HashMap<>(2);
    private final Map<String, StageRecord> records = new HashMap<>(4);

    private @Nullable Flights flights;

    /** Tell of breakers that other settings have moved. */
    private final List<Runnable> telling = new ArrayList<>(0);

    /** Whether a template is being filled for a rehearsal. */
    final AtomicBoolean filling = new AtomicBoolean();

    /** The route that hands want, and since when that is not the full one; guarded by the container. */
    Route byHand = Route.FULL;

    long offSinceNanos;

    /** By what the breakers of stages are forced. */
    private final Map<String, AtomicReference<Held>> forced = new ConcurrentHashMap<>(2);

    private volatile @Nullable EffectiveSettings settings;
    private volatile boolean wired;
    private volatile @Nullable Retries retries;
    private volatile boolean held;

    /** The guard of a stage under its settings now. */
    Guard guard(String stage, GuardSettings settings, Supplier<Guard> first) {
        Guard before = guards.get(stage);
        Guard now = before == null ? first.get() : before.retuned(settings, telling::add);
        if (before != null && !before.settings().bulkhead().equals(settings.bulkhead())) {
            resize(now.bulkhead(), settings.bulkhead());
        }
        guards.put(stage, now);
        return now;
    }

    /** What is to be run once no lock is held. */
    List<Runnable> takeTelling() {
        List<Runnable> taken = List.copyOf(telling);
        telling.clear();
        return taken;
    }

    /** Pools belong to all that name them, and are set apart. */
    private static void resize(Bulkhead bulkhead, BulkheadSettings to) {
        if (bulkhead instanceof SemaphoreBulkhead semaphore && to instanceof BulkheadSettings.Semaphore its) {
            semaphore.resize(its.limit());
        } else if (bulkhead instanceof VirtualThreadBulkhead virtual
                && to instanceof BulkheadSettings.VirtualThreads its) {
            virtual.resize(its.limit());
        }
    }

    /** Which keys are being fetched, of a command that merges fetches. */
    Flights flights() {
        if (flights == null) {
            flights = new Flights();
        }
        return flights;
    }

    /** The command behind a stage that is one: looked up once. */
    CommandRuntime<?, ?> spare(String stage, Supplier<CommandRuntime<?, ?>> lookUp) {
        CommandRuntime<?, ?> known = spares.get(stage);
        if (known == null || known.isGone()) {
            known = lookUp.get();
            spares.put(stage, known);
        }
        return known;
    }

    StageRecord record(String stage) {
        return records.computeIfAbsent(stage, any -> new StageRecord());
    }

    /** The retries under their settings now; kept while there are none. */
    Retries retries(RetrySettings settings, long nowNanos, Supplier<Retries> first) {
        Retries before = retries;
        Retries now = before == null ? first.get() : before.retuned(settings, nowNanos);
        retries = now;
        return now;
    }

    /** Null when there never were any. */
    @Nullable
    Retries retries() {
        return retries;
    }

    /** What properties have made of its settings; null when there is none that it obeys. */
    @Nullable
    EffectiveSettings settings() {
        return settings;
    }

    void settings(@Nullable EffectiveSettings now) {
        settings = now;
    }

    /** Whether it works already, so that what is fixed stays. */
    boolean isWired() {
        return wired;
    }

    void isWiredNow() {
        wired = true;
    }

    /** By what the breaker of a stage is forced, as far as that is done. */
    AtomicReference<Held> forced(String stage) {
        return forced.computeIfAbsent(stage, any -> new AtomicReference<>());
    }

    boolean isForced(String stage) {
        return forced.containsKey(stage);
    }

    /** Whether a hand holds the command itself, so that it must not go by itself. */
    boolean isHeld() {
        return held;
    }

    void held(boolean byHand) {
        held = byHand;
    }
}
