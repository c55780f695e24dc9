package io.degradable.settings;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Choices by name, as what they are. */
record Chosen(Map<String, Choice> choices) {

    private Choice of(String name) {
        return Objects.requireNonNull(choices.get(name), name);
    }

    boolean isUnset(String name) {
        return of(name).isUnset();
    }

    Object value(String name) {
        return of(name).value();
    }

    Duration span(String name) {
        return (Duration) value(name);
    }

    int whole(String name) {
        return (Integer) value(name);
    }

    double decimal(String name) {
        return (Double) value(name);
    }

    boolean truth(String name) {
        return (Boolean) value(name);
    }

    @SuppressWarnings("unchecked") // its form reads nothing else
    List<Integer> shares(String name) {
        return (List<Integer>) value(name);
    }
}
