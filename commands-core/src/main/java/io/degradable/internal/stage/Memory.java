package io.degradable.internal.stage;

import io.degradable.cache.TimedCache;
import io.degradable.cache.Timestamped;
import java.util.function.Function;

/**
 * Keeps good primary answers for a cached stage of the same chain.
 *
 * @param cache where they are kept
 * @param key what tells answers apart
 */
public record Memory<C, K, R>(TimedCache<K, R> cache, Function<? super C, ? extends K> key) {

    /** @param mistake told when the key function throws: then nothing is kept, and the answer is good all the same */
    void keep(C command, R answer, long startedNanos, Runnable mistake) {
        try {
            cache.put(key.apply(command), new Timestamped<>(answer, startedNanos));
        } catch (Throwable thrown) { // a checked exception, too: some languages do not declare them
            mistake.run();
        }
    }
}
