package io.degradable.micrometer;

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
final class Binding {

    private final MeterRegistry registry;
    private final Supplier<List<PoolView>> pools;

    // Micrometer refers to what a meter reads by a weak reference. These maps hold it, and the container holds this
    // binding.
    private final Map<String, CommandMeters> commands = new ConcurrentHashMap<>();
    private final Map<String, PoolView> boundPools = new ConcurrentHashMap<>();

    private final Queue<Meter> meters = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    Binding(MeterRegistry registry, Supplier<List<PoolView>> pools) {
        this.registry = registry;
        this.pools = pools;
    }

    /** Makes the meters of a command, and of the pools it has brought along. The container may tell of a command twice. */
    void bind(CommandView command) {
        CommandMeters made = new CommandMeters(command);
        if (closed || commands.putIfAbsent(command.key().name(), made) != null) {
            return;
        }
        meters.addAll(made.register(registry));
        for (PoolView pool : pools.get()) {
            if (boundPools.putIfAbsent(pool.name(), pool) == null) {
                meters.addAll(PoolMeters.register(pool, registry));
            }
        }
        if (closed) {
            removeAll(); // close() may have missed what was just added
        }
    }

    void close() {
        closed = true;
        removeAll();
    }

    private void removeAll() {
        for (Meter meter = meters.poll(); meter != null; meter = meters.poll()) {
            registry.remove(meter);
        }
    }
}
