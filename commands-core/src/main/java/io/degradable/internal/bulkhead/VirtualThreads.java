package io.degradable.internal.bulkhead;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ThreadFactory;

/** Virtual threads, found at run time: this is compiled for Java 17, and they came with Java 21. */
public final class VirtualThreads {

    private static final int SINCE = 21;

    private VirtualThreads() {}

    public static boolean areThere() {
        return Runtime.version().feature() >= SINCE;
    }

    /**
     * Makes virtual threads with a name that begins as said and ends with a number.
     *
     * @throws IllegalStateException below Java 21
     */
    public static ThreadFactory factory(String prefix) {
        if (!areThere()) {
            throw new IllegalStateException("virtual threads need Java " + SINCE + " or newer, this is Java "
                    + Runtime.version().feature());
        }
        try {
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            Class<?> builder = Class.forName("java.lang.Thread$Builder");
            Class<?> ofVirtual = Class.forName("java.lang.Thread$Builder$OfVirtual");
            MethodHandle make = lookup.findStatic(Thread.class, "ofVirtual", MethodType.methodType(ofVirtual));
            MethodHandle named =
                    lookup.findVirtual(ofVirtual, "name", MethodType.methodType(ofVirtual, String.class, long.class));
            MethodHandle build = lookup.findVirtual(builder, "factory", MethodType.methodType(ThreadFactory.class));
            return (ThreadFactory) build.invoke(named.invoke(make.invoke(), prefix, 1L));
        } catch (Throwable mistake) {
            throw new IllegalStateException("virtual threads cannot be made", mistake);
        }
    }
}
