package io.degradable.micrometer;

import io.degradable.state.PoolView;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The meters of a thread pool. Whoever registers them keeps the view, see {@link Binding}. */
final class PoolMeters {

    private PoolMeters() {}

    static List<Meter> register(PoolView pool, MeterRegistry registry) {
        return List.of(
                gauge("degradable.pool.active", "Bodies that run in the pool", pool, PoolView::active, registry),
                gauge("degradable.pool.queued", "Calls that wait for a thread", pool, PoolView::queued, registry),
                gauge("degradable.pool.limit", "The most threads the pool may have", pool, PoolView::size, registry));
    }

    private static Meter gauge(
            String name, String description, PoolView pool, ToDoubleFunction<PoolView> value, MeterRegistry registry) {
        return Gauge.builder(name, pool, value)
                .description(description)
                .tag("pool", pool.name())
                .register(registry);
    }
}
