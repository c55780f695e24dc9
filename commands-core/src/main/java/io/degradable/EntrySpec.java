package io.degradable;

import io.degradable.model.Source;
import io.degradable.model.Trigger;
import io.degradable.settings.EntrySettings;
import io.degradable.settings.Require;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/**
 * When a stage of a chain is entered.
 *
 * @param <S> the kind of spec, so that calls can be strung together
 */
public abstract sealed class EntrySpec<S extends EntrySpec<S>> permits SpareSpec, StageSpec, TemplateSpec {

    private Set<Trigger> on;
    private boolean whileHealthy;
    private int atMost;
    boolean allowNull;
    double quotaPerSecond;
    private @Nullable Predicate<? super Throwable> onFailure;

    /** The names of the settings that were set. */
    final Set<String> said = new HashSet<>();

    EntrySpec(Source kind, int atMost) {
        EntrySettings byDefault = EntrySettings.byDefault(kind);
        this.on = byDefault.on();
        this.whileHealthy = byDefault.whileHealthy();
        this.atMost = atMost;
    }

    /**
     * The triggers that enter the stage, in place of its default set: for a spare {@code FAILURE} and, while it is healthy,
     * {@code TIMEOUT}; for a cache and a template all. A spare that names {@code TIMEOUT} here is entered whether healthy or
     * not.
     */
    public S on(Trigger first, Trigger... more) {
        Objects.requireNonNull(first, "trigger must not be null");
        for (Trigger one : Objects.requireNonNull(more, "triggers must not be null")) {
            Objects.requireNonNull(one, "trigger must not be null");
        }
        said.add("on");
        this.on = EnumSet.of(first, more);
        this.whileHealthy = false;
        return self();
    }

    /** Of failures, only those that match enter the stage; other triggers are not asked. Default: all. */
    public S onFailure(Predicate<? super Throwable> which) {
        this.onFailure = Objects.requireNonNull(which, "onFailure must not be null");
        return self();
    }

    /** How many runs may be in the stage at once, 1 or more. Default: for a spare command the primary's bound, else none. */
    public S atMost(int concurrent) {
        said.add("atMost");
        this.atMost = Require.positive("atMost", concurrent);
        return self();
    }

    abstract S self();

    @Nullable
    Predicate<? super Throwable> onFailure() {
        return onFailure;
    }

    EntrySettings entry() {
        return new EntrySettings(on, whileHealthy, atMost, quotaPerSecond, allowNull);
    }
}
