package io.degradable.settings;

import io.degradable.model.Criticality;
import io.degradable.model.Source;
import io.degradable.settings.BulkheadSettings.ThreadPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import javax.annotation.Nullable;

/**
 * The settings of a command, taken apart by name and put together again. What follows other settings, and is set by nobody, is
 * found when they are put together.
 */
final class CommandChoices {

    private final CommandDeclaration declared;
    private final UnaryOperator<ThreadPool> pools;

    CommandChoices(CommandDeclaration declared, UnaryOperator<ThreadPool> pools) {
        this.declared = declared;
        this.pools = pools;
    }

    static String prefix(StageSettings stage) {
        return SettingCatalogue.STAGE + stage.name() + ".";
    }

    /** All that can be set of this command, by whole name, in the order of the catalogue. */
    Map<String, Setting> settable() {
        Map<String, Object> values = read(declared.settings());
        Map<String, Setting> all = new LinkedHashMap<>();
        for (Setting setting : SettingCatalogue.COMMANDS) {
            if (values.containsKey(setting.name())) {
                all.put(setting.name(), setting);
            }
        }
        for (StageSettings stage : declared.settings().stages()) {
            for (Setting setting : SettingCatalogue.STAGES) {
                if (values.containsKey(prefix(stage) + setting.name())) {
                    all.put(prefix(stage) + setting.name(), setting);
                }
            }
        }
        return all;
    }

    /** The values of all that can be set. */
    Map<String, Object> read(CommandSettings settings) {
        Map<String, Object> values = new LinkedHashMap<>();
        GuardSettings guard = settings.guard();
        values.put("timeout", guard.timeout());
        values.put("deadline", settings.deadline());
        values.put("slowCall", guard.slowCall());
        values.put("interruptOnTimeout", guard.interruptOnTimeout());
        values.put("budget", settings.budget());
        values.put("nullIsFailure", settings.nullIsFailure());
        values.put("rehearse", settings.rehearsalPercentage());
        values.put("criticality", settings.criticality());
        if (guard.bulkhead() instanceof BulkheadSettings.Semaphore semaphore) {
            values.put("semaphore.limit", semaphore.limit());
        } else if (guard.bulkhead() instanceof BulkheadSettings.VirtualThreads virtual) {
            values.put("virtualThreads.limit", virtual.limit());
        }
        read(settings.retry(), values);
        ShortCutSettings shortCut = settings.shortCut();
        if (shortCut != null) {
            values.put("beforePrimary.youngerThan", shortCut.youngerThan());
            values.put("beforePrimary.refill", shortCut.refillPerSecond());
        }
        BreakerChoices.read(guard.breaker(), "", values);
        settings.stages().forEach(stage -> read(stage, values));
        return values;
    }

    private static void read(RetrySettings retry, Map<String, Object> values) {
        // What pauses would be like is not to be seen while there are none.
        RetrySettings pauses = retry.areOff() ? RetrySettings.DEFAULT : retry;
        values.put("retry.attempts", retry.attempts());
        values.put("retry.backoff", pauses.backoff());
        values.put("retry.maxBackoff", pauses.maxBackoff());
        values.put("retry.jitter", pauses.jitter());
        values.put("retry.budgetPercentage", pauses.budgetPercentage());
        values.put("retry.budgetPerSecond", pauses.budgetPerSecond());
    }

    private void read(StageSettings stage, Map<String, Object> values) {
        String prefix = prefix(stage);
        if (declared.isGuarded(stage)) {
            values.put(prefix + "timeout", stage.guard().timeout());
            values.put(prefix + "interruptOnTimeout", stage.guard().interruptOnTimeout());
            BreakerChoices.read(stage.guard().breaker(), prefix, values);
        }
        values.put(prefix + "atMost", stage.entry().atMost());
        values.put(prefix + "quota", stage.entry().quotaPerSecond());
        values.put(
                prefix + "on",
                new WordForms.On(stage.entry().on(), stage.entry().whileHealthy()));
        if (stage.kind() == Source.CACHE && declared.memoryOf(stage) == null) {
            values.put(prefix + "freshness", stage.freshness());
        }
    }

    /**
     * The settings.
     *
     * @throws IllegalArgumentException when they contradict each other; the message says which
     */
    CommandSettings make(Map<String, Choice> choices) {
        Chosen chosen = new Chosen(choices);
        CommandSettings code = declared.settings();
        Duration timeout = chosen.span("timeout");
        Duration budget = chosen.span("budget");
        ChainRules.bounded(declared.boundedBy(), timeout);
        GuardSettings guard = new GuardSettings(
                bulkhead(code.guard().bulkhead(), chosen),
                timeout,
                chosen.truth("interruptOnTimeout"),
                chosen.isUnset("slowCall") ? timeout : chosen.span("slowCall"),
                BreakerChoices.make(chosen, ""));
        List<StageSettings> stages = new ArrayList<>();
        for (StageSettings stage : code.stages()) {
            stages.add(stage(stage, chosen, timeout, budget));
        }
        return new CommandSettings(
                code.key(),
                (Criticality) chosen.value("criticality"),
                code.effect(),
                guard,
                retry(chosen),
                chosen.span("deadline"),
                chosen.truth("nullIsFailure"),
                chosen.decimal("rehearse"),
                budget,
                stages,
                shortCut(stages, chosen));
    }

    private BulkheadSettings bulkhead(BulkheadSettings code, Chosen chosen) {
        if (code instanceof BulkheadSettings.Semaphore) {
            return new BulkheadSettings.Semaphore(chosen.whole("semaphore.limit"));
        }
        if (code instanceof BulkheadSettings.VirtualThreads) {
            return new BulkheadSettings.VirtualThreads(chosen.whole("virtualThreads.limit"));
        }
        return pool(code);
    }

    private BulkheadSettings pool(BulkheadSettings code) {
        if (code instanceof ThreadPool pool) {
            return pools.apply(pool);
        }
        return code;
    }

    private static RetrySettings retry(Chosen chosen) {
        RetrySettings retry = new RetrySettings(
                chosen.whole("retry.attempts"),
                chosen.span("retry.backoff"),
                chosen.span("retry.maxBackoff"),
                chosen.decimal("retry.jitter"),
                chosen.whole("retry.budgetPercentage"),
                chosen.decimal("retry.budgetPerSecond"));
        return retry.areOff() ? RetrySettings.NONE : retry;
    }

    private @Nullable ShortCutSettings shortCut(List<StageSettings> stages, Chosen chosen) {
        ShortCutSettings code = declared.settings().shortCut();
        if (code == null) {
            return null;
        }
        Duration youngerThan = chosen.span("beforePrimary.youngerThan");
        for (StageSettings stage : stages) {
            if (stage.name().equals(code.cache())) {
                ChainRules.beforePrimary(youngerThan, stage.freshness());
            }
        }
        return new ShortCutSettings(code.cache(), youngerThan, chosen.decimal("beforePrimary.refill"));
    }

    private StageSettings stage(StageSettings code, Chosen chosen, Duration timeout, Duration budget) {
        String prefix = prefix(code);
        WordForms.On on = (WordForms.On) chosen.value(prefix + "on");
        EntrySettings entry = new EntrySettings(
                on.triggers(),
                on.whileHealthy(),
                chosen.whole(prefix + "atMost"),
                chosen.decimal(prefix + "quota"),
                code.entry().allowNull(),
                code.entry().entering());
        return new StageSettings(
                code.name(),
                code.kind(),
                code.refersTo(),
                freshness(code, chosen),
                entry,
                guard(code, chosen, timeout, budget));
    }

    private Duration freshness(StageSettings code, Chosen chosen) {
        if (code.kind() != Source.CACHE) {
            return code.freshness();
        }
        StageSettings part = declared.memoryOf(code);
        StageSettings memory = part == null ? code : part;
        Duration freshness = chosen.span(prefix(memory) + "freshness");
        ChainRules.freshness(memory.refersTo(), freshness, declared.keptFor().get(memory.name()));
        return freshness;
    }

    private GuardSettings guard(StageSettings code, Chosen chosen, Duration timeout, Duration budget) {
        if (!declared.isGuarded(code)) {
            return code.guard();
        }
        String prefix = prefix(code);
        Duration byDefault = code.kind() == Source.CACHE ? StageSettings.STORE_TIMEOUT : timeout;
        Duration limit = !chosen.isUnset(prefix + "timeout")
                ? chosen.span(prefix + "timeout")
                : byDefault.compareTo(budget) <= 0 ? byDefault : budget;
        ChainRules.stageTimeout(limit, budget);
        return new GuardSettings(
                pool(code.guard().bulkhead()),
                limit,
                chosen.truth(prefix + "interruptOnTimeout"),
                limit,
                BreakerChoices.make(chosen, prefix));
    }
}
