package io.degradable;

import io.degradable.cache.CacheSpec;
import io.degradable.template.StaticSnapshot;
import io.degradable.template.StaticTemplate;
import io.degradable.template.TemplateFill;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/** A chain that may go on with a cache or a template. */
public sealed interface Caches<C, R> extends FallbackSpec<C, R> permits Spares, Chain {

    /**
     * Answers with a copy of an earlier answer of the primary, if it is young enough. Good primary answers are kept for it.
     *
     * @param key what tells answers apart; must only compute. It runs on the caller's thread for reading, and where {@code
     *     run()} runs for keeping
     * @param freshness the oldest age that is served, inclusive
     */
    default <K> Caches<C, R> cached(CacheSpec<K, R> cache, Function<? super C, ? extends K> key, Duration freshness) {
        return cached(cache, key, freshness, stage -> {});
    }

    /** As {@link #cached(CacheSpec, Function, Duration)}, with settings of its own. */
    <K> Caches<C, R> cached(
            CacheSpec<K, R> cache,
            Function<? super C, ? extends K> key,
            Duration freshness,
            Consumer<? super StageSpec> stage);

    /**
     * Answers a write whose end nobody knows, and only such a one, with a typed "pending": never a success, and it names the
     * operation's id, by which the same command may be run again. Needs {@code operationId(...)}. Without it such a run
     * fails, with {@link io.degradable.model.CommandException#outcomeUnknown()}.
     *
     * @param answer makes the answer out of the command and the operation's id; must only compute
     */
    Caches<C, R> pending(BiFunction<? super C, ? super String, ? extends R> answer);

    /** Answers with a template as it is; a write only when it is known not to have been done. */
    default FallbackSpec<C, R> template(StaticTemplate<? extends R> template) {
        return template(template, (TemplateSpec stage) -> {});
    }

    /** As {@link #template(StaticTemplate)}, with settings of its own. */
    FallbackSpec<C, R> template(StaticTemplate<? extends R> template, Consumer<? super TemplateSpec> stage);

    /** Answers with a template into which the command's arguments are put. */
    default <T extends R> FallbackSpec<C, R> template(
            StaticTemplate<T> template, TemplateFill<? super T, ? super C, ? extends R> fill) {
        return template(template, fill, stage -> {});
    }

    /** As {@link #template(StaticTemplate, TemplateFill)}, with settings of its own. */
    <T extends R> FallbackSpec<C, R> template(
            StaticTemplate<T> template,
            TemplateFill<? super T, ? super C, ? extends R> fill,
            Consumer<? super TemplateSpec> stage);

    /**
     * Answers with a record of a snapshot, which has the snapshot's age; with a template, which has none, when there is no
     * record. A key function that throws and a record that cannot be read are counted as the user's mistakes, and the
     * template answers.
     *
     * @param key what the records are kept by; must only compute
     * @param otherwise says that nothing is known
     */
    default <K> FallbackSpec<C, R> template(
            StaticSnapshot<K, ? extends R> snapshot,
            Function<? super C, ? extends K> key,
            StaticTemplate<? extends R> otherwise) {
        return template(snapshot, key, otherwise, stage -> {});
    }

    /** As {@link #template(StaticSnapshot, Function, StaticTemplate)}, with settings of its own. */
    <K> FallbackSpec<C, R> template(
            StaticSnapshot<K, ? extends R> snapshot,
            Function<? super C, ? extends K> key,
            StaticTemplate<? extends R> otherwise,
            Consumer<? super TemplateSpec> stage);
}
