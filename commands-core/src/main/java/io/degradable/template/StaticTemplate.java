package io.degradable.template;

import io.degradable.settings.Require;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * The last link of a chain: a typed answer that is in memory before it is needed. It should say that it is not the real
 * thing ("price to be confirmed", never 0; a list with a notice and a way on, never an empty one that reads as "you have
 * none").
 *
 * @param <T> the type of the answer; instances should be immutable, since one is handed to everybody
 * @param name how it is called in state and logs
 * @param value the answer, never null
 */
public record StaticTemplate<T>(String name, T value) {

    public StaticTemplate {
        Require.name("template name", name);
        Objects.requireNonNull(value, () -> "template " + name + " must not be null");
    }

    /** A template from code. */
    public static <T> StaticTemplate<T> of(String name, T value) {
        return new StaticTemplate<>(name, value);
    }

    /**
     * The same template, refused when it does not satisfy {@code rule}.
     *
     * @param says what the rule demands, for the message
     */
    public StaticTemplate<T> checked(String says, Predicate<? super T> rule) {
        Require.that(rule.test(value), "template " + name + " must satisfy \"" + says + "\", was " + value);
        return this;
    }
}
