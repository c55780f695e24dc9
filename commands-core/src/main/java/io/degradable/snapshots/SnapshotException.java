package io.degradable.snapshots;

import javax.annotation.Nullable;

/** A snapshot that was not built, a file that is not taken, or a record that cannot be read. The message says all of it. */
public final class SnapshotException extends Exception {

    private static final long serialVersionUID = 1L;

    private final String says;
    private final boolean busy;

    SnapshotException(String message) {
        this(message, null);
    }

    SnapshotException(String message, @Nullable Throwable cause) {
        this(message, cause, false);
    }

    private SnapshotException(String message, @Nullable Throwable cause, boolean busy) {
        super(message, cause);
        this.says = message;
        this.busy = busy;
    }

    static SnapshotException busy(String message) {
        return new SnapshotException(message, null, true);
    }

    /** The same, as a part of a longer message. */
    SnapshotException inside(String longer) {
        return new SnapshotException(longer, getCause(), busy);
    }

    /** The message, which is never null. */
    String says() {
        return says;
    }

    /** Whether nothing failed, but somebody else is at it. */
    boolean isBusy() {
        return busy;
    }
}
