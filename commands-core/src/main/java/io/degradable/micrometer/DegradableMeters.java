package io.degradable.micrometer;

import io.degradable.Commands;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The meters of a container: {@code degradable.calls}, {@code degradable.events}, {@code fallback.source} and the others,
 * for every command it knows and every one that becomes known later, at zero from that moment on, and gone with it.
 *
 * <pre>{@code
 * new DegradableMeters(commands).bindTo(registry);
 * }</pre>
 *
 * <p>All of them are functions over what the container counts anyway. A call moves no meter, a scrape reads.
 *
 * <p>The registry refers to the container weakly: it does not keep alive a container that nobody else has, and the meters
 * of one that is gone stand still.
 *
 * <p>Threading: every method may be called from any thread. Meters are made on the thread that makes a command known,
 * which may be the one of its first call; {@link Commands#register} keeps that off the first call.
 */
public final class DegradableMeters implements MeterBinder, AutoCloseable {

    private final Commands commands;
    private final Map<MeterRegistry, Binding> bindings = new ConcurrentHashMap<>();

    public DegradableMeters(Commands commands) {
        this.commands = commands;
    }

    /** Makes the meters in a registry. Doing it again changes nothing. */
    @Override
    public void bindTo(MeterRegistry registry) {
        Binding binding = new Binding(registry, commands::pools);
        if (bindings.putIfAbsent(registry, binding) == null) {
            commands.watch(binding);
        }
    }

    /** Takes the meters out of the registries they were bound to. */
    @Override
    public void close() {
        bindings.values().forEach(Binding::close);
    }
}
