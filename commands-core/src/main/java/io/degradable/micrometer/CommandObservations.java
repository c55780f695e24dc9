package io.degradable.micrometer;

import io.degradable.event.CommandEvent.CallEnded;
import io.degradable.event.CommandEvent.StageEnded;
import io.degradable.event.RunObserver;
import io.degradable.model.CommandKey;
import io.degradable.model.StageOutcome;
import io.micrometer.observation.Observation;
import io.micrometer.observation.Observation.Event;
import io.micrometer.observation.Observation.Scope;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.ObservationRegistry;
import java.util.Locale;
import java.util.Objects;
import javax.annotation.Nullable;

/**
 * An observation for each run, for traces: {@code Commands.builder().observe(CommandObservations.in(registry))}. Its parent
 * is the current observation of the caller; it is the current one in every body, stage and queued listener of the run, so
 * that what they observe are its children. Each stage is an event of it. A run that nobody answered has the failure of its
 * primary as error; one that was answered by another source has none, its events say what went wrong.
 *
 * <p>With a registry that has no handler, or that switches the observation off, a run is not followed.
 *
 * <p>Threading: as {@link RunObserver} says.
 */
public final class CommandObservations implements RunObserver {

    private static final CommandConvention DEFAULT = new CommandConvention();

    private final ObservationRegistry registry;
    private final @Nullable ObservationConvention<CommandContext> convention;

    private CommandObservations(
            ObservationRegistry registry, @Nullable ObservationConvention<CommandContext> convention) {
        this.registry = Objects.requireNonNull(registry, "registry must not be null");
        this.convention = convention;
    }

    /** Observations in a registry, named by {@link CommandConvention} unless the registry has a global convention for them. */
    public static CommandObservations in(ObservationRegistry registry) {
        return new CommandObservations(registry, null);
    }

    /** Observations in a registry, named by a convention of one's own. */
    public static CommandObservations in(
            ObservationRegistry registry, ObservationConvention<CommandContext> convention) {
        return new CommandObservations(registry, Objects.requireNonNull(convention, "convention must not be null"));
    }

    @Override
    public @Nullable ObservedRun begins(CommandKey command) {
        if (registry.isNoop()) {
            return null;
        }
        CommandContext context = new CommandContext(command);
        Observation observation = Observation.createNotStarted(convention, DEFAULT, () -> context, registry);
        if (observation.isNoop()) {
            return null;
        }
        try {
            return new ObservedCommand(registry, observation.start(), context);
        } catch (Throwable ofHandler) {
            observation.stop(); // for the handlers that were told of the start
            throw ofHandler;
        }
    }

    private record ObservedCommand(ObservationRegistry registry, Observation observation, CommandContext context)
            implements ObservedRun {

        @Override
        public Runnable install() {
            Scope before = registry.getCurrentObservationScope();
            try {
                Scope opened = observation.openScope();
                return () -> close(opened, before);
            } catch (Throwable ofHandler) {
                Scope halfOpened = registry.getCurrentObservationScope();
                if (halfOpened != null && halfOpened != before) {
                    close(halfOpened, before);
                }
                throw ofHandler;
            }
        }

        /** Leaves the thread as it was, whatever handlers do. */
        private void close(Scope scope, @Nullable Scope before) {
            try {
                scope.close();
            } finally {
                registry.setCurrentObservationScope(before);
            }
        }

        @Override
        public void stageEnded(StageEnded stage) {
            observation.event(Event.of("stage", textOf(stage)));
        }

        private static String textOf(StageEnded stage) {
            String outcome = stage.outcome().name().toLowerCase(Locale.ROOT).replace('_', ' ');
            String what = stage.stage() + " " + outcome;
            return stage.outcome() == StageOutcome.ANSWERED
                    ? what
                    : what + ": " + stage.reason().text();
        }

        @Override
        public void ended(CallEnded call) {
            context.end(call);
            try {
                if (call.source() == null && call.cause() != null) {
                    observation.error(call.cause());
                }
            } finally {
                observation.stop();
            }
        }
    }
}
