package io.degradable.bench;

import com.alibaba.csp.sentinel.slots.block.degrade.DegradeRule;
import com.alibaba.csp.sentinel.slots.block.degrade.DegradeRuleManager;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRuleManager;
import dev.failsafe.Bulkhead;
import dev.failsafe.CircuitBreaker;
import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.failsafe.Fallback;
import io.degradable.CallableCommand;
import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.cache.CacheSpec;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import io.degradable.time.Ticker;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import javax.annotation.Nullable;

/** Many names of one kind, each of which can be called. */
final class Names {

    /** What a name has. */
    enum Kind {
        /** One guard on the caller's thread. */
        OURS,
        /** Four stages: primary, spare call, cache, template. */
        OURS_STAGES,
        FAILSAFE,
        R4J,
        SENTINEL,
        HYSTRIX;

        boolean isOurs() {
            return this == OURS || this == OURS_STAGES;
        }
    }

    /** A name that answers or, told so, fails. */
    interface Name {
        void call(boolean fails) throws Exception;
    }

    final List<Name> all = new ArrayList<>();

    private final @Nullable ManualTicker ticker;

    /** Names that live in the time of the machine. */
    Names(Kind kind, int count) {
        this(kind, count, null);
    }

    /**
     * Names of one kind.
     *
     * @param ticker for ours, moved instead of waiting: what fills with time then needs none
     */
    Names(Kind kind, int count, @Nullable ManualTicker ticker) {
        this.ticker = ticker;
        switch (kind) {
            case OURS -> ours(count, false);
            case OURS_STAGES -> ours(count, true);
            case FAILSAFE -> failsafe(count);
            case R4J -> resilience4j(count);
            case SENTINEL -> sentinel(count);
            case HYSTRIX -> hystrix(count);
        }
    }

    /** Traffic: so many seconds in which each name is called twice a second, and every tenth call fails. */
    void traffic(int seconds) throws Exception {
        int calls = 0;
        for (int half = 0; half < 2 * seconds; half++) {
            long start = System.nanoTime();
            for (Name name : all) {
                name.call(calls++ % 10 == 0);
            }
            if (ticker == null) {
                LockSupport.parkNanos(500_000_000L - (System.nanoTime() - start));
            } else {
                ticker.advance(Duration.ofMillis(500));
            }
        }
    }

    private void ours(int count, boolean stages) {
        Commands commands = Commands.builder()
                .ticker(ticker == null ? Ticker.system() : ticker)
                .maxNames(count + 1)
                .build();
        CacheSpec<String, String> copies =
                CacheSpec.<String, String>named("copies").maximumSize(1_000);
        StaticTemplate<String> template = StaticTemplate.of("template", Work.TEMPLATE);
        for (int i = 0; i < count; i++) {
            CommandSpec.Builder<CallableCommand<String>, String> spec = CommandSpec.<String>callable("name-" + i)
                    .group("bench")
                    .semaphore(Work.LIMIT)
                    .timeout(Work.TIMEOUT);
            if (stages) {
                spec.fallback(chain -> chain.within(Work.TIMEOUT)
                        .spareCall(
                                "spare",
                                (command, context) -> null,
                                spare -> spare.threadPool(pool -> pool.named("spares")))
                        .cached(copies, CallableCommand::key, Work.TIMEOUT)
                        .template(template));
            } else {
                spec.fallback(chain -> chain.template(template));
            }
            CommandSpec<CallableCommand<String>, String> built = spec.build();
            CallableCommand<String> answers = new CallableCommand<>(commands, built, "key", Work.ANSWERS);
            CallableCommand<String> breaks = new CallableCommand<>(commands, built, "other key", Work.FAILS);
            all.add(fails -> (fails ? breaks : answers).execute());
        }
    }

    private void failsafe(int count) {
        Fallback<String> template = Fallback.of(Work.TEMPLATE);
        for (int i = 0; i < count; i++) {
            FailsafeExecutor<String> executor = Failsafe.with(
                    template,
                    CircuitBreaker.<String>builder()
                            .withFailureRateThreshold(Work.ERROR_PERCENTAGE, Work.MINIMUM_CALLS, Work.WINDOW)
                            .build(),
                    Bulkhead.<String>of(Work.LIMIT));
            all.add(fails -> executor.get(fails ? Work::fail : Work::answer));
        }
    }

    private void resilience4j(int count) {
        CircuitBreakerRegistry breakers = CircuitBreakerRegistry.ofDefaults();
        BulkheadRegistry bulkheads = BulkheadRegistry.ofDefaults();
        for (int i = 0; i < count; i++) {
            var breaker = breakers.circuitBreaker("name-" + i);
            var bulkhead = bulkheads.bulkhead("name-" + i);
            all.add(fails -> {
                try {
                    breaker.executeCallable(() -> bulkhead.executeCallable(fails ? Work.FAILS : Work.ANSWERS));
                } catch (Work.Broken broken) {
                    // as it should
                }
            });
        }
    }

    /** It gives no more than 6,000 names a guard of their own, and lets the others pass without. */
    private void sentinel(int count) {
        List<DegradeRule> breakers = new ArrayList<>();
        List<FlowRule> limits = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = "name-" + i;
            breakers.add(SentinelPeer.breaker(name, Work.MINIMUM_CALLS));
            limits.add(SentinelPeer.limit(name));
            all.add(fails -> SentinelPeer.call(name, fails ? Work.FAILS : Work.ANSWERS, () -> Work.TEMPLATE));
        }
        DegradeRuleManager.loadRules(breakers);
        FlowRuleManager.loadRules(limits);
    }

    private void hystrix(int count) {
        for (int i = 0; i < count; i++) {
            var setter = HystrixPeer.setter("name-" + i, Work.MINIMUM_CALLS, false);
            all.add(fails ->
                    new HystrixPeer.Call(setter, fails ? Work.FAILS : Work.ANSWERS, () -> Work.TEMPLATE).execute());
        }
    }
}
