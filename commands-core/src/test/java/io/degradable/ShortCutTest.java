package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.Codec;
import io.degradable.cache.RemoteCopy;
import io.degradable.cache.StoreInMemory;
import io.degradable.cache.Timestamped;
import io.degradable.micrometer.DegradableMeters;
import io.degradable.model.CallOutcome;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.EventType;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.model.Trigger;
import io.degradable.state.CallKind;
import io.degradable.state.CommandView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.Caller;
import io.degradable.testing.ManualTicker;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** S5, S8, S13: copies that are served before the primary is asked, and what merges those who ask it. */
@Timeout(30)
final class ShortCutTest {

    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");
    private static final Duration YOUNG = Duration.ofSeconds(10);
    private static final Duration WINDOW = Duration.ofMinutes(10);

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();
    private final AtomicInteger asked = new AtomicInteger();
    private final CountDownLatch release = new CountDownLatch(1);

    private final CommandSpec<Call, String> spec = Call.declared()
            .threadPool(pool -> pool.size(200))
            .fallback(chain -> chain.cached(COPIES, call -> call.id, WINDOW, stage -> stage.beforePrimary(YOUNG))
                    .template(StaticTemplate.of("last", "template")))
            .build();

    @AfterEach
    void close() {
        release.countDown();
        commands.close();
    }

    private Call call(String id, Callable<String> body) {
        return new Call(commands, spec, id, () -> {
            asked.incrementAndGet();
            return body.call();
        });
    }

    private Call good(String id) {
        return call(id, () -> "new");
    }

    private Call failing(String id) {
        return call(id, () -> {
            throw new IOException("down");
        });
    }

    /** One that ends when the test says so. */
    private Call held(String id, Callable<String> then) {
        return call(id, () -> {
            release.await();
            return then.call();
        });
    }

    private void keep(String id, String value) {
        commands.cache(COPIES).put(id, new Timestamped<>(value, ticker.nanos()));
    }

    private CommandView view() {
        return commands.commands().iterator().next();
    }

    private static StageReason primary(CommandResult<String> result) {
        return result.trail().get(0).reason();
    }

    // ---- a young copy ----

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void a_young_copy_is_served_and_the_primary_is_not_asked(EntryPoint entry) throws Exception {
        keep("1", "copy");

        assertThat(entry.run(good("1"))).isEqualTo("copy");

        assertThat(asked).hasValue(0);
    }

    @Test
    void it_is_degraded_and_says_so_and_nothing_has_gone_wrong() {
        keep("1", "copy");
        ticker.advance(Duration.ofSeconds(9));

        CommandResult<String> result = good("1").executeForResult();

        assertThat(result.source()).isEqualTo(Source.CACHE);
        assertThat(result.trigger()).isEqualTo(Trigger.RESPONSE_FROM_CACHE);
        assertThat(result.age()).contains(Duration.ofSeconds(9));
        assertThat(result.degraded()).isTrue();
        assertThat(result.trail())
                .extracting(StageReport::stage, StageReport::reason)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("primary", StageReason.YOUNG_COPY),
                        org.assertj.core.groups.Tuple.tuple("young", StageReason.ANSWER));
        assertThat(result.headers())
                .containsEntry("X-Data-Source", "cache")
                .containsEntry("X-Data-Age", "9")
                .containsEntry("X-Degraded-Trigger", "response_from_cache");
        assertThat(view().events(EventType.RESPONSE_FROM_CACHE)).isEqualTo(1);
        for (EventType event : EventType.values()) {
            assertThat(view().events(event)).as(event.name()).isEqualTo(event == EventType.RESPONSE_FROM_CACHE ? 1 : 0);
        }
        assertThat(view().calls(new CallKind(CallOutcome.DEGRADED, Source.CACHE, Trigger.RESPONSE_FROM_CACHE)))
                .isEqualTo(1);
        assertThat(view().possibleCalls())
                .contains(new CallKind(CallOutcome.DEGRADED, Source.CACHE, Trigger.RESPONSE_FROM_CACHE));
    }

    @Test
    void the_counter_of_fallbacks_by_source_stays_at_zero_while_the_primary_is_well() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (DegradableMeters meters = new DegradableMeters(commands)) {
            meters.bindTo(registry);
            keep("1", "copy");
            good("1").execute();

            assertThat(registry.get("fallback.source")
                            .tag("source", "cache")
                            .functionCounter()
                            .count())
                    .isZero();
        }
    }

    @Test
    void without_beforePrimary_the_primary_is_asked_however_young_the_copy_is() {
        CommandSpec<Call, String> plain = Call.declared()
                .fallback(chain -> chain.cached(COPIES, call -> call.id, WINDOW))
                .build();
        keep("1", "copy");

        assertThat(new Call(commands, plain, "1", () -> "new").execute()).isEqualTo("new");
    }

    @Test
    @DisplayName("B94: young copies first, older ones after a failure only, and none beyond the window")
    void young_copies_first_older_ones_after_a_failure_only() {
        keep("1", "copy");
        ticker.advance(YOUNG.plusNanos(1));
        assertThat(good("2").executeForResult().source()).isEqualTo(Source.PRIMARY);

        CommandResult<String> failed = failing("1").executeForResult();
        assertThat(failed.source()).isEqualTo(Source.CACHE);
        assertThat(failed.trigger()).isEqualTo(Trigger.FAILURE);
        assertThat(failed.age()).contains(YOUNG.plusNanos(1));

        assertThat(good("1").executeForResult().value()).isEqualTo("new");
        ticker.advance(WINDOW.plusNanos(1));
        assertThat(failing("1").executeForResult().source()).isEqualTo(Source.STATIC);
    }

    @Test
    void each_key_is_young_for_the_span_or_up_to_a_tenth_less() {
        for (int id = 0; id < 1_000; id++) {
            keep("id-" + id, "copy");
        }
        CommandSpec<Call, String> counting = Call.declared()
                .name("counting")
                .noCircuitBreaker()
                .fallback(chain -> chain.cached(COPIES, call -> call.id, WINDOW, stage -> stage.beforePrimary(YOUNG)))
                .build();
        List<Integer> fetched = new ArrayList<>();

        for (Duration step : new Duration[] {
            YOUNG.multipliedBy(9).dividedBy(10),
            YOUNG.dividedBy(20),
            YOUNG.dividedBy(20).plusNanos(1)
        }) {
            ticker.advance(step);
            int before = asked.get();
            for (int id = 0; id < 1_000; id++) {
                new Call(commands, counting, "id-" + id, () -> {
                            asked.incrementAndGet();
                            throw new IOException("down");
                        })
                        .execute();
            }
            fetched.add(asked.get() - before);
        }

        assertThat(fetched.get(0)).as("at nine tenths").isZero();
        assertThat(fetched.get(1)).as("in the middle of the last tenth").isBetween(400, 600);
        assertThat(fetched.get(2)).as("beyond").isEqualTo(1_000);
    }

    // ---- those who ask ----

    @Test
    @DisplayName("B95: of a hundred callers of a key one asks, and all get its answer")
    void of_a_hundred_callers_one_asks_and_all_get_its_answer() throws Exception {
        List<CommandResult<String>> results = askAtOnce(() -> "new");

        assertThat(asked).hasValue(1);
        assertThat(results).extracting(CommandResult::value).containsOnly("new");
        assertThat(results)
                .filteredOn(result -> result.source() == Source.PRIMARY)
                .hasSize(1);
        assertThat(results)
                .filteredOn(result -> result.trigger() == Trigger.RESPONSE_FROM_CACHE)
                .hasSize(100);
    }

    @Test
    @DisplayName("B95: of a hundred callers of a key one asks, and all share its failure")
    void of_a_hundred_callers_one_asks_and_all_share_its_failure() throws Exception {
        List<CommandResult<String>> results = askAtOnce(() -> {
            throw new IOException("down");
        });

        assertThat(asked).hasValue(1);
        assertThat(results).extracting(CommandResult::value).containsOnly("template");
        assertThat(results).extracting(CommandResult::trigger).containsOnly(Trigger.FAILURE);
        assertThat(results)
                .allSatisfy(result -> assertThat(result.cause())
                        .hasValueSatisfying(cause -> assertThat(cause).isInstanceOf(IOException.class)));
        assertThat(view().stages().get(0).circuit().bad())
                .as("what the breaker has seen")
                .isEqualTo(1);
    }

    /** What one caller and a hundred others get, fifty with a thread and fifty without, who want one key at once. */
    private List<CommandResult<String>> askAtOnce(Callable<String> body) throws Exception {
        List<CompletableFuture<CommandResult<String>>> futures = new ArrayList<>();
        List<Caller<CommandResult<String>>> callers = new ArrayList<>();
        futures.add(held("1", body).queueForResult());
        await().until(() -> asked.get() == 1);
        for (int caller = 0; caller < 50; caller++) {
            futures.add(call("1", body).queueForResult());
            callers.add(Caller.calls(() -> call("1", body).executeForResult()));
        }
        ticker.untilWaiting(101); // with the limit of the one that asks

        release.countDown();

        List<CommandResult<String>> results = new ArrayList<>();
        futures.forEach(future -> results.add(Caller.valueOf(future)));
        callers.forEach(caller -> results.add(caller.result()));
        return results;
    }

    @Test
    void an_answer_that_took_longer_than_copies_are_young_serves_those_who_waited_for_it() throws Exception {
        CommandSpec<Call, String> brief = Call.declared()
                .name("brief")
                .threadPool(pool -> pool.named("brief").size(50))
                .fallback(chain -> chain.cached(
                        COPIES, call -> call.id, WINDOW, stage -> stage.beforePrimary(Duration.ofMillis(100))))
                .build();
        CompletableFuture<String> fetching = new Call(commands, brief, "1", () -> {
                    asked.incrementAndGet();
                    release.await();
                    return "new";
                })
                .queue();
        await().until(() -> asked.get() == 1);
        List<Caller<CommandResult<String>>> callers = new ArrayList<>();
        for (int caller = 0; caller < 20; caller++) {
            callers.add(Caller.calls(() -> new Call(commands, brief, "1", this::fetched).executeForResult()));
        }
        ticker.untilWaiting(21);
        ticker.advance(Duration.ofMillis(200));

        release.countDown();

        assertThat(callers).allSatisfy(caller -> {
            assertThat(caller.result().value()).isEqualTo("new");
            assertThat(caller.result().age()).contains(Duration.ofMillis(200));
            assertThat(caller.result().trail()).extracting(StageReport::stage).containsExactly("primary", "fetched");
        });
        assertThat(Caller.valueOf(fetching)).isEqualTo("new");
        assertThat(asked).hasValue(1);
    }

    @Test
    void an_older_copy_is_served_at_once_while_somebody_fetches_a_new_one() {
        keep("1", "copy");
        ticker.advance(YOUNG.plusNanos(1));
        CompletableFuture<String> fetching = held("1", () -> "new").queue();
        await().until(() -> asked.get() == 1);

        CommandResult<String> beside = good("1").executeForResult();

        assertThat(beside.value()).isEqualTo("copy");
        assertThat(beside.trigger()).isEqualTo(Trigger.RESPONSE_FROM_CACHE);
        assertThat(beside.age()).contains(YOUNG.plusNanos(1));
        release.countDown();
        assertThat(Caller.valueOf(fetching)).isEqualTo("new");
        assertThat(good("1").executeForResult().value()).isEqualTo("new");
        assertThat(asked).hasValue(1);
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void who_waits_does_so_no_longer_than_the_primary_may_take(EntryPoint entry) throws Exception {
        CompletableFuture<String> fetching = held("1", () -> "new").queue();
        await().until(() -> asked.get() == 1);
        ticker.advance(Duration.ofMillis(500));
        Caller<String> waiting = Caller.calls(() -> entry.run(good("1")));
        ticker.untilWaiting(2);

        ticker.advance(Duration.ofMillis(499));
        assertThat(waiting.isDone()).isFalse();
        ticker.advance(Duration.ofMillis(1)); // the one that fetches is out of time: so is the key
        assertThat(waiting.result()).isEqualTo("template");

        assertThat(asked).hasValue(1);
        assertThat(Caller.valueOf(fetching)).isEqualTo("template");
    }

    @Test
    void who_waits_is_out_of_time_by_his_own_deadline_too() throws Exception {
        CommandSpec<Call, String> patient = Call.declared()
                .name("patient")
                .noTimeout()
                .threadPool(pool -> pool.named("patient").size(5))
                .fallback(chain -> chain.cached(COPIES, call -> call.id, WINDOW, stage -> stage.beforePrimary(YOUNG)))
                .build();
        CommandSpec<Call, String> hurried = Call.declared()
                .name("hurried")
                .timeout(Duration.ofMillis(100))
                .fallback(chain -> chain.template(StaticTemplate.of("late", "too late")))
                .build();
        CompletableFuture<String> fetching = new Call(commands, patient, "1", () -> {
                    release.await();
                    return "new";
                })
                .queue();
        await().until(() -> commands.pools().stream().anyMatch(pool -> pool.active() == 1));
        Caller<String> waiting = Caller.calls(() -> new Call(
                        commands, hurried, "1", () -> new Call(commands, patient, "1", () -> "mine").execute())
                .execute());
        ticker.untilWaiting(2);

        ticker.advance(Duration.ofMillis(100));

        assertThat(waiting.result()).isEqualTo("too late");
        release.countDown();
        assertThat(Caller.valueOf(fetching)).isEqualTo("new");
    }

    @Test
    void who_waits_without_a_limit_asks_for_himself_after_a_minute() throws Exception {
        CommandSpec<Call, String> patient = Call.declared()
                .name("patient")
                .noTimeout()
                .threadPool(pool -> pool.named("patient").size(5))
                .fallback(chain -> chain.cached(COPIES, call -> call.id, WINDOW, stage -> stage.beforePrimary(YOUNG)))
                .build();
        CompletableFuture<String> fetching = new Call(commands, patient, "1", () -> {
                    release.await();
                    return "late";
                })
                .queue();
        await().until(() -> commands.pools().stream().anyMatch(pool -> pool.active() == 1));
        Caller<String> waiting = Caller.calls(() -> new Call(commands, patient, "1", () -> "mine").execute());
        CompletableFuture<String> queued = new Call(commands, patient, "1", () -> "mine").queue();
        ticker.untilWaiting(3);

        ticker.advance(Duration.ofMinutes(1));

        assertThat(waiting.result()).isEqualTo("mine");
        assertThat(Caller.valueOf(queued)).isEqualTo("mine");
        release.countDown();
        assertThat(Caller.valueOf(fetching)).isEqualTo("late");
    }

    @Test
    void when_the_one_that_fetches_is_cancelled_another_asks() throws Exception {
        CompletableFuture<String> fetching = held("1", () -> "new").queue();
        await().until(() -> asked.get() == 1);
        Caller<String> waiting = Caller.calls(() -> good("1").execute());
        ticker.untilWaiting(2);

        fetching.cancel(true);

        assertThat(waiting.result()).isEqualTo("new");
        assertThat(asked).hasValue(2);
    }

    @ParameterizedTest
    @EnumSource(names = {"EXECUTE", "QUEUE"})
    void who_asks_for_himself_after_a_wait_pauses_before_he_tries_again(EntryPoint entry) throws Exception {
        Duration pause = Duration.ofMillis(100);
        AtomicInteger tries = new AtomicInteger();
        CommandSpec<Call, String> retried = Call.declared()
                .name("retried")
                .threadPool(pool -> pool.named("retried").size(5))
                .repeatable()
                .retry(retry ->
                        retry.attempts(3).backoff(pause, pause).jitter(0).budget(100, 1_000))
                .fallback(chain -> chain.cached(COPIES, call -> call.id, WINDOW, stage -> stage.beforePrimary(YOUNG)))
                .build();
        CompletableFuture<String> fetching = new Call(commands, retried, "1", () -> {
                    asked.incrementAndGet();
                    release.await();
                    return "new";
                })
                .queue();
        await().until(() -> asked.get() == 1);
        Caller<String> waiting = Caller.calls(() -> entry.run(new Call(commands, retried, "1", () -> {
            if (tries.incrementAndGet() < 3) {
                throw new IOException("down");
            }
            return "mine";
        })));
        ticker.untilWaiting(2);
        fetching.cancel(true);
        await().until(() -> view().calls(new CallKind(CallOutcome.CANCELLED, null, Trigger.NONE)) == 1);

        for (int tried = 1; tried < 3; tried++) {
            int soFar = tried;
            await().until(() -> view().stages().get(0).ended(StageReason.EXCEPTION) == soFar); // it waits for no body
            ticker.untilWaiting(1);
            ticker.advance(pause.minusNanos(1));
            assertThat(tries).hasValue(tried);
            ticker.untilWaiting(1);
            ticker.advance(Duration.ofNanos(1));
        }

        assertThat(waiting.result()).isEqualTo("mine");
    }

    @Test
    void an_answer_that_is_no_copy_serves_the_one_that_fetched_it_and_the_others_ask() throws Exception {
        CompletableFuture<String> fetching = held("1", () -> null).queue();
        await().until(() -> asked.get() == 1);
        Caller<String> waiting = Caller.calls(() -> good("1").execute());
        ticker.untilWaiting(2);

        release.countDown();

        assertThat(waiting.result()).isEqualTo("new");
        assertThat(Caller.valueOf(fetching)).isNull();
    }

    @Test
    void a_waiting_caller_that_is_interrupted_goes() throws Exception {
        CompletableFuture<String> fetching = held("1", () -> "new").queue();
        await().until(() -> asked.get() == 1);
        CompletableFuture<Throwable> seen = new CompletableFuture<>();
        Caller<String> waiting = Caller.calls(() -> {
            try {
                return good("1").execute();
            } catch (CancellationException gone) {
                seen.complete(gone);
                return "gone";
            }
        });
        ticker.untilWaiting(2);

        waiting.interrupt();

        assertThat(waiting.result()).isEqualTo("gone");
        assertThat(asked).hasValue(1);
        release.countDown();
        assertThat(Caller.valueOf(fetching)).isEqualTo("new");
    }

    @Test
    void a_waiting_future_that_is_cancelled_goes() throws Exception {
        CompletableFuture<String> fetching = held("1", () -> "new").queue();
        await().until(() -> asked.get() == 1);
        CompletableFuture<String> waiting = good("1").queue();
        ticker.untilWaiting(2);

        waiting.cancel(true);

        await().until(() -> view().calls(new CallKind(CallOutcome.CANCELLED, null, Trigger.NONE)) == 1);
        release.countDown();
        assertThat(Caller.valueOf(fetching)).isEqualTo("new");
        assertThat(asked).hasValue(1);
    }

    @Test
    void a_key_that_throws_asks_the_primary_as_if_there_were_no_cache() {
        CommandSpec<Call, String> broken = Call.declared()
                .name("broken")
                .fallback(chain -> chain.cached(
                        COPIES,
                        call -> {
                            throw new IllegalStateException("no key");
                        },
                        WINDOW,
                        stage -> stage.beforePrimary(YOUNG)))
                .build();

        assertThat(new Call(commands, broken, "1", () -> "new").execute()).isEqualTo("new");

        assertThat(view().stages().get(0).userMistakes()).isPositive();
    }

    // ---- the whole cache is gone ----

    @Test
    @DisplayName(
            "S13, B104: reads of the source stay within the refill, the excess is served from older copies or refused")
    void reads_of_the_source_stay_within_the_refill() {
        CommandSpec<Call, String> refilled = Call.declared()
                .name("refilled")
                .threadPool(pool -> pool.named("refilled").size(50))
                .fallback(chain -> chain.cached(
                        COPIES,
                        call -> call.id,
                        WINDOW,
                        stage -> stage.beforePrimary(YOUNG).refill(20)))
                .build();
        for (int id = 0; id < 500; id++) {
            keep("old-" + id, "copy");
        }
        ticker.advance(YOUNG.multipliedBy(2));
        List<Integer> perSecond = new ArrayList<>();
        int refused = 0;

        for (int second = 0; second < 3; second++) {
            int before = asked.get();
            for (int at = 0; at < 500; at++) {
                CommandResult<String> old = new Call(commands, refilled, "old-" + at, this::fetched).executeForResult();
                assertThat(old.trigger()).isIn(Trigger.OVERLOADED, Trigger.NONE, Trigger.RESPONSE_FROM_CACHE);
                try {
                    new Call(commands, refilled, "gone-" + second + "-" + at, this::fetched).execute();
                } catch (CommandException refusal) {
                    assertThat(refusal.trigger()).isEqualTo(Trigger.OVERLOADED);
                    assertThat(refusal.outcome()).isEqualTo(CallOutcome.REJECTED);
                    refused++;
                }
                ticker.advance(Duration.ofMillis(2));
            }
            perSecond.add(asked.get() - before);
        }

        assertThat(perSecond.get(0)).as("at rest a second's worth at once").isBetween(20, 41);
        assertThat(perSecond.get(1)).isBetween(19, 21);
        assertThat(perSecond.get(2)).isBetween(19, 21);
        assertThat(refused).isGreaterThan(1_400);
    }

    private String fetched() {
        asked.incrementAndGet();
        return "new";
    }

    // ---- with a store ----

    @Test
    void the_store_is_asked_before_the_primary_by_the_one_that_fetches() {
        StoreInMemory store = new StoreInMemory();
        CacheSpec<String, String> stored = COPIES.stored(Codec.strings(), Codec.strings());
        CommandSpec<Call, String> over = Call.declared()
                .fallback(chain -> chain.cached(stored, call -> call.id, WINDOW, stage -> stage.beforePrimary(YOUNG)))
                .build();
        try (Commands with = Commands.builder().ticker(ticker).caches(store).build()) {
            store.copies.put("young", copy("theirs", Duration.ofSeconds(5)));
            store.copies.put("old", copy("theirs", YOUNG.plusNanos(1)));

            CommandResult<String> young = new Call(with, over, "young", this::fetched).executeForResult();
            CommandResult<String> old = new Call(with, over, "old", this::fetched).executeForResult();

            assertThat(young.value()).isEqualTo("theirs");
            assertThat(young.age()).contains(Duration.ofSeconds(5));
            assertThat(young.trail()).extracting(StageReport::stage).containsExactly("primary", "young-store");
            assertThat(old.value()).isEqualTo("new");
            assertThat(asked).hasValue(1);
        }
    }

    private RemoteCopy<?> copy(String value, Duration age) {
        return new RemoteCopy<>(value, ticker.epochMillis() * 1_000_000 - age.toNanos());
    }

    // ---- bad input ----

    @Test
    void contradictions_are_refused() {
        assertThat(primary(good("1").executeForResult())).isEqualTo(StageReason.ANSWER);
        assertThatThrownBy(() -> Call.declared()
                        .fallback(chain ->
                                chain.cached(COPIES, call -> call.id, YOUNG, stage -> stage.beforePrimary(WINDOW)))
                        .build())
                .hasMessageContaining("beforePrimary must not exceed the freshness of 10000 ms, was 600000 ms");
        assertThatThrownBy(() -> Call.declared()
                        .fallback(chain -> chain.cached(COPIES, call -> call.id, YOUNG, stage -> stage.refill(5)))
                        .build())
                .hasMessageContaining("say beforePrimary(...), too");
        assertThatThrownBy(() -> Call.declared()
                        .fallback(chain -> chain.spareCall(
                                "other", (call, context) -> "other", stage -> stage.beforePrimary(YOUNG)))
                        .build())
                .hasMessageContaining("spare other takes no beforePrimary(...)");
        assertThatThrownBy(() -> Call.declared()
                        .write()
                        .operationId(call -> call.id)
                        .fallback(chain ->
                                chain.cached(COPIES, call -> call.id, WINDOW, stage -> stage.beforePrimary(YOUNG)))
                        .build())
                .hasMessageContaining("a command that writes has no beforePrimary(...)");
        assertThatThrownBy(() -> Call.declared()
                        .fallback(chain -> chain.cached(
                                COPIES, call -> call.id, WINDOW, stage -> stage.beforePrimary(Duration.ZERO)))
                        .build())
                .hasMessageContaining("beforePrimary must be positive, was 0 ms");
    }
}
