package io.degradable.control;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * How the store of overrides is, as it can be looked at.
 *
 * @param name how it is called
 * @param reachable whether the last attempt to agree with it went through
 * @param since since when that is so, by the wall clock; empty before the first attempt
 * @param lastFault what went wrong last; empty when nothing has
 * @param waiting entries that it does not have yet
 * @param unreadable entries of it that cannot be read, each with what is wrong; they are left as they are until somebody
 *     sets their target here
 */
public record StoreState(
        String name,
        boolean reachable,
        Optional<Instant> since,
        String lastFault,
        int waiting,
        List<String> unreadable) {

    public StoreState {
        unreadable = List.copyOf(unreadable);
    }
}
