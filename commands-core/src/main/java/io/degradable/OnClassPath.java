package io.degradable;

import io.degradable.event.ContextCarrier;
import java.util.ArrayList;
import java.util.List;

/**
 * What a container uses by itself where the library for it is on the class path. It is asked for by name, since nothing here
 * imports an edge. Not by a {@code ServiceLoader}: that would take every carrier that any jar brings along, would depend on
 * the class loader of the thread, and would lose ours where jars are merged into one.
 */
final class OnClassPath {

    private static final String LIBRARY = "io.micrometer.context.ContextRegistry";
    private static final String CARRIER = "io.degradable.context.PropagatedContext";

    private OnClassPath() {}

    /** The carriers that were given, after Micrometer's context-propagation if that is there and not given itself. */
    static List<ContextCarrier> withContextPropagation(List<ContextCarrier> given) {
        try {
            Class.forName(LIBRARY, false, OnClassPath.class.getClassLoader());
            Class<?> carrier = Class.forName(CARRIER);
            if (given.stream().anyMatch(carrier::isInstance)) {
                return given;
            }
            List<ContextCarrier> all = new ArrayList<>();
            all.add((ContextCarrier) carrier.getConstructor().newInstance());
            all.addAll(given); // what was said on purpose goes on top
            return all;
        } catch (ClassNotFoundException notThere) {
            return given;
        } catch (ReflectiveOperationException broken) {
            throw new IllegalStateException(CARRIER + " cannot be made", broken);
        }
    }
}
