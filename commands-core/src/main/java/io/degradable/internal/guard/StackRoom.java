package io.degradable.internal.guard;

/**
 * Makes sure that a thread has some stack left before it takes what must be given back. A {@link StackOverflowError} in the
 * middle of that would leave a slot taken for good, or a queue of the JDK with an entry that no worker is told of. Here it
 * comes before anything is taken.
 */
public final class StackRoom {

    private StackRoom() {}

    /**
     * Enough to hand a body over and to wait for it.
     *
     * @throws StackOverflowError when there is too little
     */
    public static void forHandOver() {
        touch(256);
    }

    /** A frame takes 40 bytes compiled, twice that before; and one to two nanoseconds. */
    private static int touch(int frames) {
        // The sum is there so that the compiler makes no loop of it.
        return frames == 0 ? 0 : touch(frames - 1) + frames;
    }
}
