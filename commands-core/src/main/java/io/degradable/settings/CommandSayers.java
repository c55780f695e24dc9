package io.degradable.settings;

import io.degradable.settings.SettingTable.Value;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;

/** Who says what of a command. */
final class CommandSayers implements Levels.Sayers {

    private final CommandDeclaration declared;
    private final Map<String, Object> code;
    private final SettingTable own;
    private final SettingTable all;

    /** For parts of a cache behind memory: the same setting of memory, which they follow. */
    private final Map<String, String> followed = new HashMap<>();

    CommandSayers(CommandDeclaration declared, Map<String, Object> code, SettingTexts texts) {
        this.declared = declared;
        this.code = code;
        this.own = texts.command(declared.name());
        this.all = texts.command(SettingTexts.DEFAULT);
        for (StageSettings stage : declared.settings().stages()) {
            StageSettings memory = declared.memoryOf(stage);
            if (memory != null) {
                for (String setting : new String[] {"on", "atMost", "quota"}) {
                    followed.put(CommandChoices.prefix(stage) + setting, CommandChoices.prefix(memory) + setting);
                }
            }
        }
    }

    @Override
    public @Nullable Value named(String setting) {
        Value said = setting.equals("timeout") ? timeout() : own.get(setting);
        String other = followed.get(setting);
        return said == null && other != null ? own.get(other) : said;
    }

    private @Nullable Value timeout() {
        Value ours = own.ours("timeout");
        return ours == null ? HystrixParts.timeout(own, all) : ours;
    }

    @Override
    public boolean isSaid(String setting) {
        return declared.said().contains(followed.getOrDefault(setting, setting));
    }

    @Override
    public @Nullable Value ofAll(String setting) {
        if (setting.equals("timeout")) {
            Value ours = all.ours("timeout");
            return ours == null ? HystrixParts.timeoutOfAll(own, all) : ours;
        }
        Value said = all.get(setting);
        String other = followed.get(setting);
        return said == null && other != null ? all.get(other) : said;
    }

    @Override
    public @Nullable String bar(String setting, Object value) {
        Effect effect = declared.settings().effect();
        if (setting.equals("retry.attempts") && !value.equals(1)) {
            return effect == Effect.WRITE
                    ? "write() without operationId(...) allows no retry: it could do the work twice"
                    : declared.said().contains(CommandDeclaration.REPEATABLE)
                            ? null
                            : "needs repeatable() in the code: only that says that run() may be run several times for"
                                    + " one call";
        }
        if (setting.equals("nullIsFailure") && value.equals(false) && effect == Effect.FAIL_CLOSED) {
            return "cannot be false: failClosed() takes null for a failure";
        }
        if (setting.endsWith(".atMost") && Integer.valueOf(0).equals(code.get(setting))) {
            return "may change between numbers, but the code of this stage has none: atMost(...) cannot appear";
        }
        return null;
    }

    /** Tells what is said of this command and is none of its settings. */
    void useless(Map<String, Setting> settable, Levels levels) {
        for (String name : own.names()) {
            Value value = own.get(name);
            if (value != null && !settable.containsKey(name)) {
                String problem = problem(name);
                if (problem != null) {
                    levels.useless(value, problem);
                }
            }
        }
    }

    private @Nullable String problem(String name) {
        if (SettingCatalogue.CONTROLS.containsKey(name) || HystrixNames.isPart(name)) {
            return null;
        }
        if (!name.startsWith(SettingCatalogue.STAGE)) {
            return name.startsWith("beforePrimary.")
                    ? "has no effect: the code has no beforePrimary(...), which cannot appear while it runs"
                    : "has no effect: the command's bulkhead is another one";
        }
        for (StageSettings stage : declared.settings().stages()) {
            String prefix = CommandChoices.prefix(stage);
            if (name.startsWith(prefix) && SettingCatalogue.isOfStage(name.substring(prefix.length()))) {
                return isControl(name.substring(prefix.length())) ? null : problem(stage, name);
            }
        }
        if (name.startsWith(SettingCatalogue.STAGE + "primary.")) {
            String rest = name.substring((SettingCatalogue.STAGE + "primary.").length());
            return isControl(rest)
                    ? null
                    : "has no effect: primary is the command itself, say degradable.command." + declared.name() + "."
                            + rest;
        }
        return "has no effect: the command has no such stage, but "
                + declared.settings().stages().stream().map(StageSettings::name).toList();
    }

    private static boolean isControl(String name) {
        return SettingCatalogue.CONTROLS.containsKey(name);
    }

    private String problem(StageSettings stage, String name) {
        StageSettings memory = declared.memoryOf(stage);
        if (name.endsWith(".freshness")) {
            return memory == null
                    ? "has no effect: only a cache has a freshness"
                    : "has no effect: its freshness is that of stage " + memory.name();
        }
        return declared.spareCommands().contains(stage.name())
                ? "has no effect: the stage has the guard of command " + stage.refersTo() + ", say degradable.command."
                        + stage.refersTo() + "."
                        + name.substring(CommandChoices.prefix(stage).length())
                : "has no effect: the stage looks something up in memory, without a timeout or a breaker";
    }
}
