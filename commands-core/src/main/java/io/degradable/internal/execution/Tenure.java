package io.degradable.internal.execution;

/**
 * Whether a command may be used still. Whoever ends it looks afterwards whether a run is in flight; whoever runs the command
 * is counted before he looks here. So one of the two sees the other.
 */
final class Tenure {

    private volatile boolean over;

    boolean isOver() {
        return over;
    }

    void end() {
        over = true;
    }

    /** Takes the end back: a run was in flight. */
    void resume() {
        over = false;
    }
}
