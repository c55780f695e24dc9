package io.degradable.control;

import java.time.Instant;
import java.util.Optional;

/**
 * A target that a human holds somewhere, as it can be looked at.
 *
 * @param target what is held
 * @param position where
 * @param author who holds it; for one from configuration the property's name and source
 * @param reason why; for one from configuration {@code configuration}
 * @param since since when, by the wall clock
 * @param expiresAt when it ends by itself; empty for not before it is cleared, or the property goes
 * @param origin where it comes from
 * @param pending whether it waits for a command, group or stage that is not known yet
 * @param notServed the commands that it leaves as they are, or moves to a lower stage, and why; empty when all obey
 * @param stored whether the store has it; true when none is configured or it comes from configuration
 */
public record ManualOverride(
        Target target,
        Position position,
        String author,
        String reason,
        Instant since,
        Optional<Instant> expiresAt,
        Origin origin,
        boolean pending,
        String notServed,
        boolean stored) {

    /** Who brought it here. */
    public enum Origin {
        /** Code or HTTP, in this process. */
        HAND,
        /** Code or HTTP, in another process or before a restart, by the store. */
        STORE,
        /** A property: it lives as long as that does. */
        CONFIGURATION
    }
}
