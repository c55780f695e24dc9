package io.degradable.internal.breaker;

import io.degradable.model.CircuitState;
import io.degradable.settings.BreakerSettings;
import io.degradable.testing.Interleavings;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A breaker that two threads move along its whole circle does what it would do for one, one step after the other. */
@Timeout(60)
@Param(name = "thread", gen = ThreadIdGen.class)
@Param(name = "round", gen = IntGen.class, conf = "0:2")
public final class CircuitBreakerLincheckTest {

    private static final Duration OPEN_FOR = Duration.ofSeconds(5);

    private final CircuitBreaker breaker = breaker();
    private final Held held = new Held();

    /** Open since a bad call; one good probe closes it, and neither window nor lease ends meanwhile. */
    private static CircuitBreaker breaker() {
        Duration hour = Duration.ofHours(1);
        BreakerSettings settings = new BreakerSettings(true, 1, 50, hour, 10, OPEN_FOR, OPEN_FOR, 1, 100);
        CircuitBreaker breaker = new CircuitBreaker(settings, hour.toNanos(), hour.toNanos(), 0, () -> 0);
        Objects.requireNonNull(breaker.tryAcquire(0)).settle(Verdict.FAILED, 0, 0);
        return breaker;
    }

    /** A moment in which a breaker that was opened in the round before is open no more. */
    private static long moment(int round) {
        return round * OPEN_FOR.toNanos();
    }

    /** Both see the open time over; both let it go, and one of them tries. */
    private static final ExecutionScenario[] HISTORIES = {
        Interleavings.history(
                List.of(step("acquire", 1, 1), step("settle", 1, Verdict.GOOD, 1)),
                List.of(step("acquire", 2, 1), step("acquire", 2, 1)),
                step("acquire", 1, 1)),
        Interleavings.history(
                List.of(step("forceOpen"), step("release"), step("acquire", 1, 0)),
                List.of(step("release"), step("acquire", 2, 0)))
    };

    private static Actor step(String operation, Object... arguments) {
        return Interleavings.step(CircuitBreakerLincheckTest.class, operation, arguments);
    }

    @Operation
    public boolean acquire(@Param(name = "thread") int thread, @Param(name = "round") int round) {
        return held.add(thread, breaker.tryAcquire(moment(round)));
    }

    @Operation
    public boolean settle(@Param(name = "thread") int thread, Verdict verdict, @Param(name = "round") int round) {
        return held.settle(thread, verdict, moment(round));
    }

    @Operation
    public CircuitState state(@Param(name = "round") int round) {
        return breaker.state(moment(round));
    }

    @Operation
    public void forceOpen() {
        breaker.forceOpen("test", 0);
    }

    @Operation
    public boolean release() {
        return breaker.release("test", 0);
    }

    @Test
    void each_move_is_made_once_however_threads_are_interleaved() {
        Interleavings.modelChecked(HISTORIES).check(CircuitBreakerLincheckTest.class);
    }

    @Test
    void each_move_is_made_once_under_stress() {
        Interleavings.stressed(HISTORIES).check(CircuitBreakerLincheckTest.class);
    }
}
