package io.degradable.state;

/**
 * The breaker of a stage, to be looked at and held by hand. Held, it stays so until it is held otherwise or released; what
 * it measures moves nothing. Calls in flight go on.
 *
 * <p>Threading: every method may be called from any thread.
 */
public interface Circuit {

    /** What it is and why. */
    CircuitView explain();

    /**
     * Refuses every call.
     *
     * @param by who holds it, for people to read
     */
    void forceOpen(String by);

    /**
     * Lets every call through, whatever becomes of them.
     *
     * @param by who holds it, for people to read
     */
    void forceClosed(String by);

    /**
     * Lets it move by itself again: from held open to half-open, since nobody knows how the dependency is; from held closed
     * to closed. Says whether it was held.
     *
     * @param by who released it, for people to read
     */
    boolean release(String by);
}
