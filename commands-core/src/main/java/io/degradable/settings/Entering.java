package io.degradable.settings;

/** Whether a stage of a command that writes is entered when nobody knows what became of the write. */
public enum Entering {
    /** Known or not: the stage carries the operation's id itself, or the command does not write. */
    ALWAYS,
    /** Only when it is known that the write was not done. */
    WHEN_KNOWN,
    /** Only when it is not known. */
    WHEN_UNKNOWN
}
