package io.degradable.internal.breaker;

import io.degradable.testing.Interleavings;
import io.degradable.time.Spans;
import java.util.List;
import java.util.Objects;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls that two threads make on a ramp are counted off and decide as if one had made them, one after the other. */
@Timeout(60)
@Param(name = "thread", gen = ThreadIdGen.class)
public final class RampingLincheckTest {

    private final CircuitBreaker breaker = ramping();
    private final Held held = new Held();

    /**
     * Every second call goes through and two decide a step; after two steps it is closed. No call is ever overdue: one that
     * looks for those may find the step over after it was counted off, and is refused for good reason.
     */
    private static CircuitBreaker ramping() {
        Breakers settings = Breakers.with().volume(2).ramp(2, 50, 60);
        CircuitBreaker breaker = new CircuitBreaker(settings.settings(), Spans.FOREVER, Spans.FOREVER, 0, () -> 0);
        Phase ramping = new Ramping(breaker.settings(), breaker, Why.NEW, 1, 0);
        if (!breaker.move((Phase) Objects.requireNonNull(breaker.tryAcquire(0)), ramping)) {
            throw new AssertionError("not moved");
        }
        return breaker;
    }

    /** Two of four are let through, and decide the step. */
    private static final ExecutionScenario[] HISTORIES = {
        Interleavings.history(
                List.of(step("acquire", 1), step("acquire", 1)), List.of(step("acquire", 2), step("acquire", 2))),
        Interleavings.history(
                List.of(step("acquire", 1), step("acquire", 1), step("settle", 1, Verdict.GOOD)),
                List.of(step("acquire", 2), step("acquire", 2), step("settle", 2, Verdict.GOOD)),
                step("share"))
    };

    private static Actor step(String operation, Object... arguments) {
        return Interleavings.step(RampingLincheckTest.class, operation, arguments);
    }

    @Operation
    public boolean acquire(@Param(name = "thread") int thread) {
        return held.add(thread, breaker.tryAcquire(0));
    }

    @Operation
    public boolean settle(@Param(name = "thread") int thread, Verdict verdict) {
        return held.settle(thread, verdict, 0);
    }

    @Operation
    public int share() {
        return breaker.explain(0).ramp().sharePercentage();
    }

    @Test
    void each_step_is_decided_once_however_threads_are_interleaved() {
        Interleavings.modelChecked(HISTORIES).check(RampingLincheckTest.class);
    }

    @Test
    void each_step_is_decided_once_under_stress() {
        Interleavings.stressed(HISTORIES).check(RampingLincheckTest.class);
    }
}
