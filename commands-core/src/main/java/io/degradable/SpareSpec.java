package io.degradable;

import io.degradable.model.Source;
import io.degradable.settings.Require;

/** When a spare command is entered, and how much it takes. Its pool, timeout and breaker are those of its own spec. */
public final class SpareSpec extends EntrySpec<SpareSpec> {

    SpareSpec(int primaryBound) {
        super(Source.SPARE, primaryBound);
    }

    /** How many runs a second the spare takes, above 0; at rest a second's worth may come at once. Default: no quota. */
    public SpareSpec quota(double perSecond) {
        Require.that(perSecond > 0, "quota must be positive, was " + perSecond);
        said.add("quota");
        this.quotaPerSecond = perSecond;
        return this;
    }

    /** Takes null for an answer of this stage. Default: null is a miss, and the next stage is asked. */
    public SpareSpec allowNull() {
        this.allowNull = true;
        return this;
    }

    @Override
    SpareSpec self() {
        return this;
    }
}
