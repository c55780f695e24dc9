package io.degradable.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.DegradableCommand;
import io.degradable.cache.CacheSpec;
import io.degradable.model.BadRequestException;
import io.degradable.model.CommandException;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DegradableMetersTest {

    /** A command whose body is given, on the caller's thread, with a whole chain behind it. */
    private static final class Ask extends DegradableCommand<String> {

        private static final CacheSpec<String, String> ANSWERS = CacheSpec.named("answers");

        static final CommandSpec<Ask, String> SPEC = CommandSpec.of(Ask.class)
                .group("oracle")
                .semaphore(5)
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(1_000))
                .fallback(chain -> chain.spareCall("other", (ask, context) -> ask.spare.call())
                        .cached(ANSWERS, ask -> ask.key, Duration.ofMinutes(5))
                        .template(StaticTemplate.of("unknown", "nobody knows")))
                .build();

        private final String key;
        private final Callable<String> body;
        private final Callable<String> spare;

        Ask(CommandSpec<Ask, String> spec, String key, Callable<String> body, Callable<String> spare) {
            super(spec);
            this.key = key;
            this.body = body;
            this.spare = spare;
        }

        @Override
        protected String run() throws Exception {
            return body.call();
        }
    }

    private static final Callable<String> FAILS = () -> {
        throw new IllegalStateException("broken");
    };

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();
    private final MeterRegistry registry = new SimpleMeterRegistry();

    @AfterEach
    void close() {
        commands.close();
    }

    @Test
    void meters_of_a_command_are_there_at_zero_before_its_first_call() {
        new DegradableMeters(commands).bindTo(registry);

        commands.register(Ask.SPEC);

        assertThat(names())
                .containsExactlyInAnyOrder(
                        "degradable.calls",
                        "degradable.events",
                        "fallback.source",
                        "degradable.latency",
                        "degradable.age.count",
                        "degradable.age.sum",
                        "degradable.inflight",
                        "degradable.stage",
                        "degradable.circuit",
                        "degradable.orphans",
                        "degradable.pool.active",
                        "degradable.pool.queued",
                        "degradable.pool.limit");
        assertThat(registry.getMeters())
                .filteredOn(meter -> value(meter) != 0)
                .extracting(meter -> meter.getId().getName() + meter.getId().getTag("state"))
                .containsOnly("degradable.circuitclosed", "degradable.pool.limitnull");
        assertThat(sources("fallback.source")).containsExactlyInAnyOrder("spare", "cache", "static");
    }

    @Test
    void meters_of_commands_that_were_known_before_are_there_too() {
        commands.register(Ask.SPEC);

        new DegradableMeters(commands).bindTo(registry);

        assertThat(names()).contains("degradable.calls", "degradable.pool.limit");
    }

    @Test
    void every_meter_says_what_it_is() {
        commands.register(Ask.SPEC);

        new DegradableMeters(commands).bindTo(registry);

        assertThat(registry.getMeters())
                .isNotEmpty()
                .allSatisfy(meter -> assertThat(meter.getId().getDescription())
                        .as(meter.getId().getName())
                        .isNotBlank());
        assertThat(registry.get("degradable.age.sum").meter().getId().getBaseUnit())
                .isEqualTo("seconds");
    }

    @Test
    void calls_are_counted_exactly_by_outcome_source_and_trigger() {
        new DegradableMeters(commands).bindTo(registry);

        answer("a");
        answer("b");
        ask("c", FAILS, () -> "from the spare");
        ask("a", FAILS, FAILS);
        ask("never", FAILS, FAILS);
        Throwable thrown = catchThrowable(() -> ask(
                "x",
                () -> {
                    throw new BadRequestException("no such key");
                },
                FAILS));

        assertThat(thrown).isInstanceOf(BadRequestException.class);
        assertThat(nonZero("degradable.calls"))
                .containsExactlyInAnyOrder(
                        "2 command=Ask group=oracle outcome=normal source=primary trigger=none",
                        "1 command=Ask group=oracle outcome=degraded source=spare trigger=failure",
                        "1 command=Ask group=oracle outcome=degraded source=cache trigger=failure",
                        "1 command=Ask group=oracle outcome=degraded source=static trigger=failure",
                        "1 command=Ask group=oracle outcome=bad_request source=none trigger=none");
        assertThat(nonZero("degradable.events"))
                .containsExactlyInAnyOrder(
                        "2 command=Ask event=SUCCESS group=oracle",
                        "3 command=Ask event=FAILURE group=oracle",
                        "3 command=Ask event=FALLBACK_SUCCESS group=oracle",
                        "1 command=Ask event=BAD_REQUEST group=oracle");
        assertThat(nonZero("fallback.source"))
                .containsExactlyInAnyOrder(
                        "1 command=Ask source=spare", "1 command=Ask source=cache", "1 command=Ask source=static");
        assertThat(nonZero("degradable.stage"))
                .contains(
                        "2 command=Ask outcome=answered stage=primary",
                        "4 command=Ask outcome=failed stage=primary",
                        "1 command=Ask outcome=answered stage=other",
                        "2 command=Ask outcome=failed stage=other",
                        "1 command=Ask outcome=missed stage=cache",
                        "1 command=Ask outcome=answered stage=cache",
                        "1 command=Ask outcome=answered stage=static");
    }

    @Test
    void time_is_measured_in_calls_stages_and_copies() {
        new DegradableMeters(commands).bindTo(registry);

        ask(
                "a",
                () -> {
                    ticker.advance(Duration.ofMillis(30));
                    return "live";
                },
                FAILS);
        ticker.advance(Duration.ofSeconds(90));
        ask(
                "a",
                () -> {
                    ticker.advance(Duration.ofMillis(20));
                    throw new IllegalStateException("broken");
                },
                FAILS);

        FunctionTimer latency = registry.get("degradable.latency").functionTimer();
        FunctionTimer failed = registry.get("degradable.stage")
                .tags("stage", "primary", "outcome", "failed")
                .functionTimer();
        assertThat(latency.count()).isEqualTo(2);
        assertThat(latency.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(50);
        assertThat(failed.count()).isEqualTo(1);
        assertThat(failed.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(20);
        assertThat(counter("degradable.age.count")).isEqualTo(1);
        // The copy is as old as the start of the body that fetched it.
        assertThat(counter("degradable.age.sum")).isEqualTo(90.05);
    }

    @Test
    void calls_in_flight_are_shown_while_they_are() {
        new DegradableMeters(commands).bindTo(registry);
        List<Double> seen = new ArrayList<>();

        ask(
                "a",
                () -> {
                    seen.add(gauge("degradable.inflight"));
                    return "live";
                },
                FAILS);

        seen.add(gauge("degradable.inflight"));
        assertThat(seen).containsExactly(1.0, 0.0);
    }

    @Test
    void circuit_shows_one_state_at_a_time() {
        CommandSpec<Ask, String> fragile = CommandSpec.of(Ask.class)
                .name("Fragile")
                .group("oracle")
                .semaphore()
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(1))
                .build();
        CommandSpec<Ask, String> unguarded = CommandSpec.of(Ask.class)
                .name("Unguarded")
                .group("oracle")
                .semaphore()
                .noCircuitBreaker()
                .build();
        new DegradableMeters(commands).bindTo(registry);
        commands.register(fragile, unguarded);
        List<String> seen = new ArrayList<>();

        seen.addAll(nonZero("degradable.circuit"));
        assertThatThrownBy(() -> commands.execute(new Ask(fragile, "a", FAILS, FAILS)))
                .isInstanceOf(CommandException.class);
        seen.addAll(nonZero("degradable.circuit"));
        ticker.advance(Duration.ofSeconds(5));
        seen.addAll(nonZero("degradable.circuit"));

        assertThat(seen)
                .filteredOn(meter -> meter.contains("Fragile"))
                .containsExactly(
                        "1 command=Fragile stage=primary state=closed",
                        "1 command=Fragile stage=primary state=open",
                        "1 command=Fragile stage=primary state=half_open");
        assertThat(seen)
                .as("one that is switched off can be held by hand, so it is shown too")
                .filteredOn(meter -> meter.contains("Unguarded"))
                .containsOnly("1 command=Unguarded stage=primary state=disabled");
    }

    @Test
    void pool_shows_who_runs_in_it_and_who_runs_on_for_nobody() throws Exception {
        CommandSpec<Ask, String> pooled = CommandSpec.of(Ask.class)
                .name("Pooled")
                .group("oracle")
                .threadPool(pool -> pool.named("workers").size(3).queue(7))
                .timeout(Duration.ofMillis(100))
                .interruptOnTimeout(false)
                .build();
        new DegradableMeters(commands).bindTo(registry);
        commands.register(pooled);
        CountDownLatch release = new CountDownLatch(1);
        Ask waits = new Ask(
                pooled,
                "a",
                () -> {
                    release.await();
                    return "late";
                },
                FAILS);
        CompletableFuture<String> answer = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                answer.complete(commands.execute(waits));
            } catch (CommandException timeout) {
                answer.completeExceptionally(timeout);
            }
        });

        caller.start();
        ticker.untilWaiting(1);
        await().until(() -> gauge("degradable.pool.active") == 1);
        double orphansBefore = gauge("degradable.orphans");
        ticker.advance(Duration.ofMillis(100));
        caller.join();

        assertThat(answer).isCompletedExceptionally();
        assertThat(orphansBefore).isZero();
        assertThat(gauge("degradable.orphans")).isEqualTo(1);
        assertThat(gauge("degradable.pool.active")).isEqualTo(1);
        assertThat(gauge("degradable.pool.limit")).isEqualTo(3);
        release.countDown();
        await().until(() -> gauge("degradable.orphans") == 0 && gauge("degradable.pool.active") == 0);
    }

    @Test
    void gauges_keep_what_they_read_while_the_container_lives() {
        new DegradableMeters(commands).bindTo(registry);
        commands.register(Ask.SPEC);

        collectGarbage();

        assertThat(registry.getMeters())
                .isNotEmpty()
                .allSatisfy(meter ->
                        assertThat(value(meter)).as(meter.getId().toString()).isNotNaN());
        assertThat(gauge("degradable.pool.limit")).isEqualTo(5);
    }

    @Test
    void registry_does_not_keep_a_container_that_nobody_has() {
        WeakReference<Commands> forgotten = bindToOneThatNobodyKeeps();

        await().until(() -> {
            collectGarbage();
            return forgotten.get() == null;
        });

        assertThat(registry.get("degradable.inflight").gauge().value()).isNaN();
    }

    private WeakReference<Commands> bindToOneThatNobodyKeeps() {
        Commands others = Commands.create();
        new DegradableMeters(others).bindTo(registry);
        others.register(CommandSpec.of(Ask.class).group("oracle").semaphore().build());
        others.close();
        return new WeakReference<>(others);
    }

    private static void collectGarbage() {
        WeakReference<Object> garbage = new WeakReference<>(new Object());
        await().until(() -> {
            System.gc();
            return garbage.get() == null;
        });
    }

    @Test
    void binding_again_changes_nothing() {
        DegradableMeters meters = new DegradableMeters(commands);
        meters.bindTo(registry);
        commands.register(Ask.SPEC);
        Set<Meter.Id> once = ids();

        meters.bindTo(registry);
        new DegradableMeters(commands).bindTo(registry);
        answer("a");

        assertThat(ids()).isEqualTo(once);
        assertThat(nonZero("degradable.calls"))
                .containsExactly("1 command=Ask group=oracle outcome=normal source=primary trigger=none");
    }

    @Test
    void several_registries_are_bound_side_by_side() {
        MeterRegistry second = new SimpleMeterRegistry();
        DegradableMeters meters = new DegradableMeters(commands);

        meters.bindTo(registry);
        meters.bindTo(second);
        answer("a");

        for (MeterRegistry each : List.of(registry, second)) {
            assertThat(each.get("degradable.latency").functionTimer().count()).isEqualTo(1);
        }
    }

    @Test
    void raced_first_calls_and_bindings_make_each_meter_once() throws Exception {
        for (int round = 0; round < 200; round++) {
            MeterRegistry fresh = new SimpleMeterRegistry();
            try (Commands raced = Commands.create()) {
                DegradableMeters meters = new DegradableMeters(raced);
                CyclicBarrier start = new CyclicBarrier(3);
                List<Thread> racers = List.of(
                        racer(start, () -> meters.bindTo(fresh)),
                        racer(start, () -> raced.register(Ask.SPEC)),
                        racer(start, () -> raced.execute(new Ask(Ask.SPEC, "a", () -> "live", FAILS))));
                for (Thread racer : racers) {
                    racer.join();
                }

                assertThat(fresh.get("degradable.latency").functionTimer().count())
                        .isEqualTo(1);
                assertThat(fresh.get("degradable.pool.limit").meters()).hasSize(1);
            }
        }
    }

    private static Thread racer(CyclicBarrier start, Runnable what) {
        Thread racer = new Thread(() -> {
            try {
                start.await();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            what.run();
        });
        racer.start();
        return racer;
    }

    @Test
    void no_call_makes_a_meter_or_a_tag() {
        new DegradableMeters(commands).bindTo(registry);
        commands.register(Ask.SPEC);
        Set<Meter.Id> registered = ids();

        for (int key = 0; key < 200; key++) {
            int number = key;
            ask(
                    "key-" + number,
                    () -> {
                        throw new IllegalStateException("message " + number);
                    },
                    number % 4 == 0 ? FAILS : () -> "from the spare");
        }

        assertThat(nonZero("fallback.source"))
                .containsExactlyInAnyOrder("150 command=Ask source=spare", "50 command=Ask source=static");
        assertThat(ids()).isEqualTo(registered);
    }

    @Test
    void kinds_of_call_that_the_chain_cannot_produce_have_no_meter() {
        CommandSpec<Ask, String> bare = CommandSpec.of(Ask.class)
                .name("Bare")
                .group("oracle")
                .semaphore()
                .build();
        new DegradableMeters(commands).bindTo(registry);

        commands.register(bare);

        assertThat(sources("degradable.calls")).containsExactlyInAnyOrder("primary", "none");
        assertThat(registry.find("degradable.calls")
                        .tag("trigger", "thread_pool_rejected")
                        .meters())
                .isEmpty();
        assertThat(registry.find("degradable.orphans").meters()).isEmpty();
        assertThat(sources("fallback.source")).containsExactlyInAnyOrder("spare", "cache", "static");
    }

    @Test
    void closing_takes_all_meters_out_and_lets_none_in() {
        registry.counter("somebody.elses").increment();
        DegradableMeters meters = new DegradableMeters(commands);
        meters.bindTo(registry);
        answer("a");

        meters.close();
        commands.register(CommandSpec.of(Ask.class)
                .name("Later")
                .group("oracle")
                .semaphore()
                .build());

        assertThat(names()).containsExactly("somebody.elses");
    }

    private String answer(String key) {
        return ask(key, () -> "live", FAILS);
    }

    private String ask(String key, Callable<String> body, Callable<String> spare) {
        return commands.execute(new Ask(Ask.SPEC, key, body, spare));
    }

    private Set<Meter.Id> ids() {
        return registry.getMeters().stream().map(Meter::getId).collect(Collectors.toSet());
    }

    private Set<String> names() {
        return ids().stream().map(Meter.Id::getName).collect(Collectors.toSet());
    }

    private List<String> sources(String meter) {
        return registry.get(meter).meters().stream()
                .map(each -> String.valueOf(each.getId().getTag("source")))
                .distinct()
                .toList();
    }

    private double counter(String name) {
        return registry.get(name).functionCounter().count();
    }

    private double gauge(String name) {
        return registry.get(name).gauge().value();
    }

    /** Value and tags of the meters of one name that are not at zero. */
    private List<String> nonZero(String name) {
        return registry.get(name).meters().stream()
                .filter(meter -> value(meter) != 0)
                .map(meter -> (long) value(meter) + " "
                        + meter.getId().getTags().stream()
                                .map(tag -> tag.getKey() + "=" + tag.getValue())
                                .collect(Collectors.joining(" ")))
                .toList();
    }

    /** The first figure of a meter: the count of a timer, the value of anything else. */
    private static double value(Meter meter) {
        return meter.measure().iterator().next().getValue();
    }
}
