package io.degradable.bench;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Processor time per call, of all Java threads. Where nothing waits it is what a call takes, and other programs on the
 * machine do not stretch it as they stretch the time on the wall.
 */
public final class CpuProfiler implements InternalProfiler {

    static final String NAME = "cpu";

    private Map<Long, Long> before = Map.of();

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        before = Machine.threadCpu();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        double nanos = Machine.threadCpuNanosSince(before);
        long calls = result.getMetadata().getAllOps();
        return List.of(new ScalarResult(NAME, nanos / calls, "ns/op", AggregationPolicy.AVG));
    }

    @Override
    public String getDescription() {
        return "Processor time per call";
    }
}
