package io.degradable.model;

/** What may be shed first. */
public enum Criticality {
    /** What the application exists for; shed last. The default. */
    CORE,
    /** What it can do without; shed first. */
    NON_CORE
}
