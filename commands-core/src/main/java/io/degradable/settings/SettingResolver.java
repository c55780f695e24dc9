package io.degradable.settings;

import io.degradable.settings.BulkheadSettings.ThreadPool;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import javax.annotation.Nullable;

/**
 * What settings are, out of what code and properties say: a function of its arguments. A property for the name comes before
 * the code of the spec, that before a property for all names, and that before what is built in.
 *
 * <p>What is wanted is taken as a whole if it is valid. If it is not, it is tried piece by piece upon what held before, in
 * the order of the catalogue; what does not fit is a fault, and stays what it was.
 */
public final class SettingResolver {

    private SettingResolver() {}

    /**
     * The settings of a command.
     *
     * @param declared the command as its code has it
     * @param pools what a thread pool is set to, of what the code has made of it
     * @param texts what sources say
     * @param before what this has returned last for the command; null for the first time
     * @param running whether {@code before} is what runs: what is fixed then stays
     */
    public static EffectiveSettings command(
            CommandDeclaration declared,
            UnaryOperator<ThreadPool> pools,
            SettingTexts texts,
            @Nullable EffectiveSettings before,
            boolean running) {
        CommandChoices choices = new CommandChoices(declared, pools);
        Map<String, Setting> settable = choices.settable();
        Map<String, Object> code = choices.read(declared.settings());
        CommandSayers sayers = new CommandSayers(declared, code, texts);
        Levels levels = new Levels("command " + declared.name(), settable, code, sayers);
        sayers.useless(settable, levels);
        Levels.Result<CommandSettings> result =
                levels.settle(before == null ? null : before.accepted(), running, choices::make, choices::read);
        return new EffectiveSettings(result.settings(), result.origins(), result.faults(), result.accepted());
    }

    /**
     * The settings of a thread pool; all of them can change while it runs.
     *
     * @param declared the pool as code has it
     * @param texts what sources say
     * @param before what this has returned last for the pool; null for the first time
     */
    public static EffectivePool pool(PoolDeclaration declared, SettingTexts texts, @Nullable EffectivePool before) {
        Map<String, Setting> settable = new LinkedHashMap<>();
        SettingCatalogue.POOLS.forEach(setting -> settable.put(setting.name(), setting));
        PoolSayers sayers = new PoolSayers(declared, texts);
        String name = declared.settings().name();
        Levels levels = new Levels("pool " + name, settable, read(declared.settings()), sayers);
        sayers.useless(levels);
        Levels.Result<ThreadPool> result = levels.settle(
                before == null ? null : before.accepted(), false, chosen -> made(name, chosen), SettingResolver::read);
        return new EffectivePool(result.settings(), result.origins(), result.faults(), result.accepted());
    }

    private static Map<String, Object> read(ThreadPool pool) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("size", pool.size());
        values.put("queue", pool.queue());
        values.put("queueTimeout", pool.queueTimeout());
        values.put("callerRuns", pool.callerRuns());
        return values;
    }

    private static ThreadPool made(String name, Map<String, Choice> choices) {
        Chosen chosen = new Chosen(choices);
        return new ThreadPool(
                name,
                chosen.whole("size"),
                chosen.whole("queue"),
                chosen.span("queueTimeout"),
                chosen.whole("callerRuns"));
    }
}
