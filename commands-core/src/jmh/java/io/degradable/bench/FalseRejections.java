package io.degradable.bench;

import io.degradable.CallableCommand;
import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.model.CommandException;
import io.degradable.model.Trigger;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** A pool of ten and eight callers in a tight loop: how many calls are refused although there is room for all. */
final class FalseRejections {

    private FalseRejections() {}

    private interface Caller {
        /** Whether it was let in. */
        boolean call() throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        Duration span = Duration.ofSeconds(Long.parseLong(arguments[0]));
        Figures figures = new Figures();

        CommandSpec<CallableCommand<String>, String> spec = CommandSpec.<String>callable("crowded")
                .group("bench")
                .threadPool(pool -> pool.size(Work.LIMIT))
                .noTimeout() // a caller that the machine holds up is not a rejection
                .noCircuitBreaker()
                .build();
        try (Commands commands = Commands.create()) {
            CallableCommand<String> command = new CallableCommand<>(commands, spec, "", Work.ANSWERS);
            measure("OURS", figures, span, () -> {
                try {
                    return command.execute() != null;
                } catch (CommandException refused) {
                    if (refused.trigger() != Trigger.THREAD_POOL_REJECTED) {
                        throw refused; // something else is wrong
                    }
                    return false;
                }
            });
        }

        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(Work.LIMIT, Work.LIMIT, 1, TimeUnit.MINUTES, new SynchronousQueue<>());
        measure("SYNCHRONOUS_QUEUE", figures, span, () -> {
            try {
                return pool.submit(Work.ANSWERS).get() != null;
            } catch (RejectedExecutionException refused) {
                return false;
            }
        });
        pool.shutdown();
        figures.write("rejections");
    }

    private static void measure(String name, Figures figures, Duration span, Caller caller)
            throws InterruptedException {
        LongAdder calls = new LongAdder();
        LongAdder refused = new LongAdder();
        LongAdder failed = new LongAdder();
        int callers = Work.LIMIT - 2;
        CountDownLatch ended = new CountDownLatch(callers);
        long until = System.nanoTime() + span.toNanos();
        for (int i = 0; i < callers; i++) {
            new Thread(() -> {
                        try {
                            while (System.nanoTime() - until < 0) {
                                calls.increment();
                                if (!caller.call()) {
                                    refused.increment();
                                }
                            }
                        } catch (Exception unexpected) {
                            failed.increment();
                        } finally {
                            ended.countDown();
                        }
                    })
                    .start();
        }
        if (!ended.await(span.toSeconds() + 30, TimeUnit.SECONDS) || failed.sum() > 0) {
            throw new IllegalStateException(failed + " callers failed, " + ended.getCount() + " hang");
        }
        figures.put("rejections " + name, refused.sum());
        figures.put("rejections " + name + " of", calls.sum());
    }
}
