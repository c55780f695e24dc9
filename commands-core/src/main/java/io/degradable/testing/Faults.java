package io.degradable.testing;

import io.degradable.Commands;
import io.degradable.internal.execution.CommandRuntime;
import io.degradable.internal.execution.Container;
import io.degradable.internal.guard.Guard;
import io.degradable.state.CommandView;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Troubles put into a container by a test. What a stage's bulkhead or body would do is done in their place, so counts,
 * breaker, timeouts and chain take it for real.
 *
 * <pre>{@code
 * try (Faults faults = Faults.in(commands)) {
 *     faults.of("GetProduct").fails(new IOException("connection reset"));
 *     faults.of("GetProduct", "spare").delays(Duration.ofSeconds(2));
 *     ...
 * }
 * }</pre>
 *
 * <p>Threading: every method may be called from any thread. Calls in flight are not touched, neither by a fault nor by its
 * end.
 */
public final class Faults implements AutoCloseable {

    private final Commands commands;
    private final Map<Guard, StageFaults> touched = new HashMap<>(); // guarded by this

    private Faults(Commands commands) {
        this.commands = commands;
    }

    /** Faults for commands of a container; none yet. */
    public static Faults in(Commands commands) {
        return new Faults(Objects.requireNonNull(commands, "commands must not be null"));
    }

    /**
     * The faults of a command's primary.
     *
     * @throws IllegalArgumentException when the container does not know the command: register it first
     */
    public StageFaults of(String command) {
        return of(command, "primary");
    }

    /**
     * The faults of a stage of a command. Those of a spare command are met by its direct users, too, as the guard is theirs
     * as well.
     *
     * @throws IllegalArgumentException when the container does not know the command or the command has no such stage
     */
    public synchronized StageFaults of(String command, String stage) {
        Objects.requireNonNull(command, "command must not be null");
        Objects.requireNonNull(stage, "stage must not be null");
        Guard guard = containerOf(command).guard(command, stage);
        return touched.computeIfAbsent(
                guard,
                known -> new StageFaults(known, () -> commands.circuit(command, stage), stage + " of " + command));
    }

    private Container containerOf(String command) {
        for (CommandView known : commands.commands()) {
            if (known.key().name().equals(command) && known instanceof CommandRuntime<?, ?> runtime) {
                return runtime.container();
            }
        }
        throw new IllegalArgumentException("command " + command + " is not known in " + commands.name()
                + ": register its spec before faults are put into it");
    }

    /** Takes all of them out. */
    public synchronized void clear() {
        touched.values().forEach(StageFaults::clear);
    }

    /** As {@link #clear()}. */
    @Override
    public void close() {
        clear();
    }
}
