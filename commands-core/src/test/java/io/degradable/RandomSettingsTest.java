package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.settings.CommandDeclaration;
import io.degradable.settings.EffectivePool;
import io.degradable.settings.EffectiveSettings;
import io.degradable.settings.Origin;
import io.degradable.settings.PoolDeclaration;
import io.degradable.settings.Setting;
import io.degradable.settings.SettingCatalogue;
import io.degradable.settings.SettingFault;
import io.degradable.settings.SettingResolver;
import io.degradable.settings.SettingTexts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** B41: whatever is said, in whatever order, what holds is valid, explained, and does not hang on how often it is read. */
final class RandomSettingsTest {

    private static final List<String> TEXTS = List.of(
            "1",
            "2",
            "5",
            "10",
            "11",
            "20",
            "50",
            "100",
            "0",
            "-1",
            "true",
            "false",
            "1 ms",
            "40 ms",
            "250 ms",
            "1 s",
            "4 s",
            "10 s",
            "31 s",
            "6 m",
            "11 m",
            "none",
            "core",
            "non-core",
            "10, 20",
            "50, 10",
            "FAILURE",
            "timeout",
            "ten",
            "",
            " 7 s ",
            "PT3S",
            "0.5",
            "99999999999999999999",
            "146 y");
    private static final List<String> PREFIXES = List.of(
            "degradable.command.Call.",
            "degradable.command.default.",
            "degradable.pool.test.",
            "degradable.pool.default.");
    private static final List<String> NAMES = names();

    private static List<String> names() {
        List<String> names = new ArrayList<>();
        for (String prefix : PREFIXES) {
            boolean pool = prefix.contains("pool");
            for (Setting setting : pool ? SettingCatalogue.POOLS : SettingCatalogue.COMMANDS) {
                names.add(prefix + setting.name());
                for (String hystrix : setting.hystrixNames()) {
                    names.add(prefix.replace("degradable.pool", "hystrix.threadpool")
                                    .replace("degradable", "hystrix")
                            + hystrix);
                }
            }
            for (String stage : pool ? List.<String>of() : List.of("replica", "spare", "cache", "cache-store", "x")) {
                SettingCatalogue.STAGES.forEach(setting -> names.add(prefix + "stage." + stage + "." + setting.name()));
            }
        }
        names.addAll(List.of(
                "degradable.", "degradable.command.", "degradable.switch.", "degradable.switch.all", "hystrix."));
        return names;
    }

    static Stream<Long> seeds() {
        return Stream.iterate(1L, seed -> seed + 1).limit(60);
    }

    private static void change(Random random, Map<String, String> texts) {
        for (int changes = random.nextInt(12); changes >= 0; changes--) {
            String name = NAMES.get(random.nextInt(NAMES.size()));
            if (random.nextInt(20) == 0) {
                name = name.substring(0, random.nextInt(name.length() + 1)) + (char) random.nextInt(256);
            }
            if (random.nextInt(4) == 0 && !texts.isEmpty()) {
                texts.remove(new ArrayList<>(texts.keySet()).get(random.nextInt(texts.size())));
            } else {
                texts.put(name, TEXTS.get(random.nextInt(TEXTS.size())));
            }
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void whatever_is_said_what_holds_is_valid_and_explained(long seed) {
        Random random = new Random(seed);
        CommandDeclaration command =
                SettingsBench.everything().build().definition().declaration();
        PoolDeclaration pool = Objects.requireNonNull(command.pool(null));
        TreeMap<String, String> first = new TreeMap<>();
        TreeMap<String, String> second = new TreeMap<>();
        SettingTexts read = SettingTexts.NONE;
        EffectiveSettings settings = null;
        EffectivePool figures = null;
        for (int round = 0; round < 40; round++) {
            boolean running = round > 0 && random.nextBoolean();
            change(random, random.nextInt(3) > 0 ? first : second);
            EffectiveSettings before = settings;
            read = read(first, second, read);
            figures = SettingResolver.pool(pool, read, figures);
            settings = resolve(command, read, before, running);

            // It is what its origins say, so nothing was left out, and its records have held their own checks.
            assertThat(settings.origins().keySet())
                    .isEqualTo(settings.accepted().keySet());
            if (before != null) {
                keptWhatWasRefused(before, settings, running);
            }
            // Reading and resolving the same again changes nothing.
            SettingTexts again = read(first, second, read);
            assertThat(again.faults())
                    .extracting(SettingFault::property)
                    .isEqualTo(
                            read.faults().stream().map(SettingFault::property).toList());
            EffectiveSettings once = resolve(command, again, settings, true);
            assertThat(once.settings()).isEqualTo(settings.settings());
            assertThat(once.origins()).isEqualTo(settings.origins());
            assertThat(resolve(command, again, once, true)).isEqualTo(once);
            assertThat(SettingResolver.pool(pool, again, figures)).isEqualTo(figures);
            assertThat(resolve(command, read, before, running)).isEqualTo(settings);
        }
        // All is gone: what the code says is back, when it is made again.
        SettingTexts nothing = read(new TreeMap<>(), new TreeMap<>(), read);
        assertThat(resolve(command, nothing, settings, false).settings()).isEqualTo(command.settings());
        assertThat(SettingResolver.pool(pool, nothing, figures).settings()).isEqualTo(pool.settings());
    }

    /** A property that is told to be refused has not moved its setting. */
    private static void keptWhatWasRefused(EffectiveSettings before, EffectiveSettings now, boolean running) {
        Map<String, String> refused = now.faults().stream()
                .filter(fault -> fault.property().startsWith("degradable.command.Call."))
                .collect(Collectors.toMap(
                        fault -> fault.property().substring("degradable.command.Call.".length()),
                        SettingFault::value,
                        (one, other) -> one));
        refused.forEach((setting, text) -> {
            Origin origin = now.origins().get(setting);
            if (origin != null) {
                assertThat(origin)
                        .as("%s = %s, running %s", setting, text, running)
                        .satisfiesAnyOf(
                                same -> assertThat(same)
                                        .isEqualTo(before.origins().get(setting)),
                                derived -> assertThat(derived.from()).isIn(Origin.From.BUILT_IN, Origin.From.CODE));
            }
        });
    }

    private static SettingTexts read(Map<String, String> first, Map<String, String> second, SettingTexts before) {
        return SettingTexts.read(
                List.of(
                        new SettingTexts.Read("first", new TreeMap<>(first)),
                        new SettingTexts.Read("second", new TreeMap<>(second))),
                before);
    }

    private static EffectiveSettings resolve(
            CommandDeclaration command, SettingTexts texts, @Nullable EffectiveSettings before, boolean running) {
        return SettingResolver.command(command, UnaryOperator.identity(), texts, before, running);
    }
}
