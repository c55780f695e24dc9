package io.degradable.internal.execution;

import io.degradable.cache.CacheSpec;
import io.degradable.internal.stage.LiveCall;
import io.degradable.settings.StageSettings;
import io.degradable.template.StaticSnapshot;
import io.degradable.template.StaticTemplate;
import io.degradable.template.TemplateFill;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.annotation.Nullable;

/** A link of a chain as it was declared: its settings and its functions. The container makes a stage of it. */
public sealed interface StageDefinition<C, R> {

    StageSettings settings();

    /** All stages that it can become. */
    default List<StageSettings> stages() {
        return List.of(settings());
    }

    /** The template that it reads; null for none. The container has its current version. */
    default @Nullable StaticTemplate<?> template() {
        return null;
    }

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

    /**
     * A cache of the primary's answers. Where there is a store behind it, it is three stages: memory while it can be believed,
     * the store, and, when that does not answer, memory all the same.
     *
     * @param settings memory
     * @param store the store; null when the cache never has one
     * @param atLast memory, after the store
     */
    record Cached<C, K, R>(
            StageSettings settings,
            @Nullable StageSettings store,
            @Nullable StageSettings atLast,
            CacheSpec<K, R> cache,
            Function<? super C, ? extends K> key,
            @Nullable Predicate<? super Throwable> onFailure)
            implements StageDefinition<C, R> {

        @Override
        public List<StageSettings> stages() {
            return Stream.of(settings, store, atLast).filter(Objects::nonNull).toList();
        }
    }

    /** A function that only computes. */
    record Computed<C, R>(
            StageSettings settings,
            Function<? super C, ? extends R> fill,
            @Nullable Predicate<? super Throwable> onFailure)
            implements StageDefinition<C, R> {}

    /** A template that is filled for each command. */
    record Filled<C, T, R>(
            StageSettings settings,
            StaticTemplate<T> template,
            TemplateFill<? super T, ? super C, ? extends R> fill,
            @Nullable Predicate<? super Throwable> onFailure)
            implements StageDefinition<C, R> {}

    /** A template that is the same for everybody. */
    record Constant<C, R>(
            StageSettings settings,
            StaticTemplate<? extends R> template,
            @Nullable Predicate<? super Throwable> onFailure)
            implements StageDefinition<C, R> {}

    /** A record of a snapshot, else a template. */
    record Snapshot<C, K, R>(
            StageSettings settings,
            StaticSnapshot<K, ? extends R> snapshot,
            Function<? super C, ? extends K> key,
            StaticTemplate<? extends R> template,
            @Nullable Predicate<? super Throwable> onFailure)
            implements StageDefinition<C, R> {}
}
