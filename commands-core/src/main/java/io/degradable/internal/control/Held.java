package io.degradable.internal.control;

import io.degradable.control.ManualOverride.Origin;
import io.degradable.control.Position;
import io.degradable.control.Target;
import java.time.Instant;
import java.util.Optional;

/**
 * Somebody, or the configuration, holds a target somewhere. Each time it is set there is another one, so it is compared by
 * {@code ==}.
 *
 * @param sinceNanos since when, a reading of the ticker; before this process began when the store says so
 * @param since the same for people
 * @param expiresNanos when it ends, a reading of the ticker; of no meaning unless it {@linkplain #expires()}
 * @param expiresAt the same for people and other processes
 */
public record Held(
        Target target,
        Position position,
        String author,
        String reason,
        Origin origin,
        long sinceNanos,
        Instant since,
        long expiresNanos,
        Optional<Instant> expiresAt) {

    /** Whether it ends by itself. */
    public boolean expires() {
        return expiresAt.isPresent();
    }
}
