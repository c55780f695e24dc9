package io.degradable.bench;

import com.alibaba.csp.sentinel.Entry;
import com.alibaba.csp.sentinel.SphU;
import com.alibaba.csp.sentinel.Tracer;
import com.alibaba.csp.sentinel.slots.block.BlockException;
import com.alibaba.csp.sentinel.slots.block.RuleConstant;
import com.alibaba.csp.sentinel.slots.block.degrade.DegradeRule;
import com.alibaba.csp.sentinel.slots.block.degrade.DegradeRuleManager;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRuleManager;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** Sentinel: one resource a path, with a rule for the error ratio and one for the calls at once. It has no pool. */
final class SentinelPeer implements Peer {

    static {
        System.setProperty("csp.sentinel.log.dir", Figures.directory().resolve("sentinel") + "/");
        System.setProperty("project.name", "bench");
    }

    SentinelPeer() {
        DegradeRuleManager.loadRules(List.of(
                breaker("success", Work.MINIMUM_CALLS),
                breaker("failure", Integer.MAX_VALUE),
                breaker("read", Integer.MAX_VALUE),
                breaker("open", Work.MINIMUM_CALLS)));
        FlowRuleManager.loadRules(List.of(limit("success"), limit("failure"), limit("read"), limit("open")));
        Work.enoughToOpen(this::openThenStatic);
    }

    static DegradeRule breaker(String resource, int minimumCalls) {
        return new DegradeRule(resource)
                .setGrade(RuleConstant.DEGRADE_GRADE_EXCEPTION_RATIO)
                .setCount(Work.ERROR_PERCENTAGE / 100.0)
                .setMinRequestAmount(minimumCalls)
                .setStatIntervalMs((int) Work.WINDOW.toMillis())
                .setTimeWindow((int) Work.OPEN_FOR.toSeconds());
    }

    static FlowRule limit(String resource) {
        return new FlowRule(resource).setGrade(RuleConstant.FLOW_GRADE_THREAD).setCount(Work.LIMIT);
    }

    static String call(String resource, Callable<String> body, Supplier<String> otherwise) {
        Entry entry = null;
        try {
            entry = SphU.entry(resource);
            return body.call();
        } catch (BlockException refused) {
            return otherwise.get();
        } catch (Exception broken) {
            Tracer.traceEntry(broken, entry);
            return otherwise.get();
        } finally {
            if (entry != null) {
                entry.exit();
            }
        }
    }

    @Override
    public Object success() {
        return call("success", Work.ANSWERS, () -> Work.TEMPLATE);
    }

    @Override
    public Object failureThenStatic() {
        return call("failure", Work.FAILS, () -> Work.TEMPLATE);
    }

    @Override
    public Object failureThenRead() {
        return call("read", Work.FAILS, Work::copy);
    }

    @Override
    public Object openThenStatic() {
        return call("open", Work.FAILS, () -> Work.TEMPLATE);
    }

    @Override
    public Object successOnPool() {
        throw new UnsupportedOperationException("Sentinel has no pool");
    }

    @Override
    public void close() {}
}
