package io.degradable;

import io.degradable.model.Trigger;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import javax.annotation.Nullable;

/** Each way for a primary not to answer, on the manual ticker, through whichever entry point a test asks for. */
enum Trouble {
    FAILURE,
    TIMEOUT,
    THREAD_POOL_REJECTED,
    SEMAPHORE_REJECTED,
    SHORT_CIRCUITED,
    OVERLOADED;

    static final Duration TIMEOUT_AFTER = Duration.ofMillis(100);

    /** How a test runs the call in trouble. */
    interface Entry<T> {
        @Nullable
        T run(Call call) throws Exception;
    }

    Trigger trigger() {
        return Trigger.valueOf(name());
    }

    /** A command that can come into this trouble. */
    CommandSpec.Builder<Call, String> declared() {
        CommandSpec.Builder<Call, String> builder = Call.declared()
                .timeout(TIMEOUT_AFTER)
                .overloaded(failure -> failure instanceof UnsupportedOperationException);
        return switch (this) {
            case SEMAPHORE_REJECTED -> builder.semaphore(1);
            case THREAD_POOL_REJECTED -> builder.threadPool(pool -> pool.size(1));
            case SHORT_CIRCUITED -> builder.circuitBreaker(breaker -> breaker.requestVolumeThreshold(1));
            case FAILURE, TIMEOUT, OVERLOADED -> builder;
        };
    }

    /** Runs one call that comes into it. What it takes to get there is a call too. */
    @Nullable
    <T> T provoke(Commands commands, ManualTicker ticker, CommandSpec<Call, String> spec, Entry<T> entry)
            throws Exception {
        Call untouched = new Call(commands, spec, "1", () -> {
            throw new AssertionError("the body must not run");
        });
        return switch (this) {
            case FAILURE -> entry.run(failing(commands, spec, new IOException("down")));
            case OVERLOADED -> entry.run(failing(commands, spec, new UnsupportedOperationException("shed")));
            case TIMEOUT ->
                entry.run(new Call(commands, spec, "1", () -> {
                    ticker.advance(TIMEOUT_AFTER);
                    new CountDownLatch(1).await();
                    return "never";
                }));
            case SHORT_CIRCUITED -> {
                failing(commands, spec, new IOException("opens the breaker"))
                        .queue()
                        .handle((answer, failure) -> answer)
                        .join();
                yield entry.run(untouched);
            }
            case SEMAPHORE_REJECTED -> {
                List<T> inner = new ArrayList<>();
                List<Exception> thrown = new ArrayList<>();
                new Call(commands, spec, "holds the slot", () -> {
                            try {
                                inner.add(entry.run(untouched));
                            } catch (Exception failed) {
                                thrown.add(failed);
                            }
                            return "live";
                        })
                        .execute();
                if (!thrown.isEmpty()) {
                    throw thrown.get(0);
                }
                yield inner.get(0);
            }
            case THREAD_POOL_REJECTED -> {
                CountDownLatch entered = new CountDownLatch(1);
                CountDownLatch release = new CountDownLatch(1);
                CompletableFuture<String> held = new Call(commands, spec, "holds the thread", () -> {
                            entered.countDown();
                            release.await();
                            return "live";
                        })
                        .queue();
                try {
                    entered.await();
                    yield entry.run(untouched);
                } finally {
                    release.countDown();
                    held.join();
                }
            }
        };
    }

    private static Call failing(Commands commands, CommandSpec<Call, String> spec, Exception failure) {
        return new Call(commands, spec, "1", () -> {
            throw failure;
        });
    }
}
