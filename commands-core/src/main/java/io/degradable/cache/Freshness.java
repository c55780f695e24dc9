package io.degradable.cache;

/** What a copy is worth at the moment it is read. "Absent", "stale" and "from the future" are different troubles. */
public enum Freshness {
    /** Within the window, both ends included. */
    FRESH,
    /** Older than the window. */
    STALE,
    /** There is no copy. */
    ABSENT,
    /** Its stamp lies after the moment of reading. */
    FROM_THE_FUTURE
}
