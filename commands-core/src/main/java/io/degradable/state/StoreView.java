package io.degradable.state;

import java.util.Map;

/**
 * What a cache and the store behind it have had to do with each other, since the start.
 *
 * @param name the store, as {@code redis}
 * @param forms how keys and copies are written
 * @param written copies and invalidations that it has taken
 * @param olderThanStored those that it had something younger than
 * @param failedWrites those that could not be written, or nobody knows whether they were
 * @param droppedWrites those that were not written because too many were waiting
 * @param unreadable what it had under a key that could not be taken for a copy of it, by reason
 */
public record StoreView(
        String name,
        String forms,
        long written,
        long olderThanStored,
        long failedWrites,
        long droppedWrites,
        Map<String, Long> unreadable) {

    public StoreView {
        unreadable = Map.copyOf(unreadable);
    }
}
