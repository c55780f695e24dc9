package io.degradable;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import javax.annotation.Nullable;

/** Every way to run a command, each as a call that answers or throws what its user would see. */
enum EntryPoint {
    EXECUTE {
        @Override
        @Nullable
        String run(Call call) {
            return call.execute();
        }
    },
    EXECUTE_FOR_RESULT {
        @Override
        @Nullable
        String run(Call call) {
            return call.executeForResult().value();
        }
    },
    QUEUE {
        @Override
        @Nullable
        String run(Call call) throws Exception {
            return unwrap(call.queue());
        }
    },
    QUEUE_FOR_RESULT {
        @Override
        @Nullable
        String run(Call call) throws Exception {
            return unwrap(call.queueForResult()).value();
        }
    },
    TO_MAYBE {
        @Override
        @Nullable
        String run(Call call) throws Exception {
            return unwrap(call.toMaybe().toCompletionStage(NULL).toCompletableFuture());
        }
    },
    OBSERVE {
        @Override
        @Nullable
        String run(Call call) throws Exception {
            return unwrap(call.observe().toCompletionStage(NULL).toCompletableFuture());
        }
    },
    TO_RESULT_SINGLE {
        @Override
        @Nullable
        String run(Call call) throws Exception {
            return unwrap(call.toResultSingle().toCompletionStage().toCompletableFuture())
                    .value();
        }
    };

    /** Stands for an empty Maybe. */
    static final String NULL = "(empty)";

    @Nullable
    abstract String run(Call call) throws Exception;

    private static <T> T unwrap(CompletableFuture<T> future) throws Exception {
        try {
            return future.get();
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof Exception exception) {
                throw exception;
            }
            if (failed.getCause() instanceof Error error) {
                throw error;
            }
            throw failed;
        }
    }
}
