package io.degradable;

import java.time.Duration;

/** The beginning of a chain. */
public sealed interface Start<C, R> extends Spares<C, R> permits Chain {

    /** What the chain as a whole may take, on top of the primary's timeout; default 250 ms. */
    Spares<C, R> within(Duration budget);
}
