package io.degradable;

import io.degradable.event.ContextCarrier;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;

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
            initialize();
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

    /** Not left to the first call, whose time limit does not allow for all that the library loads. */
    private static void initialize() throws ClassNotFoundException {
        try {
            Class.forName(LIBRARY);
        } catch (LinkageError | ServiceConfigurationError broken) {
            // By what somebody has registered there. Each call that would use it finds so again, and counts it.
        }
    }
}
