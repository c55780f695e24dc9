package io.degradable.internal.breaker;

/** What a breaker learns from one permit. */
public enum Verdict {
    /** The dependency is well. */
    GOOD,
    /** It failed, timed out or was too slow. */
    BAD,
    /** Nothing: the body never ran, or its end says nothing about the dependency. */
    UNUSED
}
