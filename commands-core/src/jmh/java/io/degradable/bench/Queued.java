package io.degradable.bench;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;

/** An asynchronous run on a pool, beside what one writes by hand with a future. The caller waits for it at the end. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Queued {

    private final Ours ours = new Ours();
    private final ExecutorService pool = Executors.newFixedThreadPool(Work.LIMIT);
    private final ExecutorService other = Executors.newCachedThreadPool();

    @Setup
    public void warm(BenchmarkParams run) throws Exception {
        Warm.up(run, this);
    }

    @Benchmark
    public Object queue() {
        return ours.onPool.queue().join();
    }

    @Benchmark
    public Object future() {
        return CompletableFuture.supplyAsync(Work::answer, pool)
                .orTimeout(Work.TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .thenApplyAsync(answer -> answer, other)
                .join();
    }

    @TearDown
    public void close() {
        ours.close();
        pool.shutdownNow();
        other.shutdownNow();
    }
}
