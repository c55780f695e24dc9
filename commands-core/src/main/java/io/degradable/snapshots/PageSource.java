package io.degradable.snapshots;

import java.util.List;
import javax.annotation.Nullable;

/**
 * Where a snapshot comes from, page by page. By the last item of the page before, and not by number, as in
 * {@code WHERE id > ? ORDER BY id LIMIT ?}: rows that are added or removed meanwhile then neither shift nor repeat others.
 *
 * <p>It runs on the thread that builds, has no time limit, and should have one of its own. The thread is interrupted when
 * nobody wants the snapshot any more.
 *
 * @param <S> an item as the source has it
 */
@FunctionalInterface
public interface PageSource<S> {

    /**
     * The next page.
     *
     * @param after the last item of the page before; null for the first page
     * @param size so many at most
     * @return never null; an empty one is the end, one that is merely short is not
     * @throws Exception ends the building; the old snapshot stays
     */
    List<S> page(@Nullable S after, int size) throws Exception;
}
