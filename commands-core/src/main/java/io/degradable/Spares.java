package io.degradable;

import java.util.function.Consumer;
import java.util.function.Function;

/** A chain that may go on with a spare, a cache or a template. */
public sealed interface Spares<C, R> extends Caches<C, R> permits Start, Chain {

    /**
     * Asks another command, under that command's own pool, timeout and breaker; its own chain is not used. It is always
     * bounded: by its pool, and in this chain by as many runs at once as the primary may have.
     *
     * @param command makes the spare out of the command's arguments; runs on the spare's thread
     */
    default <S extends DegradableCommand<? extends R>> Spares<C, R> spare(
            CommandSpec<S, ? extends R> spec, Function<? super C, ? extends S> command) {
        return spare(spec, command, spare -> {});
    }

    /** As {@link #spare(CommandSpec, Function)}, with settings of its own. */
    <S extends DegradableCommand<? extends R>> Spares<C, R> spare(
            CommandSpec<S, ? extends R> spec,
            Function<? super C, ? extends S> command,
            Consumer<? super SpareSpec> spare);

    /** As {@link #spare(CommandSpec, Function)}, for a command whose answer has another type. */
    default <S extends DegradableCommand<T>, T> Spares<C, R> spareMapped(
            CommandSpec<S, T> spec, Function<? super C, ? extends S> command, Function<? super T, ? extends R> map) {
        return spareMapped(spec, command, map, spare -> {});
    }

    /** As {@link #spareMapped(CommandSpec, Function, Function)}, with settings of its own. */
    <S extends DegradableCommand<T>, T> Spares<C, R> spareMapped(
            CommandSpec<S, T> spec,
            Function<? super C, ? extends S> command,
            Function<? super T, ? extends R> map,
            Consumer<? super SpareSpec> spare);

    /**
     * Asks a function, under a guard of its own: a pool as large as the primary may use, the primary's timeout cut to the
     * budget, a breaker.
     *
     * @param name the stage's name, unique in the chain
     */
    default Spares<C, R> spareCall(String name, StageCall<? super C, ? extends R> call) {
        return spareCall(name, call, stage -> {});
    }

    /** As {@link #spareCall(String, StageCall)}, with settings of its own. */
    Spares<C, R> spareCall(String name, StageCall<? super C, ? extends R> call, Consumer<? super StageSpec> stage);
}
