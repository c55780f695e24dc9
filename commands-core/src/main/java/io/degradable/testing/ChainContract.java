package io.degradable.testing;

import io.degradable.Commands;
import io.degradable.DegradableCommand;
import io.degradable.model.Trigger;
import io.degradable.settings.Require;
import io.degradable.state.CallKind;
import io.degradable.state.CommandView;
import io.degradable.time.Spans;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What every chain promises, checked for a command of the user: whichever way its primary ends without an answer, some stage
 * answers, and no stage that is asked throws, returns null or fails to end within its limit.
 *
 * <pre>{@code
 * ChainContract.of(() -> new GetProduct(catalog, replica, 42)).check();
 * }</pre>
 *
 * <p>The primary is never called: its end is put in its place by {@link Faults}. Each stage that answers is then
 * taken away and the call made again, so that the stages behind it are asked as well. Each call has a container of its own,
 * whatever container the command names. Its clock is the JVM's: {@link Trigger#TIMEOUT} takes the primary's own time
 * limit, once for each stage.
 */
public final class ChainContract {

    private final Supplier<? extends DegradableCommand<?>> command;
    private final Set<Trigger> left = EnumSet.of(Trigger.NONE);
    private Exception failure = new IOException("made by ChainContract");
    private Duration slack = Duration.ofSeconds(5);

    private ChainContract(Supplier<? extends DegradableCommand<?>> command) {
        this.command = command;
    }

    /**
     * The contract of a command.
     *
     * @param command makes one, for each call anew
     */
    public static ChainContract of(Supplier<? extends DegradableCommand<?>> command) {
        return new ChainContract(Objects.requireNonNull(command, "command must not be null"));
    }

    /** Leaves triggers out, for a chain that is meant to answer for others only. */
    public ChainContract without(Trigger... triggers) {
        Collections.addAll(left, triggers);
        return this;
    }

    /** What the primary throws for {@link Trigger#FAILURE}; default an {@link IOException}. */
    public ChainContract failingWith(Exception failure) {
        this.failure = Objects.requireNonNull(failure, "failure must not be null");
        return this;
    }

    /** How much longer than the limits of its stages a call may take before it is given up; default 5 s. */
    public ChainContract slack(Duration slack) {
        this.slack = Require.positive("slack", slack);
        return this;
    }

    /**
     * Checks all of it.
     *
     * @throws AssertionError when it does not hold; names the command and, for each violation, trigger and stage
     */
    public void check() {
        List<Violation> violations = new ArrayList<>();
        CommandView view = view();
        for (Trigger trigger : triggers(view)) {
            Set<String> without = new LinkedHashSet<>();
            String answered;
            do {
                try (ForcedCall call = new ForcedCall(command.get(), trigger, failure, without, Spans.nanos(slack))) {
                    answered = call.run(violations);
                }
            } while (answered != null && without.add(answered));
        }
        if (!violations.isEmpty()) {
            throw Violation.all(view.key().name(), violations);
        }
    }

    private CommandView view() {
        try (Commands commands = Commands.create()) {
            return ForcedCall.register(commands, command.get());
        }
    }

    /** Those that its primary can end with. */
    private Set<Trigger> triggers(CommandView view) {
        Set<Trigger> triggers = EnumSet.noneOf(Trigger.class);
        for (CallKind kind : view.possibleCalls()) {
            triggers.add(kind.trigger());
        }
        if (ForcedCall.limitNanos(view.settings()) >= Spans.FOREVER) {
            triggers.remove(Trigger.TIMEOUT);
        }
        triggers.remove(Trigger.RAMP); // the way back from a switch, whose stages are those of the switch
        triggers.removeAll(left);
        return triggers;
    }
}
