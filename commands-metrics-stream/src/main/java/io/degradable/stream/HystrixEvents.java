package io.degradable.stream;

import io.degradable.Commands;
import io.degradable.model.StageReason;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.GuardSettings;
import io.degradable.state.CommandView;
import io.degradable.state.PoolView;
import io.degradable.state.StageView;
import java.io.ByteArrayOutputStream;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Says how a container is, in the words of Hystrix: an event for each command, for each stage of its chain, and for each
 * thread pool. The event of a command stands for its calls, with breaker and pool of the primary; the one called
 * {@code GetProduct:spare} stands for the guard of that stage.
 *
 * <p>Threading: used by one thread at a time, the stream's.
 */
final class HystrixEvents {

    private static final byte[] DATA = Text.utf8("data: ");
    private static final byte[] END = Text.utf8("\n\n");

    private final Commands commands;
    private final Map<String, RecentSamples> concurrency = new HashMap<>();
    private final Map<String, RecentSamples> active = new HashMap<>();
    private final Map<String, RecentSamples> completed = new HashMap<>();

    HystrixEvents(Commands commands) {
        this.commands = commands;
    }

    /** All events of this moment, and a ping, so that something is sent even when there is nothing to say. */
    byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        long nanos = commands.ticker().nanos();
        long millis = commands.ticker().epochMillis();
        List<? extends CommandView> known = commands.commands().stream()
                .sorted(Comparator.comparing(
                        (CommandView command) -> command.key().name()))
                .toList();
        for (CommandView command : known) {
            for (HystrixCommandEvent event : HystrixCommandEvent.allOf(command, millis)) {
                long most = sampled(concurrency, event.name(), event.concurrent(), nanos)
                        .most();
                append(bytes, json -> event.write(json, most));
            }
        }
        Map<String, Long> refusals = refusals(known);
        for (PoolView pool : commands.pools()) {
            append(
                    bytes,
                    new HystrixPoolEvent(
                            pool,
                            millis,
                            sampled(completed, pool.name(), pool.completed(), nanos)
                                    .growth(),
                            sampled(active, pool.name(), pool.active(), nanos).most(),
                            refusals.getOrDefault(pool.name(), 0L)));
        }
        bytes.writeBytes(Broadcast.PING);
        return bytes.toByteArray();
    }

    private static void append(ByteArrayOutputStream bytes, Json.Value event) {
        bytes.writeBytes(DATA);
        Json.append(bytes, event);
        bytes.writeBytes(END);
    }

    private static RecentSamples sampled(Map<String, RecentSamples> all, String name, long value, long nanos) {
        RecentSamples samples = all.computeIfAbsent(name, any -> new RecentSamples(HystrixCommandEvent.WINDOW));
        samples.add(value, nanos);
        return samples;
    }

    /** How many calls each pool has refused in the window. */
    private static Map<String, Long> refusals(List<? extends CommandView> commands) {
        Map<String, Long> refusals = new HashMap<>();
        // A spare shows the guard of the command behind it, which is to count once; each guard has settings of its own.
        Set<GuardSettings> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (CommandView command : commands) {
            for (StageView stage : command.stages()) {
                if (stage.settings().bulkhead() instanceof BulkheadSettings.ThreadPool pool
                        && seen.add(stage.settings())) {
                    refusals.merge(
                            pool.name(),
                            stage.recent(StageReason.THREAD_POOL_FULL) + stage.recent(StageReason.QUEUE_TIMEOUT),
                            Long::sum);
                }
            }
        }
        return refusals;
    }
}
