package io.degradable.context;

import io.degradable.event.ContextCarrier;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import javax.annotation.Nullable;

/**
 * Takes along what is registered with Micrometer's context-propagation: the current observation and with it the trace, the
 * MDC, whatever a {@link ThreadLocalAccessor} is there for. A container does so by itself where that library is on the
 * class path; {@code Commands.builder().noContextPropagation()} says that it must not.
 *
 * <p>It asks the accessors one by one, and not a {@code ContextSnapshot}: that does not say whether it is empty, and when one
 * accessor throws it leaves on the thread what the others had set. Here each accessor is on its own. What one threw, at
 * whichever moment, is thrown once everything has been put back, so the container counts it and nobody misses anything else.
 *
 * <p>Threading: as {@link ContextCarrier} says.
 */
public final class PropagatedContext implements ContextCarrier {

    private final Supplier<ContextRegistry> registry;

    /** Of the accessors in the registry that the whole application shares. */
    public PropagatedContext() {
        this.registry = ContextRegistry::getInstance; // asked late: what others have registered may fail to load
    }

    /** Of the accessors in a registry of one's own. The container takes this one instead of the shared one. */
    public PropagatedContext(ContextRegistry registry) {
        Objects.requireNonNull(registry, "registry must not be null");
        this.registry = () -> registry;
    }

    @Override
    public @Nullable Captured capture() {
        List<Value<?>> values = null;
        Throwable mistake = null;
        for (ThreadLocalAccessor<?> accessor : registry.get().getThreadLocalAccessors()) {
            try {
                Value<?> value = Value.of(accessor);
                if (value != null) {
                    values = values == null ? new ArrayList<>() : values;
                    values.add(value);
                }
            } catch (Throwable thrown) {
                mistake = thrown;
            }
        }
        if (values != null) {
            return new Values(values, mistake);
        }
        failIf(mistake);
        return null;
    }

    /** To be counted by whoever called; {@link ThreadLocalAccessor} declares no exception, so there is no other type to keep. */
    private static void failIf(@Nullable Throwable mistake) {
        if (mistake != null) {
            throw new IllegalStateException("an accessor of context-propagation failed", mistake);
        }
    }

    /** What one call takes along. */
    private record Values(List<Value<?>> values, @Nullable Throwable whileCapturing) implements Captured {

        @Override
        public Runnable install() {
            Deque<Runnable> putBack = new ArrayDeque<>(values.size());
            Throwable mistake = whileCapturing;
            for (Value<?> value : values) {
                try {
                    putBack.push(value.install());
                } catch (Throwable thrown) {
                    mistake = thrown;
                }
            }
            Throwable before = mistake;
            return () -> putBack(putBack, before);
        }

        private static void putBack(Deque<Runnable> all, @Nullable Throwable before) {
            Throwable mistake = before;
            for (Runnable one : all) {
                try {
                    one.run();
                } catch (Throwable thrown) {
                    mistake = thrown;
                }
            }
            failIf(mistake);
        }
    }

    /** What one accessor has found. */
    private record Value<V>(ThreadLocalAccessor<V> accessor, V value) {

        static <V> @Nullable Value<V> of(ThreadLocalAccessor<V> accessor) {
            V value = accessor.getValue();
            return value == null ? null : new Value<>(accessor, value);
        }

        Runnable install() {
            V before = accessor.getValue();
            try {
                accessor.setValue(value);
            } catch (Throwable halfWay) {
                if (accessor.getValue() != before) {
                    restore(before);
                }
                throw halfWay;
            }
            return () -> restore(before);
        }

        private void restore(@Nullable V before) {
            if (before == null) {
                accessor.restore();
            } else {
                accessor.restore(before);
            }
        }
    }
}
