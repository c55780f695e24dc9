package io.degradable.bench;

import io.degradable.time.Ticker;
import io.degradable.time.Timer;
import io.netty.util.HashedWheelTimer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
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

/** One timeout armed and cancelled, as for an asynchronous run that ends well. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Timers {

    private static final Runnable TASK = () -> {};

    private final Ticker ticker = Ticker.system();
    private final Timer ours = ticker.newTimer("bench");
    private final HashedWheelTimer wheel = new HashedWheelTimer();
    private final ScheduledThreadPoolExecutor scheduled = new ScheduledThreadPoolExecutor(1);

    public Timers() {
        scheduled.setRemoveOnCancelPolicy(true);
    }

    @Setup
    public void warm(BenchmarkParams run) throws Exception {
        Warm.up(run, this);
    }

    @Benchmark
    public void ours() {
        ours.schedule(TASK, ticker.nanos() + Work.TIMEOUT.toNanos()).cancel();
    }

    @Benchmark
    public boolean wheel() {
        return wheel.newTimeout(timeout -> TASK.run(), Work.TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .cancel();
    }

    @Benchmark
    public boolean scheduled() {
        return scheduled
                .schedule(TASK, Work.TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .cancel(false);
    }

    @Benchmark
    public boolean orTimeout() {
        return new CompletableFuture<String>()
                .orTimeout(Work.TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .complete(Work.ANSWER);
    }

    @TearDown
    public void close() {
        ours.close();
        wheel.stop();
        scheduled.shutdownNow();
    }
}
