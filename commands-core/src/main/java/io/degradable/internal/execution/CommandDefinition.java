package io.degradable.internal.execution;

import io.degradable.internal.guard.FailureRules;
import io.degradable.internal.stage.LiveCall;
import io.degradable.settings.CommandSettings;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.annotation.Nullable;

/**
 * A command as it was declared: data, and the functions that go with it. The container makes a {@link CommandRuntime} of it.
 *
 * @param type the command's class; null when it was declared by name only
 * @param settings all of it that is data
 * @param rules what its failures mean
 * @param run the primary's body
 * @param retryOn which failures are worth another attempt; null for all
 * @param stages its chain, in order
 */
public record CommandDefinition<C, R>(
        @Nullable Class<?> type,
        CommandSettings settings,
        FailureRules rules,
        LiveCall<C, R> run,
        @Nullable Predicate<? super Throwable> retryOn,
        List<StageDefinition<C, R>> stages) {

    public CommandDefinition {
        stages = List.copyOf(stages);
    }

    String name() {
        return settings.key().name();
    }

    /** The names of the commands that are its spares. */
    Stream<String> spares() {
        return stages.stream()
                .filter(StageDefinition.SpareCommand.class::isInstance)
                .map(stage ->
                        ((StageDefinition.SpareCommand<?, ?>) stage).spare().name());
    }

    /** Whether the name does not say the class: then there may be any number of them. */
    boolean isMadeUp() {
        return type == null || !type.getSimpleName().equals(name());
    }

    /** Equal in class, settings and shape of the chain; functions cannot be compared. */
    boolean isSameAs(CommandDefinition<?, ?> other) {
        return type == other.type && settings.equals(other.settings);
    }
}
