package io.degradable.template;

import io.degradable.settings.Require;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/**
 * The last link of a chain: a typed answer that is in memory before it is needed. It should say that it is not the real
 * thing ("price to be confirmed", never 0; a list with a notice and a way on, never an empty one that reads as "you have
 * none"). Made in code or loaded, and checked then; a container's {@link TemplateCatalog} puts a newer version in its place.
 *
 * <p>Threading: immutable.
 *
 * @param <T> the type of the answer; instances should be immutable, since one is handed to everybody
 */
public final class StaticTemplate<T> {

    /** The version of what was made in code and not given another. */
    public static final String BUILT_IN = "built-in";

    private static final String CODE = "code";

    private record Rule<T>(String says, Predicate<? super T> holds) {}

    private final String name;
    private final T value;
    private final TemplateOrigin<T> origin;
    private final List<Rule<T>> rules;

    private StaticTemplate(String name, T value, TemplateOrigin<T> origin, List<Rule<T>> rules) {
        this.name = Require.name("template name", name);
        this.value = Objects.requireNonNull(value, () -> "template " + name + " must not be null");
        this.origin = origin;
        this.rules = List.copyOf(rules);
    }

    /**
     * A template from code, with the version {@value #BUILT_IN}.
     *
     * @param name how it is called in state and logs; unique in a container; 1 to 120 letters, digits and {@code . _ - /}
     * @param value the answer, never null
     */
    public static <T> StaticTemplate<T> of(String name, T value) {
        Objects.requireNonNull(value, () -> "template " + name + " must not be null");
        return new StaticTemplate<>(
                name,
                value,
                new TemplateOrigin<>(new Object(), value.getClass(), BUILT_IN, CODE, null, null),
                List.of());
    }

    /** A template that was loaded; for who reads a form of his own. JSON is read by {@code io.degradable.json.JsonTemplates}. */
    public static <T> StaticTemplate<T> loaded(String name, T value, TemplateOrigin<T> origin) {
        return new StaticTemplate<>(name, value, Objects.requireNonNull(origin, "origin must not be null"), List.of());
    }

    /** The same template with a version of its own, 1 to 120 letters, digits and {@code . _ - /}. */
    public StaticTemplate<T> versioned(String version) {
        return new StaticTemplate<>(name, value, origin.versioned(version), rules);
    }

    /**
     * The same template, refused when it does not satisfy {@code rule}. What takes its place later has to, too.
     *
     * @param says what the rule demands, for the message
     * @param rule must only compute; one that throws is not satisfied
     * @throws IllegalArgumentException when it is not satisfied; names the template and its value
     */
    public StaticTemplate<T> checked(String says, Predicate<? super T> rule) {
        Objects.requireNonNull(says, "says must not be null");
        Objects.requireNonNull(rule, "rule must not be null");
        List<Rule<T>> more = new ArrayList<>(rules);
        more.add(new Rule<>(says, rule));
        StaticTemplate<T> checked = new StaticTemplate<>(name, value, origin, more);
        checked.requireRulesOf(checked);
        return checked;
    }

    private void requireRulesOf(StaticTemplate<T> other) {
        for (Rule<T> rule : other.rules) {
            boolean holds;
            try {
                holds = rule.holds.test(value);
            } catch (Throwable thrown) { // an AssertionError is a way to say it, too
                throw new IllegalArgumentException(
                        described() + " could not be checked for \"" + rule.says + "\": " + thrown + ", was " + value,
                        thrown);
            }
            Require.that(holds, described() + " must satisfy \"" + rule.says + "\", was " + value);
        }
    }

    private String described() {
        return "template " + name + (origin.loadedFrom().equals(CODE) ? "" : " from " + origin.loadedFrom());
    }

    /**
     * Another version of the same template, made in code.
     *
     * @param version its name; 1 to 120 letters, digits and {@code . _ - /}
     * @throws IllegalArgumentException when a rule of this one is not satisfied
     */
    public StaticTemplate<T> next(String version, T value) {
        StaticTemplate<T> next = new StaticTemplate<>(
                name,
                value,
                new TemplateOrigin<>(origin.kind(), origin.type(), version, CODE, null, origin.again()),
                rules);
        next.requireRulesOf(this);
        return next;
    }

    /**
     * A template as a version of this one: it has the name and the type, and satisfies the rules.
     *
     * @throws IllegalArgumentException when it does not
     */
    @SuppressWarnings("unchecked") // that is what is checked
    public StaticTemplate<T> succeededBy(StaticTemplate<?> next) {
        Require.that(next.name.equals(name), next.described() + " is not a version of template " + name);
        Require.that(
                next.origin.kind() == origin.kind() || fits(next),
                next.described() + " is of another type: it is "
                        + next.origin.type().getTypeName() + ", not "
                        + origin.type().getTypeName());
        StaticTemplate<T> typed = (StaticTemplate<T>) next;
        typed.requireRulesOf(this);
        return typed;
    }

    /** Whether it can be seen that a value from elsewhere has the type: what a list of it holds cannot. */
    private boolean fits(StaticTemplate<?> next) {
        if (origin.type() instanceof Class<?> type) {
            return type.getTypeParameters().length == 0 && type.isInstance(next.value);
        }
        return origin.type().equals(next.origin.type());
    }

    /** Whether it says the same under the same name and version. */
    public boolean isSameAs(StaticTemplate<?> other) {
        return this == other || (name.equals(other.name) && version().equals(other.version()) && hasContentOf(other));
    }

    private boolean hasContentOf(StaticTemplate<?> other) {
        String checksum = origin.checksum();
        if (checksum != null && other.origin.checksum() != null) {
            return checksum.equals(other.origin.checksum());
        }
        return value == other.value || value.equals(other.value);
    }

    public String name() {
        return name;
    }

    /** The answer. */
    public T value() {
        return value;
    }

    /** What this version is called. */
    public String version() {
        return origin.version();
    }

    /** Where this version was found, as people say it; {@code code} when it was made there. */
    public String loadedFrom() {
        return origin.loadedFrom();
    }

    /** Gets what is kept now where this one, or what it is a version of, was loaded from; null when it was made in code. */
    public @Nullable TemplateLoader<T> loader() {
        return origin.again();
    }

    @Override
    public String toString() {
        return "template " + name + " " + version() + " from " + loadedFrom();
    }
}
