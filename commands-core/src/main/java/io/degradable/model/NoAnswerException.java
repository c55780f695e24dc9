package io.degradable.model;

/**
 * Stands for a stage that gave no answer although its body threw nothing: it was refused or skipped, or returned null where
 * that is a failure. Carries no stack trace, since it says where a limit is and not where a mistake is.
 */
public final class NoAnswerException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final StageReason reason;

    public NoAnswerException(CommandKey key, String stage, StageReason reason) {
        super(key.name() + ": " + stage + " gave no answer: " + reason.text(), null, false, false);
        this.reason = reason;
    }

    public StageReason reason() {
        return reason;
    }
}
