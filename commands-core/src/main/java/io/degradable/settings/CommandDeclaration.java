package io.degradable.settings;

import io.degradable.model.Source;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;

/**
 * A command as its code has it: where properties begin, and what they cannot change.
 *
 * @param settings what the code made of it, defaults included
 * @param said which settings the code has set, by name, as {@code timeout} or {@code stage.replica.timeout}; those of its pool
 *     are {@code pool.size}, those of a stage's {@code stage.replica.pool.size}; {@link #REPEATABLE} is among them where it holds
 * @param spareCommands the names of the stages that are other commands, whose guards are theirs
 * @param keptFor for how long stores keep copies, by the name of the cache's stage; where it is not there, no bound is known
 * @param boundedBy within which time the body promises to end; null for no promise
 */
public record CommandDeclaration(
        CommandSettings settings,
        Set<String> said,
        Set<String> spareCommands,
        Map<String, Duration> keptFor,
        @Nullable Duration boundedBy) {

    /** Said by a command that may be tried again: no property can make it so. */
    public static final String REPEATABLE = "repeatable";

    public CommandDeclaration {
        said = Set.copyOf(said);
        spareCommands = Set.copyOf(spareCommands);
        keptFor = Map.copyOf(keptFor);
    }

    /** A declaration of what has no caches with a store and promises nothing. */
    public CommandDeclaration(CommandSettings settings, Set<String> said) {
        this(settings, said, Set.of(), Map.of(), null);
    }

    String name() {
        return settings.key().name();
    }

    /** Whether a stage has a guard of its own, with a timeout and a breaker. */
    boolean isGuarded(StageSettings stage) {
        return !(stage.guard().bulkhead() instanceof BulkheadSettings.Inline) && !spareCommands.contains(stage.name());
    }

    /** The stage of the cache that this one is a part of; null when it is none of the parts behind memory. */
    @Nullable
    StageSettings memoryOf(StageSettings part) {
        for (StageSettings memory : settings.stages()) {
            if (part.kind() == Source.CACHE
                    && memory.kind() == Source.CACHE
                    && memory.refersTo().equals(part.refersTo())
                    && (part.name().equals(memory.name() + StageSettings.STORE)
                            || part.name().equals(memory.name() + StageSettings.AT_LAST))) {
                return memory;
            }
        }
        return null;
    }

    /**
     * The pool of the command itself, or of a stage with a guard of its own.
     *
     * @param stage its name; null for the command itself
     * @return null when it has no pool
     */
    public @Nullable PoolDeclaration pool(@Nullable String stage) {
        GuardSettings guard = stage == null ? settings.guard() : null;
        for (StageSettings one : settings.stages()) {
            if (one.name().equals(stage) && isGuarded(one)) {
                guard = one.guard();
            }
        }
        return guard != null && guard.bulkhead() instanceof BulkheadSettings.ThreadPool pool
                ? PoolDeclaration.of(pool, said, stage == null ? "pool." : "stage." + stage + ".pool.")
                : null;
    }
}
