package io.degradable.internal.execution;

import io.degradable.internal.guard.FailureRules;
import io.degradable.internal.stage.LiveCall;
import io.degradable.settings.CommandDeclaration;
import io.degradable.settings.CommandSettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
 * @param said which settings its code has set, by name, as {@code timeout}; all others have their defaults
 * @param boundedBy within which time its body promises to end; null when it promises nothing
 */
public record CommandDefinition<C, R>(
        @Nullable Class<?> type,
        CommandSettings settings,
        FailureRules rules,
        LiveCall<C, R> run,
        @Nullable Predicate<? super Throwable> retryOn,
        List<StageDefinition<C, R>> stages,
        Set<String> said,
        @Nullable Duration boundedBy) {

    public CommandDefinition {
        stages = List.copyOf(stages);
        said = Set.copyOf(said);
    }

    /** What of it can be set from outside, and by what that is bound. */
    public CommandDeclaration declaration() {
        Set<String> spareCommands = new HashSet<>();
        Map<String, Duration> keptFor = new HashMap<>();
        for (StageDefinition<C, R> stage : stages) {
            if (stage instanceof StageDefinition.SpareCommand<C, R> spare) {
                spareCommands.add(spare.settings().name());
            } else if (stage instanceof StageDefinition.Cached<C, ?, R> cached) {
                Duration keepFor = cached.cache().settings().keepFor();
                if (keepFor != null) {
                    keptFor.put(cached.settings().name(), keepFor);
                }
            }
        }
        return new CommandDeclaration(settings, said, spareCommands, keptFor, boundedBy);
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

    /** Equal in class, settings, what was set and shape of the chain; functions cannot be compared. */
    boolean isSameAs(CommandDefinition<?, ?> other) {
        return type == other.type && settings.equals(other.settings) && said.equals(other.said);
    }
}
