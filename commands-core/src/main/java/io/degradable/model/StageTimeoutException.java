package io.degradable.model;

import java.time.Duration;
import java.util.concurrent.TimeoutException;

/** Stands for a stage whose time limit came before its body's end. Carries no stack trace. */
public final class StageTimeoutException extends TimeoutException {

    private static final long serialVersionUID = 1;

    private final StageReason reason;
    private final boolean bodyStarted;

    public StageTimeoutException(
            CommandKey key, String stage, StageReason reason, Duration after, boolean bodyStarted) {
        super(key.name() + ": " + stage + " timed out (" + reason.text() + ") after " + after.toMillis() + " ms"
                + (bodyStarted ? "" : ", before its body started"));
        this.reason = reason;
        this.bodyStarted = bodyStarted;
    }

    /** {@link StageReason#TIMEOUT} or {@link StageReason#BUDGET}. */
    public StageReason reason() {
        return reason;
    }

    /** Whether the body had begun; else it was still waiting for a thread. */
    public boolean bodyStarted() {
        return bodyStarted;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
