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
import org.openjdk.jmh.infra.BenchmarkParams;

/** The paths on the caller's own thread. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CallerThread {

    @Param
    public Peers peer;

    private Peer of;

    @Setup
    public void make(BenchmarkParams run) throws Exception {
        of = peer.make();
        require(Work.ANSWER, of.success());
        require(Work.TEMPLATE, of.failureThenStatic());
        require(Work.COPY, of.failureThenRead());
        require(Work.TEMPLATE, of.openThenStatic());
        Warm.up(run, this);
    }

    /** A peer that does not do its work is not to be measured. */
    static void require(String expected, Object answer) {
        if (!expected.equals(answer)) {
            throw new IllegalStateException("expected " + expected + ", was " + answer);
        }
    }

    @Benchmark
    public Object success() throws Exception {
        return of.success();
    }

    @Benchmark
    public Object failureThenStatic() throws Exception {
        return of.failureThenStatic();
    }

    @Benchmark
    public Object failureThenRead() throws Exception {
        return of.failureThenRead();
    }

    @Benchmark
    public Object openThenStatic() throws Exception {
        return of.openThenStatic();
    }

    @TearDown
    public void close() {
        of.close();
    }
}
