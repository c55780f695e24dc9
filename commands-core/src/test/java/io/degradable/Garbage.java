package io.degradable;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import javax.annotation.Nullable;

/** What nobody holds any more. */
final class Garbage {

    private Garbage() {}

    /** Collects until something is found, for some seconds at most; null when nothing is. */
    static @Nullable Reference<?> collected(ReferenceQueue<?> gone) throws InterruptedException {
        Reference<?> found = null;
        for (int round = 0; round < 100 && found == null; round++) {
            System.gc();
            found = gone.remove(50);
        }
        return found;
    }
}
