package io.degradable.testing;

import io.degradable.internal.guard.Fault;
import io.degradable.internal.guard.Guard;
import io.degradable.settings.Require;
import io.degradable.state.Circuit;
import io.degradable.time.Spans;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * The faults of one stage. Several add up and are met in the order of the guard: the circuit, the bulkhead, the delay, the
 * failure.
 *
 * <p>Threading: every method may be called from any thread.
 */
public final class StageFaults {

    private static final String BY = "Faults";

    private final Guard guard;
    private final Supplier<Circuit> circuit;
    private final String name;
    private Fault fault = Fault.NONE; // guarded by this
    private boolean circuitHeld; // guarded by this

    StageFaults(Guard guard, Supplier<Circuit> circuit, String name) {
        this.guard = guard;
        this.circuit = circuit;
        this.name = name;
    }

    /**
     * The body throws this instead of being run, the same object each time. What it is to the command, its failure rules
     * say, as for any other.
     */
    public StageFaults fails(Throwable failure) {
        Objects.requireNonNull(failure, "failure must not be null");
        synchronized (this) {
            return inject(new Fault(fault.refuses(), fault.delayNanos(), failure));
        }
    }

    /**
     * The body begins only after a while, which passes on its own thread by the container's ticker. It ends at once when
     * it is interrupted. A copy of its answer is stamped with the end of the delay.
     */
    public StageFaults delays(Duration delay) {
        Require.positive("delay", delay);
        synchronized (this) {
            return inject(new Fault(fault.refuses(), Spans.nanos(delay), fault.failure()));
        }
    }

    /**
     * The bulkhead has no room, for nested calls and {@code callerRuns} neither.
     *
     * @throws IllegalArgumentException for a stage that is read in memory, which nothing bounds
     */
    public StageFaults rejects() {
        if (guard.isInline()) {
            throw new IllegalArgumentException("stage " + name + " is read in memory: nothing can refuse it");
        }
        synchronized (this) {
            return inject(new Fault(true, fault.delayNanos(), fault.failure()));
        }
    }

    /**
     * The circuit is held open. Taken out, it is closed with nothing measured.
     *
     * @throws IllegalArgumentException for a stage that is read in memory, which has none
     */
    public synchronized StageFaults opensCircuit() {
        circuit.get().forceOpen(BY);
        circuitHeld = true;
        return this;
    }

    /** It does not answer, and nothing that the command's failure rules could take for its own is thrown. */
    StageFaults takenAway() {
        return guard.isInline() ? fails(new IllegalStateException("taken away")) : rejects();
    }

    private synchronized StageFaults inject(Fault next) {
        fault = next;
        guard.inject(next);
        return this;
    }

    /** Takes the faults of this stage out. */
    public synchronized void clear() {
        fault = Fault.NONE;
        guard.inject(null);
        if (circuitHeld) {
            circuitHeld = false;
            Circuit held = circuit.get();
            held.forceClosed(BY); // released from there it is closed; from open it would have to be probed
            held.release(BY);
        }
    }
}
