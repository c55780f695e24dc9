package io.degradable.bench;

import io.degradable.CallableCommand;
import io.degradable.CommandSpec;
import io.degradable.Commands;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;

/** A virtual thread that calls, each body on a virtual thread of its own, beside starting one and joining it. Java 21. */
final class VirtualCallers {

    private static final int CALLS = 100_000;
    private static final int TURNS = 7;

    private VirtualCallers() {}

    public static void main(String[] arguments) throws Exception {
        Method starts = Thread.class.getMethod("startVirtualThread", Runnable.class);
        CommandSpec<CallableCommand<String>, String> spec = CommandSpec.<String>callable("virtual")
                .group("bench")
                .virtualThreads(Work.LIMIT)
                .timeout(Work.TIMEOUT)
                .build();
        Figures figures = new Figures();
        try (Commands commands = Commands.create()) {
            CallableCommand<String> command = new CallableCommand<>(commands, spec, "", Work.ANSWERS);
            Callable<?> startAndJoin = () -> {
                Runnable body = Work::answer;
                ((Thread) starts.invoke(null, body)).join();
                return null;
            };
            double bare = Double.MAX_VALUE;
            double ours = Double.MAX_VALUE;
            for (int turn = 0; turn < TURNS; turn++) {
                bare = Math.min(bare, nanosPerCall(starts, startAndJoin));
                ours = Math.min(ours, nanosPerCall(starts, command::execute));
            }
            figures.put("virtual LIMIT ns", bare);
            figures.put("virtual OURS ns", ours);
            figures.write("virtual");
        }
        System.exit(0);
    }

    private static double nanosPerCall(Method starts, Callable<?> call) throws Exception {
        long[] nanos = new long[1];
        Runnable caller = () -> {
            try {
                long start = System.nanoTime();
                for (int i = 0; i < CALLS; i++) {
                    call.call();
                }
                nanos[0] = System.nanoTime() - start;
            } catch (Exception mistake) {
                throw new IllegalStateException(mistake);
            }
        };
        ((Thread) starts.invoke(null, caller)).join();
        if (nanos[0] == 0) {
            throw new IllegalStateException("the caller failed");
        }
        return nanos[0] / (double) CALLS;
    }
}
