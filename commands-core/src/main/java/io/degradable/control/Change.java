package io.degradable.control;

import java.time.Instant;
import java.util.Optional;

/**
 * An entry of the change record: somebody, or the configuration, has changed something or was refused.
 *
 * @param id counts up from 1 in each container
 * @param at when, by the wall clock
 * @param kind what kind of change
 * @param subject what was changed: the text of a {@link Target}, or a property's name
 * @param from how it was before; empty for not set
 * @param to how it is now, or, refused, should have been; empty for not set
 * @param author who: a person, a property source, {@code expiry}
 * @param reason why; of a refusal what is wrong
 * @param expiresAt until when it holds; empty for not limited
 */
public record Change(
        long id,
        Instant at,
        Kind kind,
        String subject,
        String from,
        String to,
        String author,
        String reason,
        Optional<Instant> expiresAt) {

    /** The kinds of change. */
    public enum Kind {
        /** A target is held somewhere. */
        SET,
        /** A hand has let go of a target, or a property that held it has gone. */
        CLEARED,
        /** What was held has ended by itself. */
        EXPIRED,
        /** A setting has another value. */
        SETTING,
        /** Something was not done. */
        REFUSED,
        /** A command gets a larger or smaller share of its calls back. */
        RAMP
    }
}
