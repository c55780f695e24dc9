package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.cache.CacheSpec;
import io.degradable.model.CommandException;
import io.degradable.settings.Origin;
import io.degradable.settings.Setting;
import io.degradable.settings.SettingCatalogue;
import io.degradable.state.CallKind;
import io.degradable.state.CommandView;
import io.degradable.template.StaticTemplate;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every setting of the catalogue, changed while calls are made. */
@Timeout(180)
final class LiveSettingsTest {

    private static final int CALLERS = 3;
    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");
    private static final StaticTemplate<String> TEMPLATE = StaticTemplate.of("sorry", "template");

    /** Two values for each, which are not its own; a setting that is missing here is missed by the test. */
    private static final Map<String, List<String>> VALUES = values();

    private static Map<String, List<String>> values() {
        Map<String, List<String>> values = new HashMap<>();
        values.put("timeout", List.of("170 ms", "180 ms"));
        values.put("deadline", List.of("700 ms", "none"));
        values.put("slowCall", List.of("50 ms", "60 ms"));
        values.put("interruptOnTimeout", List.of("false", "true"));
        values.put("budget", List.of("240 ms", "230 ms"));
        values.put("nullIsFailure", List.of("true")); // fixed: what it is already would be no change
        values.put("rehearse", List.of("50", "0"));
        values.put("criticality", List.of("non-core", "core"));
        values.put("semaphore.limit", List.of("5", "6"));
        values.put("virtualThreads.limit", List.of("5", "6"));
        values.put("retry.attempts", List.of("3", "1"));
        values.put("retry.backoff", List.of("1 ms", "2 ms"));
        values.put("retry.maxBackoff", List.of("60 ms", "70 ms"));
        values.put("retry.jitter", List.of("0.1", "0.2"));
        values.put("retry.budgetPercentage", List.of("11", "12"));
        values.put("retry.budgetPerSecond", List.of("100", "200"));
        values.put("beforePrimary.youngerThan", List.of("1 ms", "2 ms"));
        values.put("beforePrimary.refill", List.of("100000", "200000"));
        values.put("circuitBreaker.enabled", List.of("false", "true"));
        values.put("circuitBreaker.requestVolumeThreshold", List.of("30", "40"));
        values.put("circuitBreaker.errorThresholdPercentage", List.of("60", "70"));
        values.put("circuitBreaker.failureRate", List.of("60", "70"));
        values.put("circuitBreaker.slowRate", List.of("60", "70"));
        values.put("circuitBreaker.consecutiveFailures", List.of("60", "70"));
        values.put("circuitBreaker.window", List.of("20 s", "30 s"));
        values.put("circuitBreaker.buckets", List.of("5", "20"));
        values.put("circuitBreaker.countWindow", List.of("100", "200"));
        values.put("circuitBreaker.sleepWindow", List.of("100 ms", "200 ms"));
        values.put("circuitBreaker.maxSleepWindow", List.of("40 s", "50 s"));
        values.put("circuitBreaker.probes", List.of("2", "3"));
        values.put("circuitBreaker.probeSuccessPercentage", List.of("50", "60"));
        values.put("circuitBreaker.ramp.shares", List.of("20, 60", "30"));
        values.put("circuitBreaker.ramp.decisions", List.of("5", "6"));
        values.put("atMost", List.of("5", "6"));
        values.put("quota", List.of("100000", "0"));
        values.put("on", List.of("FAILURE", "TIMEOUT"));
        values.put("freshness", List.of("4 m", "3 m"));
        values.put("size", List.of("4", "5"));
        values.put("queue", List.of("4", "5"));
        values.put("queueTimeout", List.of("40 ms", "50 ms"));
        values.put("callerRuns", List.of("4", "5"));
        return values;
    }

    private final TestSource source = new TestSource("test");
    private final Commands commands = Commands.builder().settings(source).build();
    private final CommandSpec<Call, String> onCaller =
            chained(Call.declared().name("OnCaller").semaphore(4));
    private final CommandSpec<Call, String> onPool = chained(Call.declared()
            .name("OnPool")
            .threadPool(pool -> pool.named("threads").size(3).queue(2)));

    private static CommandSpec<Call, String> chained(CommandSpec.Builder<Call, String> declared) {
        return declared.timeout(Duration.ofMillis(150))
                .repeatable()
                .fallback(chain -> chain.spareCall("replica", (call, context) -> "spare", spare -> spare.atMost(4))
                        .cached(
                                COPIES,
                                call -> call.id,
                                Duration.ofMinutes(5),
                                cache -> cache.beforePrimary(Duration.ofNanos(1)))
                        .template(TEMPLATE))
                .build();
    }

    private final AtomicLong made = new AtomicLong();
    private final Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();
    private volatile boolean over;

    private void callAgainAndAgain() {
        while (!over) {
            call(onCaller);
            call(onPool);
        }
    }

    private void call(CommandSpec<Call, String> spec) {
        int chance = ThreadLocalRandom.current().nextInt(10);
        Call call = new Call(commands, spec, String.valueOf(chance), () -> {
            if (chance < 2) {
                throw new IOException("down");
            }
            return "live";
        });
        made.incrementAndGet();
        try {
            call.execute();
        } catch (CommandException nobodyAnswered) {
            // It has ended, too.
        } catch (Throwable lost) {
            unexpected.add(lost);
        }
    }

    @Test
    @DisplayName("B138: each setting, changed under load, takes effect or says why it does not, and no call is lost")
    void every_setting_is_changed_under_load() throws InterruptedException {
        commands.register(onCaller, onPool);
        List<Thread> callers = new ArrayList<>();
        for (int caller = 0; caller < CALLERS; caller++) {
            Thread thread = new Thread(this::callAgainAndAgain);
            thread.start();
            callers.add(thread);
        }
        Set<String> tookEffect = new TreeSet<>();
        Set<String> saidWhyNot = new TreeSet<>();
        try {
            for (Map.Entry<String, Setting> one : everyProperty().entrySet()) {
                String property = one.getKey();
                for (String value : VALUES.getOrDefault(one.getValue().name(), List.of())) {
                    source.set(property, value);
                    until(() -> holds(property, value) || isAFault(property, value));
                    (holds(property, value) ? tookEffect : saidWhyNot).add(property);
                }
                source.remove(property);
                until(() -> !says(property) && !isAFault(property, ""));
            }
        } finally {
            over = true;
            for (Thread caller : callers) {
                caller.join();
            }
        }

        until(() -> commands.commands().stream().allMatch(command -> command.inFlight() == 0));
        long counted = 0;
        long received = 0;
        for (CommandView command : commands.commands()) {
            for (CallKind kind : command.possibleCalls()) {
                counted += command.calls(kind);
            }
            received += command.received();
        }
        assertThat(everyProperty().values()).extracting(Setting::name).allMatch(VALUES::containsKey);
        assertThat(unexpected).isEmpty();
        assertThat(received).isEqualTo(made.get());
        assertThat(counted).isEqualTo(made.get());
        assertThat(tookEffect).hasSizeGreaterThan(60);
        assertThat(saidWhyNot).allMatch(property -> fixed(property) || property.endsWith(".limit"));
        assertThat(tookEffect).noneMatch(LiveSettingsTest::fixed);
        System.out.println(made.get() + " calls while " + tookEffect.size() + " settings changed and "
                + saidWhyNot.size() + " said why not");
    }

    private static boolean fixed(String property) {
        return everyProperty().entrySet().stream()
                .anyMatch(
                        one -> one.getKey().equals(property) && !one.getValue().isLive());
    }

    private static Map<String, Setting> everyProperty() {
        Map<String, Setting> all = new LinkedHashMap<>();
        for (String command : List.of("OnCaller", "OnPool")) {
            for (Setting setting : SettingCatalogue.COMMANDS) {
                all.put("degradable.command." + command + "." + setting.name(), setting);
            }
            for (Setting setting : SettingCatalogue.STAGES) {
                String stage = setting.name().equals("freshness") ? "cache" : "replica";
                all.put("degradable.command." + command + ".stage." + stage + "." + setting.name(), setting);
            }
        }
        for (Setting setting : SettingCatalogue.POOLS) {
            all.put("degradable.pool.threads." + setting.name(), setting);
        }
        return all;
    }

    private List<Origin> origins() {
        List<Origin> all = new ArrayList<>();
        commands.commands().forEach(command -> all.addAll(command.origins().values()));
        commands.configuration().pools().values().forEach(pool -> all.addAll(pool.values()));
        return all;
    }

    private boolean says(String property) {
        return origins().stream().anyMatch(origin -> origin.property().equals(property));
    }

    private boolean holds(String property, String value) {
        String plain = value.replace(" ", "");
        return origins().stream()
                .anyMatch(origin -> origin.property().equals(property)
                        && origin.value().replace(" ", "").equals(plain));
    }

    private boolean isAFault(String property, String value) {
        return commands.configuration().faults().stream()
                .anyMatch(fault -> fault.property().equals(property)
                        && (value.isEmpty() || fault.value().equals(value)));
    }

    private static void until(Callable<Boolean> holds) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(5))
                .until(holds);
    }
}
