package io.degradable.internal.guard;

import io.degradable.model.FallbackContext;
import io.degradable.model.StageReason;
import io.degradable.time.Ticker;
import javax.annotation.Nullable;

/**
 * A trouble that a test puts into a guard: what the bulkhead and the body do is done by this in their place, so everything
 * around them takes it for real.
 *
 * @param refuses whether the bulkhead has no room
 * @param delayNanos how long the body waits before it begins, on its own thread
 * @param failure what the body throws then; null when it is to run
 */
public record Fault(
        boolean refuses, long delayNanos, @Nullable Throwable failure) {

    /** No trouble. */
    public static final Fault NONE = new Fault(false, 0, null);

    /** The body to run instead. */
    <C, V> Body<C, V> around(Body<C, V> body, Ticker ticker) {
        return new Body<>() {
            @Override
            public @Nullable V call(C command, @Nullable FallbackContext context) throws Exception {
                delay(ticker);
                if (failure != null) {
                    throw Fault.<Exception>unchanged(failure);
                }
                return body.call(command, context);
            }

            @Override
            public StageReason judge(@Nullable V value) {
                return body.judge(value);
            }
        };
    }

    private void delay(Ticker ticker) throws InterruptedException {
        long untilNanos = ticker.nanos() + delayNanos;
        while (untilNanos - ticker.nanos() > 0) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            ticker.await(this, untilNanos);
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // so that an Error is thrown as it is
    private static <T extends Throwable> T unchanged(Throwable failure) throws T {
        throw (T) failure;
    }
}
