package io.degradable.internal.breaker;

import io.degradable.model.CircuitState;
import io.degradable.settings.BreakerSettings;
import io.degradable.testing.Interleavings;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Probes taken, settled and expired by two threads come out as if one had done it all, one step after the other. */
@Timeout(60)
@Param(name = "thread", gen = ThreadIdGen.class)
public final class ProbesLincheckTest {

    private static final Duration LEASE = Duration.ofSeconds(2);

    private final CircuitBreaker breaker = halfOpen();
    private final Held held = new Held();

    /** Two probes, which close it when both are good; one that is bad opens it for good. */
    private static CircuitBreaker halfOpen() {
        BreakerSettings settings = new BreakerSettings(
                true, 1, 50, Duration.ofHours(1), 10, Duration.ofHours(1), Duration.ofHours(1), 2, 100);
        CircuitBreaker breaker = new CircuitBreaker(settings, LEASE.toNanos(), LEASE.toNanos(), 0, () -> 0);
        Phase halfOpen = new HalfOpen(breaker, Why.OPEN_TIME_OVER, 0, 0);
        if (!breaker.move((Phase) Objects.requireNonNull(breaker.tryAcquire(0)), halfOpen)) {
            throw new AssertionError("not moved");
        }
        return breaker;
    }

    private static long moment(boolean late) {
        return late ? LEASE.toNanos() + 1 : 0;
    }

    /** Three reach for two probes; two that end together; one that ends and one that is overdue. */
    private static final ExecutionScenario[] HISTORIES = {
        Interleavings.history(
                List.of(step("acquire", 1, false), step("acquire", 1, false)), List.of(step("acquire", 2, false))),
        Interleavings.history(
                List.of(step("acquire", 1, false), step("settle", 1, Verdict.GOOD, false)),
                List.of(step("acquire", 2, false), step("settle", 2, Verdict.GOOD, false)),
                step("state", false)),
        Interleavings.history(
                List.of(step("acquire", 1, true), step("acquire", 1, true)),
                List.of(step("acquire", 2, false), step("state", true)),
                step("state", true))
    };

    private static Actor step(String operation, Object... arguments) {
        return Interleavings.step(ProbesLincheckTest.class, operation, arguments);
    }

    @Operation
    public boolean acquire(@Param(name = "thread") int thread, boolean late) {
        return held.add(thread, breaker.tryAcquire(moment(late)));
    }

    @Operation
    public boolean settle(@Param(name = "thread") int thread, Verdict verdict, boolean late) {
        return held.settle(thread, verdict, moment(late));
    }

    @Operation
    public CircuitState state(boolean late) {
        return breaker.state(moment(late));
    }

    @Test
    void a_probe_ends_once_however_threads_are_interleaved() {
        Interleavings.modelChecked(HISTORIES).check(ProbesLincheckTest.class);
    }

    @Test
    void a_probe_ends_once_under_stress() {
        Interleavings.stressed(HISTORIES).check(ProbesLincheckTest.class);
    }
}
