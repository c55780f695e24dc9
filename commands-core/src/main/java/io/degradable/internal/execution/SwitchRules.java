package io.degradable.internal.execution;

import io.degradable.control.Position;
import io.degradable.internal.stage.Route.Keeps;
import io.degradable.model.Source;
import io.degradable.settings.CommandSettings;
import io.degradable.settings.Entering;
import io.degradable.settings.StageSettings;

/** What a switch can make of a command: functions of its settings. */
final class SwitchRules {

    private SwitchRules() {}

    /** What a command lacks to obey a switch to the letter; empty when it lacks nothing. */
    static String missing(CommandSettings settings, Position position) {
        if (position == Position.CACHE_ONLY && !has(settings, Source.CACHE)) {
            return has(settings, Source.STATIC) ? "no cache" : "no cache and no template";
        }
        return position == Position.STATIC_ONLY && !has(settings, Source.STATIC) ? "no template" : "";
    }

    static boolean canServe(CommandSettings settings, Keeps keeps) {
        return has(settings, Source.STATIC)
                || (keeps == Keeps.COPIES && has(settings, Source.CACHE))
                || (keeps == Keeps.ALL && !settings.stages().isEmpty());
    }

    /** What a write that nobody knows the end of is answered with does not count: nothing was written. */
    private static boolean has(CommandSettings settings, Source kind) {
        return settings.stages().stream()
                .anyMatch(stage -> stage.kind() == kind && stage.entry().entering() != Entering.WHEN_UNKNOWN);
    }

    static Keeps keeps(Position position) {
        return switch (position) {
            case CACHE_ONLY -> Keeps.COPIES;
            case STATIC_ONLY -> Keeps.TEMPLATES;
            default -> Keeps.ALL;
        };
    }

    static String names(CommandSettings settings) {
        return settings.stages().stream().map(StageSettings::name).toList().toString();
    }
}
