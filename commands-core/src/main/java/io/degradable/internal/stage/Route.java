package io.degradable.internal.stage;

import io.degradable.model.Source;
import io.degradable.model.StageReason;
import javax.annotation.Nullable;

/**
 * Which stages a run asks, whoever chose that: all of them as their own rules say, or some of them and not the primary.
 *
 * @param why why the primary is not asked; null when it is
 * @param keeps how far down the chain it begins
 */
public record Route(@Nullable StageReason why, Keeps keeps) {

    /** What is left of a chain. */
    public enum Keeps {
        /** Everything. */
        ALL,
        /** Caches and templates. */
        COPIES,
        /** Templates. */
        TEMPLATES;

        boolean keeps(Source kind) {
            return switch (this) {
                case ALL -> true;
                case COPIES -> kind == Source.CACHE || kind == Source.STATIC;
                case TEMPLATES -> kind == Source.STATIC;
            };
        }
    }

    /** The primary, and then what its failure lets in. */
    public static final Route FULL = new Route(null, Keeps.ALL);

    /** Whether the primary is asked, and the stages have their own rules. */
    public boolean isFull() {
        return why == null;
    }

    /** Why a stage of the chain is closed to a run on this route; null when it is open. */
    public @Nullable StageReason closes(Source kind) {
        return keeps.keeps(kind) ? null : why;
    }
}
