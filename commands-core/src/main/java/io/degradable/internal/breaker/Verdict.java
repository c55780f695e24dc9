package io.degradable.internal.breaker;

/** What a breaker learns from one permit. */
public enum Verdict {
    /** The dependency is well. */
    GOOD,
    /** It failed or timed out. */
    FAILED,
    /** It answered, but took too long. */
    SLOW,
    /** Nothing: the body never ran, or its end says nothing about the dependency. */
    UNUSED;

    boolean isBad() {
        return this == FAILED || this == SLOW;
    }
}
