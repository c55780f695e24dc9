package io.degradable.internal.stage;

import io.degradable.cache.Lookup;
import io.degradable.cache.TimedCache;
import io.degradable.model.FallbackContext;
import io.degradable.model.StageReason;
import java.time.Duration;
import java.util.function.Function;
import javax.annotation.Nullable;

/** A copy of an earlier answer, if it is young enough. Never goes back to the source of the answers. */
final class CacheBody<C, K, R> implements StageBody<C, Lookup<R>, R> {

    private final Copies<K, R> copies;
    private final TimedCache<K, R> cache;
    private final Function<? super C, ? extends K> key;
    private final Duration window;

    /** @param copies how they are looked up in the cache */
    CacheBody(Copies<K, R> copies, TimedCache<K, R> cache, Function<? super C, ? extends K> key, Duration window) {
        this.copies = copies;
        this.cache = cache;
        this.key = key;
        this.window = window;
    }

    @Override
    public Lookup<R> call(C command, @Nullable FallbackContext context) throws Exception {
        return copies.look(key.apply(command), window);
    }

    @Override
    public Lookup<R> rehearse(C command) {
        return cache.peek(key.apply(command), window);
    }

    @Override
    public StageReason judge(@Nullable Lookup<R> lookup) {
        return lookup == null
                ? StageReason.ABSENT
                : switch (lookup.freshness()) {
                    case FRESH -> StageReason.ANSWER;
                    case STALE -> StageReason.TOO_OLD;
                    case ABSENT -> StageReason.ABSENT;
                    case FROM_THE_FUTURE -> StageReason.FROM_THE_FUTURE;
                };
    }

    @Override
    public @Nullable R answer(@Nullable Lookup<R> lookup) {
        return lookup == null ? null : lookup.value();
    }

    @Override
    public long ageNanos(@Nullable Lookup<R> lookup) {
        return lookup == null ? 0 : lookup.ageNanos();
    }
}
