package io.degradable.micrometer;

import io.degradable.state.CommandObserver;
import io.degradable.state.CommandView;
import io.degradable.state.PoolView;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/**
 * The meters of one container in one registry.
 *
 * <p>Threading: every method may be called from any thread. There is no lock, since a registry runs filters of the user.
 */
final class Binding implements CommandObserver {

    /** The meters of a command or of a pool. */
    private record Bound(Object view, Supplier<List<Meter>> maker, Queue<Meter> meters) {

        /** Makes them; those that exist are left alone. */
        void register() {
            meters.addAll(maker.get());
        }

        void removeFrom(MeterRegistry registry) {
            for (Meter meter = meters.poll(); meter != null; meter = meters.poll()) {
                registry.remove(meter);
            }
        }
    }

    private final MeterRegistry registry;
    private final Supplier<List<PoolView>> pools;

    // Micrometer refers to what a meter reads by a weak reference. These maps hold it, and the container holds this
    // binding.
    private final Map<String, Bound> commands = new ConcurrentHashMap<>();
    private final Map<String, Bound> boundPools = new ConcurrentHashMap<>();

    private volatile boolean closed;

    Binding(MeterRegistry registry, Supplier<List<PoolView>> pools) {
        this.registry = registry;
        this.pools = pools;
    }

    /** Makes the meters of a command, and of the pools it has brought along. */
    @Override
    public void known(CommandView command) {
        if (closed) {
            return;
        }
        CommandMeters made = new CommandMeters(command);
        bind(commands, command.key().name(), command, () -> made.register(registry));
        for (PoolView pool : pools.get()) {
            bind(boundPools, pool.name(), pool, () -> PoolMeters.register(pool, registry));
        }
        if (closed) {
            removeAll(); // close() may have missed what was just added
        }
    }

    /** Takes out the meters of a command, and of the pools that went with it. */
    @Override
    public void gone(CommandView command) {
        unbind(commands, command.key().name(), command);
        List<PoolView> left = pools.get();
        for (Bound pool : boundPools.values()) {
            if (pool.view instanceof PoolView view && !left.contains(view)) {
                unbind(boundPools, view.name(), view);
            }
        }
    }

    private void bind(Map<String, Bound> all, String name, Object view, Supplier<List<Meter>> maker) {
        Bound made = new Bound(view, maker, new ConcurrentLinkedQueue<>());
        Bound before = all.putIfAbsent(name, made);
        while (before != null) {
            if (before.view.equals(view)) {
                return;
            }
            if (all.replace(name, before, made)) {
                before.removeFrom(registry); // its name has become known anew before it was told gone
                break;
            }
            before = all.putIfAbsent(name, made);
        }
        made.register();
    }

    private void unbind(Map<String, Bound> all, String name, Object view) {
        Bound bound = all.get(name);
        if (bound == null || !bound.view.equals(view) || !all.remove(name, bound)) {
            return;
        }
        bound.removeFrom(registry);
        Bound successor = all.get(name);
        if (successor != null) {
            successor.register(); // meanwhile it may have found our meters and taken them for its own
        }
    }

    void close() {
        closed = true;
        removeAll();
    }

    private void removeAll() {
        commands.values().forEach(bound -> bound.removeFrom(registry));
        boundPools.values().forEach(bound -> bound.removeFrom(registry));
    }
}
