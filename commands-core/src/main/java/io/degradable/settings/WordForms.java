package io.degradable.settings;

import io.degradable.model.Criticality;
import io.degradable.model.Trigger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Values that are words, and lists. */
final class WordForms {

    static final Form CRITICALITY = new Form("core or non-core") {
        @Override
        Object read(String text) {
            return switch (text) {
                case "core" -> Criticality.CORE;
                case "non-core" -> Criticality.NON_CORE;
                default -> throw refused();
            };
        }

        @Override
        String text(Object value) {
            return value == Criticality.CORE ? "core" : "non-core";
        }
    };

    static final Form POSITION = new Form("0 (normal), 1 (cache only) or 2 (static only)") {
        @Override
        Object read(String text) {
            return switch (text) {
                case "0", "1", "2" -> text;
                default -> throw refused();
            };
        }
    };

    /** What a ramp lets through. */
    static final Form SHARES = new Form("growing numbers from 1 to 99, separated by commas, or none") {
        @Override
        Object read(String text) {
            if (text.equals("none")) {
                return List.of();
            }
            List<Integer> shares = new ArrayList<>();
            int below = 0;
            for (String word : words(text)) {
                if (!SHARE.matcher(word).matches() || Integer.parseInt(word) <= below) {
                    throw refused();
                }
                below = Integer.parseInt(word);
                shares.add(below);
            }
            return List.copyOf(shares);
        }

        @Override
        String text(Object value) {
            List<?> shares = (List<?>) value;
            return shares.isEmpty()
                    ? "none"
                    : shares.stream().map(String::valueOf).collect(Collectors.joining(", "));
        }
    };

    private static final Pattern SHARE = Pattern.compile("[1-9][0-9]?");
    private static final Set<Trigger> ALL = EnumSet.complementOf(EnumSet.of(Trigger.NONE));

    /**
     * What enters a stage.
     *
     * @param triggers as they are named
     * @param whileHealthy whether a timeout enters only a healthy stage: never so when it is named
     */
    record On(Set<Trigger> triggers, boolean whileHealthy) {

        On {
            triggers = Collections.unmodifiableSet(EnumSet.copyOf(triggers));
        }
    }

    static final Form TRIGGERS =
            new Form("one or more of " + names(ALL) + ", in upper or lower case, separated by commas") {
                @Override
                Object read(String text) {
                    Set<Trigger> triggers = EnumSet.noneOf(Trigger.class);
                    for (String word : words(text)) {
                        triggers.add(ALL.stream()
                                .filter(trigger -> trigger.name().equals(word)
                                        || trigger.tag().equals(word))
                                .findFirst()
                                .orElseThrow(this::refused));
                    }
                    return new On(triggers, false);
                }

                @Override
                String text(Object value) {
                    return names(((On) value).triggers());
                }
            };

    private WordForms() {}

    private static List<String> words(String text) {
        return Arrays.stream(text.split(",", -1)).map(String::strip).toList();
    }

    private static String names(Set<Trigger> triggers) {
        return triggers.stream().map(Trigger::name).collect(Collectors.joining(", "));
    }
}
