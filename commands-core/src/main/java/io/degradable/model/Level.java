package io.degradable.model;

/** How far a whole application is degraded, from not at all to refusing what it cannot carry. */
public enum Level {
    NORMAL,
    SOFT,
    HARD,
    REJECT
}
