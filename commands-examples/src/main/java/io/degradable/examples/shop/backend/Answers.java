package io.degradable.examples.shop.backend;

import javax.annotation.Nullable;

/** A service that only looks things up: {@code GET path + id}. */
interface Answers extends Service {
    /** The path before the id, such as {@code /stock/}. */
    String path();

    /** What is answered as JSON, or null for an id that is unknown here. */
    @Nullable
    Object find(long id) throws Exception;

    @Override
    default Reply answer(Asked asked) throws Exception {
        if (!asked.method().equals("GET")) {
            return Reply.onlyAllowed("GET");
        }
        Object found = null;
        if (asked.path().startsWith(path())) {
            try {
                found = find(Long.parseLong(asked.path().substring(path().length())));
            } catch (NumberFormatException e) { // no number names nothing, like a number that is unknown
                found = null;
            }
        }
        return found == null ? Reply.nothingAt(asked.path()) : Reply.ok(found);
    }
}
