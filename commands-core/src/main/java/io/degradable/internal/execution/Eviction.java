package io.degradable.internal.execution;

import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.StageSettings;
import io.degradable.template.StaticTemplate;
import io.degradable.time.Spans;
import io.degradable.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Lets commands go that nobody has used for long: only those with a name that was made up while running, that were not
 * registered, that no other command has for a spare, and with nothing in flight and a closed breaker. There is no thread for
 * it: whoever makes a name known, or looks at the commands, sweeps when it is due.
 *
 * <p>Threading: guarded by the container.
 */
final class Eviction {

    /** So a command goes when it was idle for between one and one and a quarter of the time. */
    private static final int SWEEPS_PER_IDLE_TIME = 4;

    private final Ticker ticker;
    private final long idleNanos;
    private long nextSweepNanos;

    Eviction(Ticker ticker, Duration idle) {
        this.ticker = ticker;
        this.idleNanos = Spans.nanos(idle);
        this.nextSweepNanos = ticker.nanos();
    }

    /** Takes idle commands out of the map, and ends their pools. Returns those that went. */
    List<CommandRuntime<?, ?>> sweepIfDue(
            Map<String, CommandRuntime<?, ?>> commands, Runnable keepPools, LiveTemplates templates) {
        long now = ticker.nanos();
        if (now - nextSweepNanos < 0) {
            return List.of();
        }
        nextSweepNanos = now + idleNanos / SWEEPS_PER_IDLE_TIME;
        Set<String> spares = sparesOf(commands.values());
        List<CommandRuntime<?, ?>> gone = new ArrayList<>();
        for (CommandRuntime<?, ?> command : commands.values()) {
            if (command.isIdle(now, idleNanos) && !spares.contains(command.key().name()) && command.retire()) {
                gone.add(command);
            }
        }
        if (!gone.isEmpty()) {
            gone.forEach(command -> commands.remove(command.key().name()));
            keepPools.run();
            templates.keep(templatesOf(commands.values()));
        }
        return gone;
    }

    private static Set<String> sparesOf(Collection<CommandRuntime<?, ?>> commands) {
        Set<String> names = new HashSet<>();
        for (CommandRuntime<?, ?> command : commands) {
            for (StageDefinition<?, ?> stage : command.definition().stages()) {
                if (stage instanceof StageDefinition.SpareCommand<?, ?> spare) {
                    names.add(spare.spare().name());
                }
            }
        }
        return names;
    }

    private static Set<String> templatesOf(Collection<CommandRuntime<?, ?>> commands) {
        Set<String> names = new HashSet<>();
        for (CommandRuntime<?, ?> command : commands) {
            for (StageDefinition<?, ?> stage : command.definition().stages()) {
                StaticTemplate<?> template = stage.template();
                if (template != null) {
                    names.add(template.name());
                }
            }
        }
        return names;
    }

    /** The thread pools that commands and their stages name. */
    static Set<String> poolsOf(Collection<CommandRuntime<?, ?>> commands) {
        Set<String> names = new HashSet<>();
        for (CommandRuntime<?, ?> command : commands) {
            addPool(names, command.settings().guard().bulkhead());
            for (StageSettings stage : command.settings().stages()) {
                addPool(names, stage.guard().bulkhead());
            }
        }
        return names;
    }

    private static void addPool(Set<String> names, BulkheadSettings bulkhead) {
        if (bulkhead instanceof BulkheadSettings.ThreadPool pool) {
            names.add(pool.name());
        }
    }
}
