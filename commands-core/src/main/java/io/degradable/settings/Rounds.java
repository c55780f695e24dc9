package io.degradable.settings;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Makes settings out of choices, which must be valid together. All that is wanted is tried at once. If that is refused, it is
 * tried one after the other upon what held before, again and again, until none more fits.
 *
 * @param settings what came out
 * @param accepted the choices that it is made of
 * @param refused what did not fit, by name, with the reason
 */
record Rounds<T>(T settings, Map<String, Choice> accepted, Map<String, String> refused) {

    static <T> Rounds<T> settle(
            Map<String, Choice> wanted, Map<String, Choice> held, Function<Map<String, Choice>, T> made) {
        try {
            return new Rounds<>(made.apply(wanted), wanted, Map.of());
        } catch (IllegalArgumentException contradiction) {
            return oneByOne(wanted, new LinkedHashMap<>(held), made);
        }
    }

    private static <T> Rounds<T> oneByOne(
            Map<String, Choice> wanted, Map<String, Choice> accepted, Function<Map<String, Choice>, T> made) {
        T settings = made.apply(accepted);
        Map<String, String> refused = new LinkedHashMap<>();
        boolean more = true;
        while (more) {
            more = false;
            refused.clear();
            for (Map.Entry<String, Choice> one : wanted.entrySet()) {
                Choice held = accepted.get(one.getKey());
                if (one.getValue().equals(held)) {
                    continue;
                }
                accepted.put(one.getKey(), one.getValue());
                try {
                    settings = made.apply(accepted);
                    more = true;
                } catch (IllegalArgumentException contradiction) {
                    refused.put(one.getKey(), String.valueOf(contradiction.getMessage()));
                    accepted.put(one.getKey(), held);
                }
            }
        }
        return new Rounds<>(settings, accepted, refused);
    }
}
