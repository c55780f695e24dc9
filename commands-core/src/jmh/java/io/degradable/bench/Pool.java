package io.degradable.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.infra.BenchmarkParams;

/** A body on a pool of ten, with a timeout, called by eight in a tight loop. */
@State(Scope.Benchmark)
@Threads(8)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Pool {

    @Param({"LIMIT", "OURS", "R4J_COUNT", "FAILSAFE", "HYSTRIX"})
    public Peers peer;

    private Peer of;

    @Setup
    public void make(BenchmarkParams run) throws Exception {
        of = peer.make();
        CallerThread.require(Work.ANSWER, of.successOnPool());
        Warm.up(run, this);
    }

    @Benchmark
    public Object success() throws Exception {
        return of.successOnPool();
    }

    @TearDown
    public void close() {
        of.close();
    }
}
