package io.degradable.internal.execution;

import io.degradable.control.Change;
import io.degradable.internal.control.ChangeLog;
import io.degradable.internal.guard.GuardMeter;
import io.degradable.internal.level.RecoveryRamp;
import io.degradable.internal.stage.Route;
import io.degradable.model.StageReason;
import io.degradable.time.Ticker;
import io.degradable.time.Timer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/**
 * The commands that get their calls back by and by, after a switch has kept them from their primaries for long. Each has a
 * ramp of its own, since each has a dependency of its own; all are looked at together, every ten seconds, aside.
 *
 * <p>Threading: every method may be called from any thread; who changes something holds the container's lock.
 */
final class Recoveries {

    /** Held for no longer than this, a switch is let go of without a ramp: nothing has become cold or forgotten. */
    static final long LONG_NANOS = 60_000_000_000L;

    private static final int ENOUGH_SAMPLES = 20;
    private static final int HEALTHY_PERCENTAGE = 90;

    private record Recovery(CommandRuntime<?, ?> command, RecoveryRamp ramp, RouteRule rule) {}

    private final Ticker ticker;
    private final Timer timer;
    private final Predicate<Runnable> aside;
    private final ChangeLog log;
    private final Consumer<CommandRuntime<?, ?>> whenOver;
    private final Map<String, Recovery> underWay = new HashMap<>(); // guarded by this
    private boolean armed; // guarded by this

    /** @param whenOver wires a command whose ramp is over; no lock is held */
    Recoveries(
            Ticker ticker,
            Timer timer,
            Predicate<Runnable> aside,
            ChangeLog log,
            Consumer<CommandRuntime<?, ?>> whenOver) {
        this.ticker = ticker;
        this.timer = timer;
        this.aside = aside;
        this.log = log;
        this.whenOver = whenOver;
    }

    /** A command gets back what a route has kept from its primary. */
    synchronized void begin(CommandRuntime<?, ?> command, Route from) {
        RecoveryRamp ramp = new RecoveryRamp(ticker.nanos());
        RouteRule rule = new RouteRule(new Route(StageReason.RAMPED, from.keeps()), ramp);
        underWay.put(command.key().name(), new Recovery(command, ramp, rule));
        tell(command, "0 %", ramp, "a switch was let go of");
        arm();
    }

    /** How runs of a command are let through; null when it has no ramp. */
    synchronized @Nullable RouteRule of(String command) {
        Recovery recovery = underWay.get(command);
        return recovery == null ? null : recovery.rule();
    }

    /** Whether there was one to end. */
    synchronized boolean end(String command) {
        return underWay.remove(command) != null;
    }

    private void arm() {
        if (!armed && !underWay.isEmpty()) {
            armed = true;
            var unused = timer.schedule(this::handOff, ticker.nanos() + RecoveryRamp.CHECK_NANOS);
        }
    }

    private void handOff() {
        if (!aside.test(this::check)) {
            rearm();
        }
    }

    private synchronized void rearm() {
        armed = false;
        arm();
    }

    private void check() {
        List<CommandRuntime<?, ?>> over = new ArrayList<>();
        synchronized (this) {
            long now = ticker.nanos();
            underWay.values().removeIf(recovery -> {
                check(recovery, now);
                if (recovery.ramp().isOver()) {
                    over.add(recovery.command());
                }
                return recovery.ramp().isOver();
            });
        }
        rearm();
        over.forEach(whenOver);
    }

    private void check(Recovery recovery, long nowNanos) {
        RecoveryRamp ramp = recovery.ramp();
        int before = ramp.share();
        boolean healthy = isHealthy(recovery.command(), nowNanos);
        ramp.check(healthy, nowNanos);
        if (ramp.isOver()) {
            tell(recovery.command(), before + " %", ramp, "over");
        } else if (ramp.share() != before) {
            tell(recovery.command(), before + " %", ramp, healthy ? "healthy" : "failing");
        }
    }

    /** Its primary answers most of what it gets. What a breaker or a bulkhead refused is not among it. */
    private static boolean isHealthy(CommandRuntime<?, ?> command, long nowNanos) {
        GuardMeter.Recent recent = command.wiring().primary().guard().meter().recent(nowNanos);
        return recent.measured() < ENOUGH_SAMPLES || recent.answered() * 100 >= recent.measured() * HEALTHY_PERCENTAGE;
    }

    private void tell(CommandRuntime<?, ?> command, String from, RecoveryRamp ramp, String why) {
        log.add(Change.Kind.RAMP, "command:" + command.key().name(), from, ramp.share() + " %", "recovery", why);
    }
}
