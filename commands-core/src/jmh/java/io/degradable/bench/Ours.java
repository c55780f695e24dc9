package io.degradable.bench;

import io.degradable.BreakerSpec;
import io.degradable.CallableCommand;
import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.cache.CacheSpec;
import io.degradable.cache.Timestamped;
import io.degradable.model.CircuitState;
import io.degradable.template.StaticTemplate;
import java.util.concurrent.Callable;

/** This library. A command is made once: an instance holds its arguments only, and the state of a run lives in the run. */
final class Ours implements Peer {

    private static final StaticTemplate<String> TEMPLATE = StaticTemplate.of("template", Work.TEMPLATE);
    private static final CacheSpec<Long, String> COPIES = CacheSpec.named("copies");

    final Commands commands;
    final CommandSpec<CallableCommand<String>, String> successSpec =
            spec("success").build();
    final CallableCommand<String> success;
    final CallableCommand<String> failure;
    final CallableCommand<String> open;
    final CallableCommand<String> onPool;
    private final CallableCommand<String> read;

    Ours() {
        this(Commands.create());
    }

    Ours(Commands commands) {
        this.commands = commands;
        this.success = command(successSpec, Work.ANSWERS);
        this.failure = command(
                spec("failure")
                        .circuitBreaker(Ours::neverOpens)
                        .fallback(chain -> chain.template(TEMPLATE))
                        .build(),
                Work.FAILS);
        this.read = command(
                spec("read")
                        .circuitBreaker(Ours::neverOpens)
                        .fallback(chain -> chain.cached(COPIES, command -> Work.KEY, Work.OPEN_FOR))
                        .build(),
                Work.FAILS);
        this.open =
                command(spec("open").fallback(chain -> chain.template(TEMPLATE)).build(), Work.FAILS);
        this.onPool = command(
                spec("on-pool")
                        .threadPool(pool -> pool.named("pool").size(Work.LIMIT))
                        .build(),
                Work.ANSWERS);
        commands.cache(COPIES)
                .put(Work.KEY, new Timestamped<>(Work.COPY, commands.ticker().nanos()));
        Work.enoughToOpen(open::execute);
        CircuitState state = commands.circuit("open").explain().state();
        if (state != CircuitState.OPEN) {
            throw new IllegalStateException("the breaker should be open, was " + state);
        }
    }

    private static CommandSpec.Builder<CallableCommand<String>, String> spec(String name) {
        return CommandSpec.<String>callable(name)
                .group("bench")
                .semaphore(Work.LIMIT)
                .timeout(Work.TIMEOUT)
                .circuitBreaker(breaker -> {
                    duties(breaker);
                    breaker.requestVolumeThreshold(Work.MINIMUM_CALLS);
                });
    }

    private static void neverOpens(BreakerSpec breaker) {
        duties(breaker);
        breaker.requestVolumeThreshold(Integer.MAX_VALUE);
    }

    private static void duties(BreakerSpec breaker) {
        breaker.errorThresholdPercentage(Work.ERROR_PERCENTAGE)
                .window(Work.WINDOW)
                .sleepWindow(Work.OPEN_FOR);
    }

    CallableCommand<String> command(CommandSpec<CallableCommand<String>, String> spec, Callable<String> body) {
        return new CallableCommand<>(commands, spec, "", body);
    }

    @Override
    public Object success() {
        return success.execute();
    }

    @Override
    public Object failureThenStatic() {
        return failure.execute();
    }

    @Override
    public Object failureThenRead() {
        return read.execute();
    }

    @Override
    public Object openThenStatic() {
        return open.execute();
    }

    @Override
    public Object successOnPool() {
        return onPool.execute();
    }

    @Override
    public void close() {
        commands.close();
    }
}
