package io.degradable.model;

/**
 * Stands for a stage that gave no answer although its body threw nothing: it was refused or skipped, or returned null where
 * that is a failure. Carries no stack trace, since it says where a limit is and not where a mistake is.
 */
public final class NoAnswerException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String command;
    private final String stage;
    private final StageReason reason;

    public NoAnswerException(String command, String stage, StageReason reason) {
        super(null, null, false, false);
        this.command = command;
        this.stage = stage;
        this.reason = reason;
    }

    /** Which stage of which command, and why; put together when somebody asks. */
    @Override
    public String getMessage() {
        return command + ": " + stage + " gave no answer: " + reason.text();
    }

    public StageReason reason() {
        return reason;
    }
}
