package io.degradable.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.model.CommandKey;
import io.degradable.model.Criticality;
import io.degradable.model.Source;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DifferencesTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static CommandSettings command(String group, Duration deadline, List<StageSettings> stages) {
        return new CommandSettings(
                new CommandKey("GetProduct", group),
                Criticality.CORE,
                Effect.READ,
                GuardSettings.INLINE,
                RetrySettings.NONE,
                deadline,
                false,
                0,
                SECOND,
                stages,
                null);
    }

    private static StageSettings stage(String name, Source kind, int atMost) {
        EntrySettings byDefault = EntrySettings.byDefault(kind);
        EntrySettings entry = new EntrySettings(byDefault.on(), byDefault.whileHealthy(), atMost, 0, false);
        return StageSettings.of(name, kind, "behind", entry, GuardSettings.INLINE);
    }

    @Test
    void equal_settings_have_none() {
        assertThat(Differences.between(
                        command("catalog", SECOND, List.of(stage("cache", Source.CACHE, 0))),
                        command("catalog", SECOND, List.of(stage("cache", Source.CACHE, 0)))))
                .isEmpty();
    }

    @Test
    void each_field_that_differs_is_named_with_both_values() {
        assertThat(Differences.between(
                        command("catalog", SECOND, List.of()), command("stock", GuardSettings.NO_TIMEOUT, List.of())))
                .isEqualTo("key.group was \"catalog\", now \"stock\"; deadline was 1000 ms, now no limit");
    }

    @Test
    void a_field_of_a_stage_is_named_by_the_place_of_the_stage() {
        assertThat(Differences.between(
                        command("catalog", SECOND, List.of(stage("a", Source.CACHE, 0), stage("b", Source.STATIC, 0))),
                        command("catalog", SECOND, List.of(stage("a", Source.CACHE, 0), stage("b", Source.STATIC, 9)))))
                .isEqualTo("stages[1].entry.atMost was 0, now 9");
    }

    @Test
    void chains_of_another_length_are_told_by_the_names_of_their_stages() {
        assertThat(Differences.between(
                        command("catalog", SECOND, List.of(stage("a", Source.CACHE, 0), stage("b", Source.STATIC, 0))),
                        command("catalog", SECOND, List.of(stage("b", Source.STATIC, 0)))))
                .isEqualTo("stages was [a, b], now [b]");
    }

    @Test
    void settings_of_another_kind_are_told_as_a_whole() {
        BulkheadSettings pool = new BulkheadSettings.ThreadPool("pool", 1, 0);
        GuardSettings pooled = new GuardSettings(pool, SECOND, true, SECOND, BreakerSettings.DEFAULT);
        BulkheadSettings semaphore = new BulkheadSettings.Semaphore(1);

        assertThat(Differences.between(
                        pooled, new GuardSettings(semaphore, SECOND, true, SECOND, BreakerSettings.DEFAULT)))
                .isEqualTo(
                        "bulkhead was ThreadPool[name=pool, size=1, queue=0, queueTimeout=no limit, callerRuns=0], now Semaphore[limit=1]");
    }
}
