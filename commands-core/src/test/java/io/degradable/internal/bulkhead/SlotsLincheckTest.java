package io.degradable.internal.bulkhead;

import io.degradable.testing.Interleavings;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every history of two threads that take slots and give them back is one of {@link Counted}. The limit stays as it is: moved
 * meanwhile it is a target, and who looks at it may act on the one before.
 */
@Timeout(60)
@Param(name = "thread", gen = ThreadIdGen.class)
public final class SlotsLincheckTest {

    private static final int LIMIT = 2;

    private final Slots slots = new Slots(LIMIT);
    private final int[] held = new int[Interleavings.AFTERWARDS + 1];

    /** Three reach for two slots. */
    private static final ExecutionScenario[] HISTORIES = {
        Interleavings.history(List.of(step("take", 1), step("take", 1)), List.of(step("take", 2)), step("taken"))
    };

    private static Actor step(String operation, Object... arguments) {
        return Interleavings.step(SlotsLincheckTest.class, operation, arguments);
    }

    @Operation
    public boolean take(@Param(name = "thread") int thread) {
        boolean taken = slots.tryTake();
        if (taken) {
            held[thread]++;
        }
        return taken;
    }

    /** By who holds one only. */
    @Operation
    public boolean giveBack(@Param(name = "thread") int thread) {
        if (held[thread] == 0) {
            return false;
        }
        held[thread]--;
        slots.giveBack();
        return true;
    }

    @Operation
    public int taken() {
        return slots.taken();
    }

    @Test
    void looking_and_taking_are_one_step_however_threads_are_interleaved() {
        Interleavings.modelChecked(HISTORIES)
                .sequentialSpecification(Counted.class)
                .check(SlotsLincheckTest.class);
    }

    @Test
    void looking_and_taking_are_one_step_under_stress() {
        Interleavings.stressed(HISTORIES).sequentialSpecification(Counted.class).check(SlotsLincheckTest.class);
    }

    /** Slots for one thread at a time. */
    public static final class Counted {

        private int taken;
        private final int[] held = new int[Interleavings.AFTERWARDS + 1];

        public boolean take(int thread) {
            if (taken == LIMIT) {
                return false;
            }
            taken++;
            held[thread]++;
            return true;
        }

        public boolean giveBack(int thread) {
            if (held[thread] == 0) {
                return false;
            }
            held[thread]--;
            taken--;
            return true;
        }

        public int taken() {
            return taken;
        }
    }
}
