package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.Codec;
import io.degradable.cache.Freshness;
import io.degradable.cache.RemoteCopy;
import io.degradable.cache.StoreInMemory;
import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.state.StageView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.Caller;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** H5, S1, S5: a cache with a store behind it, as a part of a chain. */
@Timeout(30)
final class StoredCopiesTest {

    private static final CacheSpec<String, String> COPIES = CacheSpec.<String, String>named("copies")
            .stored(Codec.strings(), Codec.strings())
            .nearFor(Duration.ofSeconds(10));
    private static final Duration WINDOW = Duration.ofSeconds(60);

    private final ManualTicker ticker = new ManualTicker();
    private final StoreInMemory store = new StoreInMemory();
    private final Commands commands =
            Commands.builder().ticker(ticker).caches(store).build();
    private final CountDownLatch release = new CountDownLatch(1);

    private final CommandSpec<Call, String> spec = Call.declared()
            .fallback(chain ->
                    chain.cached(COPIES, call -> call.id, WINDOW).template(StaticTemplate.of("last", "template")))
            .build();

    @AfterEach
    void close() {
        release.countDown();
        commands.close();
    }

    private Call good(String id, String answer) {
        return new Call(commands, spec, id, () -> answer);
    }

    private Call failing(String id) {
        return new Call(commands, spec, id, () -> {
            throw new IOException("down");
        });
    }

    private void othersWrote(String id, String value, Duration age) {
        store.copies.put(id, new RemoteCopy<>(value, ticker.epochMillis() * 1_000_000 - age.toNanos()));
    }

    private static StageReason reason(CommandResult<String> result, String stage) {
        return result.trail().stream()
                .filter(report -> report.stage().equals(stage))
                .findFirst()
                .map(StageReport::reason)
                .orElseThrow();
    }

    @Test
    void the_stages_are_memory_then_the_store_then_memory_all_the_same() {
        commands.register(spec);

        assertThat(commands.commands().iterator().next().stages())
                .extracting(StageView::name)
                .containsExactly("primary", "cache", "cache-store", "cache-at-last", "static");
    }

    @Test
    void a_container_without_a_store_reads_memory_only() {
        try (Commands local = Commands.builder().ticker(ticker).build()) {
            local.register(spec);

            assertThat(local.commands().iterator().next().stages())
                    .extracting(StageView::name)
                    .containsExactly("primary", "cache", "static");
        }
    }

    @Test
    void a_good_answer_reaches_the_store_and_serves_another_instance() {
        good("1", "answer").execute();
        await().until(() -> store.copies.containsKey("1"));
        ticker.advance(Duration.ofSeconds(7));

        try (Commands other = Commands.builder().ticker(ticker).caches(store).build()) {
            CommandResult<String> result = new Call(other, spec, "1", () -> {
                        throw new IOException("down");
                    })
                    .executeForResult();

            assertThat(result.value()).isEqualTo("answer");
            assertThat(result.source()).isEqualTo(Source.CACHE);
            assertThat(result.age()).contains(Duration.ofSeconds(7));
            assertThat(reason(result, "cache")).isEqualTo(StageReason.ABSENT);
            assertThat(reason(result, "cache-store")).isEqualTo(StageReason.ANSWER);
        }
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void a_copy_in_the_store_is_served_at_every_entry_point_and_then_from_memory(EntryPoint entry) throws Exception {
        othersWrote("1", "theirs", Duration.ofSeconds(5));

        assertThat(entry.run(failing("1"))).isEqualTo("theirs");
        assertThat(entry.run(failing("1"))).isEqualTo("theirs");

        assertThat(store.reads).hasValue(1);
    }

    @Test
    void a_store_in_trouble_is_a_failed_stage_and_an_honest_copy_in_memory_serves() {
        good("1", "answer").execute();
        await().until(() -> store.copies.containsKey("1"));
        store.broken = new IOException("connection refused");
        ticker.advance(Duration.ofSeconds(11));

        CommandResult<String> result = failing("1").executeForResult();

        assertThat(result.value()).isEqualTo("answer");
        assertThat(result.age()).contains(Duration.ofSeconds(11));
        assertThat(reason(result, "cache")).as("not asked for too long").isEqualTo(StageReason.TOO_OLD);
        assertThat(reason(result, "cache-store")).isEqualTo(StageReason.EXCEPTION);
        assertThat(reason(result, "cache-at-last")).isEqualTo(StageReason.ANSWER);
    }

    @Test
    void nothing_beyond_its_window_is_served_whichever_of_the_two_has_it() {
        good("1", "answer").execute();
        await().until(() -> store.copies.containsKey("1"));
        ticker.advance(WINDOW.plusNanos(1));

        CommandResult<String> result = failing("1").executeForResult();

        assertThat(result.source()).isEqualTo(Source.STATIC);
        assertThat(reason(result, "cache-store")).isEqualTo(StageReason.TOO_OLD);
        assertThat(reason(result, "cache-at-last")).isEqualTo(StageReason.TOO_OLD);
    }

    @Test
    void a_stamp_from_the_future_is_told_apart() {
        othersWrote("1", "theirs", Duration.ofSeconds(-1));

        assertThat(reason(failing("1").executeForResult(), "cache-store")).isEqualTo(StageReason.FROM_THE_FUTURE);
    }

    @Test
    void an_invalidation_here_is_one_there() {
        good("1", "answer").execute();
        await().until(() -> store.copies.containsKey("1"));
        ticker.advance(Duration.ofSeconds(1));

        commands.cache(COPIES).invalidate("1");

        await().until(() -> store.marks("1"));
        assertThat(failing("1").executeForResult().source()).isEqualTo(Source.STATIC);
    }

    @Test
    void a_store_that_hangs_holds_its_own_threads_and_no_other_stage() throws Exception {
        store.held = release;
        try (Commands real = Commands.builder().caches(store).build()) {
            Call[] calls = new Call[20];
            for (int call = 0; call < calls.length; call++) {
                calls[call] = new Call(real, spec, "id-" + call, () -> {
                    throw new IOException("down");
                });
            }
            for (Call call : calls) {
                assertThat(call.executeForResult().value()).isEqualTo("template");
            }
            StageView stage = real.commands().iterator().next().stages().get(2);
            assertThat(stage.ended(StageReason.TIMEOUT)
                            + stage.ended(StageReason.SHORT_CIRCUITED)
                            + stage.ended(StageReason.THREAD_POOL_FULL))
                    .isEqualTo(20);
            release.countDown();
        }
    }

    @Test
    void who_closes_waits_for_what_is_to_be_written() throws Exception {
        store.held = release;
        CommandSpec<Call, String> here = Call.declared()
                .semaphore(5) // so that the writes are all that a close can wait for
                .fallback(chain -> chain.cached(COPIES, call -> call.id, WINDOW))
                .build();
        for (int id = 0; id < 5; id++) {
            new Call(commands, here, "id-" + id, () -> "answer").execute();
        }
        Caller<Boolean> closes = Caller.calls(() -> {
            commands.close();
            return true;
        });
        ticker.untilWaiting(1);
        assertThat(store.copies).isEmpty();

        release.countDown();

        assertThat(closes.result()).isTrue();
        assertThat(store.copies).hasSize(5);
    }

    @Test
    void a_guard_is_for_the_store_and_is_refused_without_one() {
        CommandSpec<Call, String> guarded = Call.declared()
                .fallback(chain -> chain.cached(
                        COPIES,
                        call -> call.id,
                        WINDOW,
                        stage -> stage.timeout(Duration.ofMillis(20)).threadPool(pool -> pool.size(3))))
                .build();
        commands.register(guarded);

        StageView view = commands.commands().iterator().next().stages().get(2);
        assertThat(view.settings().timeout()).isEqualTo(Duration.ofMillis(20));
        assertThat(commands.pools()).anySatisfy(pool -> {
            assertThat(pool.name()).isEqualTo("Call/cache-store");
            assertThat(pool.size()).isEqualTo(3);
        });
        assertThatThrownBy(() -> Call.declared()
                        .fallback(chain -> chain.cached(
                                CacheSpec.<String, String>named("local"),
                                call -> call.id,
                                WINDOW,
                                stage -> stage.timeout(Duration.ofMillis(20))))
                        .build())
                .hasMessageContaining("cache local is local and read in memory");
    }

    @Test
    void a_window_longer_than_the_store_keeps_is_refused() {
        assertThatThrownBy(() -> Call.declared()
                        .fallback(
                                chain -> chain.cached(COPIES.keepFor(Duration.ofSeconds(59)), call -> call.id, WINDOW))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "freshness of copies must not exceed what its store keeps, keepFor of 59000 ms, was 60000 ms");
    }

    @Test
    void the_state_says_what_the_store_has_taken() {
        good("1", "answer").execute();
        await().until(() -> store.copies.containsKey("1"));
        await().until(() -> commands.caches().get(0).store().orElseThrow().written() == 1);

        assertThat(commands.caches().get(0).store()).hasValueSatisfying(view -> {
            assertThat(view.name()).isEqualTo("memory");
            assertThat(view.forms()).isEqualTo("utf-8 -> utf-8");
            assertThat(view.failedWrites()).isZero();
        });
        assertThat(commands.cache(COPIES).peek("1", WINDOW).freshness()).isEqualTo(Freshness.FRESH);
    }
}
