package io.degradable.internal.execution;

import io.degradable.internal.stage.Step;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import javax.annotation.Nullable;

/**
 * Which keys are being fetched at the moment: of the runs that want one, the first fetches it and the others wait for what
 * that comes to.
 *
 * <p>Threading: every method may be called from any thread.
 */
final class Flights {

    /** One key, from when a run goes to fetch it until it has an answer or none. */
    static final class Flight {

        private final Set<Runnable> waiting = ConcurrentHashMap.newKeySet();
        private @Nullable Step<?, ?, ?> outcome; // published by the flag
        private volatile boolean ended;

        boolean hasEnded() {
            return ended;
        }

        /** How the primary of the one that fetched ended; null while it is under way, and when that run came to nothing. */
        @Nullable
        Step<?, ?, ?> outcome() {
            return ended ? outcome : null;
        }

        /** Tells when it has ended, on the thread of who ends it; at once if it has. It may tell twice. */
        void whenEnded(Runnable told) {
            waiting.add(told);
            if (ended) { // asked after it was added: who ends it sees it, or is seen
                told.run();
            }
        }

        /** Who waits no longer need not be told; the one that fetches may hang for days. */
        void forget(Runnable told) {
            waiting.remove(told);
        }

        private void end(@Nullable Step<?, ?, ?> with) {
            outcome = with;
            ended = true;
            for (Runnable told : waiting) {
                try {
                    told.run();
                } catch (Throwable itsOwn) {
                    // The trouble of one who waits is none of the others, nor of the one that fetched.
                }
            }
        }
    }

    /** A key with the hash that it had when it came: it is found by that, whatever becomes of the key. */
    static final class Key {

        private final Object value;
        private final int hash;

        Key(Object value) {
            this.value = value;
            this.hash = value.hashCode();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && hash == key.hash && value.equals(key.value);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    private final ConcurrentMap<Key, Flight> underWay = new ConcurrentHashMap<>();

    boolean isUnderWay(Object key) {
        return !underWay.isEmpty() && underWay.containsKey(new Key(key));
    }

    /** The flight of a key: {@code mine}, if there was none. */
    Flight join(Key key, Flight mine) {
        Flight others = underWay.putIfAbsent(key, mine);
        if (others == null || (others.hasEnded() && underWay.replace(key, others, mine))) {
            return mine;
        }
        return others;
    }

    /** Ends a flight, by the run whose it is. */
    void end(Key key, Flight flight, @Nullable Step<?, ?, ?> with) {
        try {
            underWay.remove(key, flight);
        } catch (Throwable itsEquals) {
            // Nobody must wait for one that has ended: who finds it there takes its place.
        }
        flight.end(with);
    }
}
