package io.degradable.settings;

import io.degradable.settings.Origin.From;
import io.degradable.settings.SettingTable.Value;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import javax.annotation.Nullable;

/**
 * Chooses between who can say what a setting is: a property for the name, the code, a property for all names, nobody. What is
 * wanted is then made, as far as it can be.
 */
final class Levels {

    /** Where values come from, and what cannot be had of them. */
    interface Sayers {

        /** What a property for this name says. */
        @Nullable
        Value named(String setting);

        boolean isSaid(String setting);

        /** What a property for all names says. */
        @Nullable
        Value ofAll(String setting);

        /** Why a setting can never have a value here; null when it can. */
        @Nullable
        String bar(String setting, Object value);
    }

    /** What came out. */
    record Result<T>(
            T settings, Map<String, Origin> origins, List<SettingFault> faults, Map<String, Choice> accepted) {}

    private final String subject;
    private final Map<String, Setting> settable;
    private final Map<String, Object> code;
    private final Sayers sayers;
    private final Map<String, String> texts = new LinkedHashMap<>();
    private final Set<SettingFault> faults = new LinkedHashSet<>();

    /**
     * The levels of one name.
     *
     * @param subject what faults are about
     * @param settable what can be set, by whole name, in the order in which it is tried
     * @param code the values that the code comes to
     */
    Levels(String subject, Map<String, Setting> settable, Map<String, Object> code, Sayers sayers) {
        this.subject = subject;
        this.settable = settable;
        this.code = code;
        this.sayers = sayers;
    }

    /** A property that does nothing here. */
    void useless(Value value, String problem) {
        faults.add(new SettingFault(value.property(), value.text(), value.source(), subject, problem));
    }

    /**
     * Chooses and makes.
     *
     * @param before what was accepted before; null for nothing
     * @param running whether what is fixed has been made of that
     * @param made makes settings, or refuses a contradiction
     * @param read takes settings apart
     */
    <T> Result<T> settle(
            @Nullable Map<String, Choice> before,
            boolean running,
            Function<Map<String, Choice>, T> made,
            Function<T, Map<String, Object>> read) {
        Map<String, Choice> declared = new LinkedHashMap<>();
        Map<String, Choice> wanted = new LinkedHashMap<>();
        settable.keySet().forEach(name -> {
            declared.put(name, declared(name));
            wanted.put(name, wanted(name));
        });
        Map<String, Choice> held = held(before, declared, made);
        if (running && before != null) {
            settable.forEach((name, setting) -> {
                if (!setting.isLive()) {
                    keep(name, wanted, at(held, name));
                }
            });
        }
        Rounds<T> out = Rounds.settle(wanted, held, made);
        out.refused().forEach((name, why) -> refuse(at(wanted, name), at(held, name), name, why));
        Map<String, Object> values = read.apply(out.settings());
        Map<String, Origin> origins = new LinkedHashMap<>();
        settable.forEach((name, setting) -> {
            Choice choice = at(out.accepted(), name);
            // What follows others is only known now; pauses between attempts are not in settings without retries.
            Object value = choice.isUnset() ? Objects.requireNonNull(values.get(name), name) : choice.value();
            origins.put(
                    name, new Origin(setting.form().text(value), choice.from(), choice.property(), choice.source()));
        });
        return new Result<>(
                out.settings(),
                Collections.unmodifiableMap(origins),
                List.copyOf(faults),
                Collections.unmodifiableMap(new LinkedHashMap<>(out.accepted())));
    }

    private static Choice at(Map<String, Choice> choices, String name) {
        return Objects.requireNonNull(choices.get(name), name);
    }

    private Choice declared(String name) {
        return new Choice(
                Objects.requireNonNull(code.get(name), name), sayers.isSaid(name) ? From.CODE : From.BUILT_IN, "", "");
    }

    private Choice wanted(String name) {
        Value named = sayers.named(name);
        if (named != null) {
            String bar = sayers.bar(name, named.parsed());
            if (bar == null) {
                texts.put(name, named.text());
                return named.as(From.PROPERTY);
            }
            useless(named, bar);
        }
        if (!sayers.isSaid(name)) {
            Value ofAll = sayers.ofAll(name);
            // What is said for all is not meant for those who cannot have it.
            if (ofAll != null && sayers.bar(name, ofAll.parsed()) == null) {
                texts.put(name, ofAll.text());
                return ofAll.as(From.DEFAULT_PROPERTY);
            }
        }
        return declared(name);
    }

    /** What was accepted before, as far as it is of this declaration. */
    private static <T> Map<String, Choice> held(
            @Nullable Map<String, Choice> before, Map<String, Choice> declared, Function<Map<String, Choice>, T> made) {
        if (before == null) {
            return declared;
        }
        Map<String, Choice> held = new LinkedHashMap<>(declared);
        held.replaceAll((name, choice) -> before.getOrDefault(name, choice));
        try {
            T valid = made.apply(held);
            return valid == null ? declared : held;
        } catch (IllegalArgumentException ofAnotherDeclaration) {
            return declared;
        }
    }

    private void keep(String name, Map<String, Choice> wanted, Choice held) {
        Choice asked = at(wanted, name);
        if (!asked.value().equals(held.value())) {
            refuse(
                    asked,
                    held,
                    name,
                    "is fixed while the command runs, and takes effect when it is made again; it stays "
                            + Objects.requireNonNull(settable.get(name), name)
                                    .form()
                                    .text(held.value()));
            wanted.put(name, held);
        }
    }

    private void refuse(Choice asked, Choice held, String name, String why) {
        if (asked.property().isEmpty()) {
            faults.add(new SettingFault(
                    held.property(), "", held.source(), subject, "is gone, but what it has set stays: " + why));
        } else {
            faults.add(new SettingFault(asked.property(), texts.getOrDefault(name, ""), asked.source(), subject, why));
        }
    }
}
