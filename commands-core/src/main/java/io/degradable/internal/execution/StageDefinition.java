package io.degradable.internal.execution;

import io.degradable.cache.CacheSpec;
import io.degradable.internal.stage.LiveCall;
import io.degradable.settings.StageSettings;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.annotation.Nullable;

/** A link of a chain as it was declared: its settings and its functions. The container makes a stage of it. */
public sealed interface StageDefinition<C, R> {

    StageSettings settings();

    /** Another command, under that command's own guard; {@code call} makes it, runs it and maps its answer. */
    record SpareCommand<C, R>(
            StageSettings settings,
            CommandDefinition<?, ?> spare,
            LiveCall<C, R> call,
            @Nullable Predicate<? super Throwable> onFailure)
            implements StageDefinition<C, R> {}

    /** A function, under a guard of its own. */
    record SpareFunction<C, R>(
            StageSettings settings,
            LiveCall<C, R> call,
            @Nullable Predicate<? super Throwable> onFailure) implements StageDefinition<C, R> {}

    /** A cache of the primary's answers. */
    record Cached<C, K, R>(
            StageSettings settings,
            CacheSpec<K, R> cache,
            Function<? super C, ? extends K> key,
            @Nullable Predicate<? super Throwable> onFailure)
            implements StageDefinition<C, R> {}

    /** A template. */
    record Template<C, R>(
            StageSettings settings,
            Function<? super C, ? extends R> fill,
            @Nullable Predicate<? super Throwable> onFailure)
            implements StageDefinition<C, R> {}

    /** A template that is the same for everybody. */
    record Constant<C, R>(
            StageSettings settings,
            Supplier<? extends R> value,
            @Nullable Predicate<? super Throwable> onFailure) implements StageDefinition<C, R> {}
}
