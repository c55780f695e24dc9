package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.cache.CacheSpec;
import io.degradable.control.Order;
import io.degradable.control.Position;
import io.degradable.control.Target;
import io.degradable.event.CommandEvent;
import io.degradable.model.CircuitState;
import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.settings.SettingCatalogue;
import io.degradable.settings.SettingSource;
import io.degradable.state.CommandObserver;
import io.degradable.state.CommandView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import io.degradable.time.Ticker;
import io.degradable.time.Timer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What changes of switches and settings leave behind when they meet each other. */
@Timeout(120)
final class ChangesInFlightTest {

    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");
    private static final StaticTemplate<String> TEMPLATE = StaticTemplate.of("sorry", "template");
    private static final Order ANNA = Order.by("anna", "the backend is moved").untilCleared();

    private final HookedTicker ticker = new HookedTicker();

    /** Lets a test come in between where the code looks at the clock. */
    private static final class HookedTicker implements Ticker {

        final ManualTicker manual = new ManualTicker();
        volatile Runnable beforeNanos = () -> {};

        @Override
        public long nanos() {
            beforeNanos.run();
            return manual.nanos();
        }

        @Override
        public long epochMillis() {
            return manual.epochMillis();
        }

        @Override
        public void await(Object blocker, long untilNanos) {
            manual.await(blocker, untilNanos);
        }

        @Override
        public Timer newTimer(String name) {
            return manual.newTimer(name);
        }
    }

    private static final class Spare extends DegradableCommand<String> {

        Spare(Commands commands, CommandSpec<Spare, String> spec) {
            super(commands, spec);
        }

        @Override
        protected String run() {
            return "spare";
        }
    }

    private static CommandSpec<Spare, String> spare(String name) {
        return CommandSpec.of(Spare.class)
                .name(name)
                .group("spares")
                .fallback(chain -> chain.template(TEMPLATE))
                .build();
    }

    private static CommandSpec<Call, String> user(Commands commands, String name, CommandSpec<Spare, String> spare) {
        return Call.declared()
                .name(name)
                .group("catalog")
                .fallback(chain ->
                        chain.spare(spare, call -> new Spare(commands, spare)).template(TEMPLATE))
                .build();
    }

    private static Call failing(Commands commands, CommandSpec<Call, String> spec) {
        return new Call(commands, spec, "1", () -> {
            throw new IOException("down");
        });
    }

    private static CommandView view(Commands commands, String name) {
        return commands.commands().stream()
                .filter(command -> command.key().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void spares_serve_again_when_the_switch_of_both_is_cleared() {
        try (Commands commands = Commands.builder().ticker(ticker).build()) {
            List<CommandSpec<Call, String>> users = IntStream.range(0, 10)
                    .mapToObj(number -> user(commands, "User" + number, spare("Spare" + number)))
                    .toList();
            users.forEach(commands::register);

            commands.switches().set(Target.all(), Position.CACHE_ONLY, ANNA);
            commands.switches().clear(Target.all(), ANNA);

            assertThat(commands.switches().all()).isEmpty();
            assertThat(users)
                    .extracting(
                            user -> failing(commands, user).executeForResult().source())
                    .containsOnly(Source.SPARE);
        }
    }

    @Test
    void spares_have_the_timeout_that_a_property_of_all_names_says() {
        TestSource source = new TestSource("file").with("degradable.command.default.timeout", "100 ms");
        try (Commands commands =
                Commands.builder().ticker(ticker).settings(source).build()) {
            List<CommandSpec<Call, String>> users = IntStream.range(0, 10)
                    .mapToObj(number -> user(commands, "User" + number, spare("Spare" + number)))
                    .toList();
            users.forEach(commands::register);

            source.set("degradable.command.default.timeout", "200 ms");
            Awaitility.await()
                    .until(() -> commands.commands().stream()
                            .allMatch(command ->
                                    command.settings().guard().timeout().equals(Duration.ofMillis(200))));

            assertThat(commands.commands().stream()
                            .filter(command -> command.key().name().startsWith("User"))
                            .map(command -> command.stages().get(1).settings().timeout()))
                    .containsOnly(Duration.ofMillis(200));
        }
    }

    @Test
    void a_breaker_is_let_go_of_when_it_is_cleared_while_it_is_being_forced() throws Exception {
        try (Commands commands = Commands.builder().ticker(ticker).build()) {
            CommandSpec<Call, String> spec = user(commands, "GetProduct", spare("Spare"));
            commands.register(spec);
            Target circuit = Target.circuit("GetProduct", Target.PRIMARY);
            CountDownLatch atTheBreaker = new CountDownLatch(1);
            CountDownLatch cleared = new CountDownLatch(1);
            Thread setter = new Thread(() -> commands.switches().set(circuit, Position.FORCED_OPEN, ANNA));
            ticker.beforeNanos = () -> {
                if (Thread.currentThread() == setter && atTheBreaker.getCount() > 0 && isIn("force")) {
                    atTheBreaker.countDown();
                    join(cleared);
                }
            };

            setter.start();
            join(atTheBreaker);
            commands.switches().clear(circuit, ANNA);
            cleared.countDown();
            setter.join(10_000);

            assertThat(commands.switches().all()).isEmpty();
            assertThat(commands.circuit("GetProduct").explain().state()).isNotEqualTo(CircuitState.FORCED_OPEN);
        }
    }

    private static boolean isIn(String method) {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals(method)));
    }

    private static void join(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    @Test
    void breakers_end_as_they_are_held_when_two_hands_fight() throws Exception {
        try (Commands commands = Commands.builder().ticker(ticker).build()) {
            commands.register(user(commands, "GetProduct", spare("Spare")));
            Target circuit = Target.circuit("GetProduct", Target.PRIMARY);
            for (int round = 0; round < 3_000; round++) {
                CountDownLatch begin = new CountDownLatch(1);
                CompletableFuture<Void> one = CompletableFuture.runAsync(() -> {
                    join(begin);
                    commands.switches().set(circuit, Position.FORCED_OPEN, ANNA);
                });
                CompletableFuture<Void> other = CompletableFuture.runAsync(() -> {
                    join(begin);
                    commands.switches().clear(circuit, ANNA);
                });
                begin.countDown();
                CompletableFuture.allOf(one, other).get(10, TimeUnit.SECONDS);

                boolean held = !commands.switches().all().isEmpty();
                assertThat(commands.circuit("GetProduct").explain().state() == CircuitState.FORCED_OPEN)
                        .as("round %s", round)
                        .isEqualTo(held);
            }
        }
    }

    /** One that finds out while it is read that it has changed, and says so. */
    private record Talkative(AtomicInteger reads, AtomicReference<SettingSource.Watcher> watcher)
            implements SettingSource {

        @Override
        public String name() {
            return "talkative";
        }

        @Override
        public Map<String, String> read() {
            reads.incrementAndGet();
            SettingSource.Watcher told = watcher.get();
            if (told != null) {
                told.changed();
            }
            return Map.of();
        }

        @Override
        public AutoCloseable watch(Watcher told) {
            watcher.set(told);
            return () -> watcher.set(null);
        }
    }

    @Test
    void a_source_that_changes_faster_than_it_is_read_does_not_hold_up_the_start() throws Exception {
        Talkative source = new Talkative(new AtomicInteger(), new AtomicReference<>());

        CompletableFuture<Commands> start = CompletableFuture.supplyAsync(
                () -> Commands.builder().ticker(ticker).settings(source).build());

        try {
            assertThat(start).succeedsWithin(Duration.ofSeconds(5));
        } finally {
            source.watcher.set(null);
            start.get(10, TimeUnit.SECONDS).close();
        }
    }

    @Test
    void a_source_is_read_again_after_it_threw_what_cannot_be_shown() {
        TestSource source = new TestSource("file").with("degradable.command.GetProduct.timeout", "100 ms");
        try (Commands commands =
                Commands.builder().ticker(ticker).settings(source).build()) {
            commands.register(user(commands, "GetProduct", spare("Spare")));

            AtomicInteger shown = new AtomicInteger();
            source.breaks(new Exception() {
                @Override
                public String getMessage() {
                    shown.incrementAndGet();
                    throw new IllegalStateException("no text");
                }
            });
            Awaitility.await().until(() -> shown.get() > 0);
            source.quietly(null);
            source.set("degradable.command.GetProduct.timeout", "200 ms");

            Awaitility.await()
                    .atMost(Duration.ofSeconds(5))
                    .until(() -> view(commands, "GetProduct")
                            .settings()
                            .guard()
                            .timeout()
                            .equals(Duration.ofMillis(200)));
        }
    }

    @Test
    void a_flood_of_names_above_the_cap_leaves_no_pools_behind() {
        try (Commands commands = Commands.builder()
                .ticker(ticker)
                .maxNames(2)
                .settings(new TestSource("file"))
                .build()) {

            for (int number = 0; number < 1_000; number++) {
                CommandSpec<Call, String> spec = Call.declared()
                        .name("MadeUp-" + number)
                        .fallback(chain -> chain.spareCall("second", (call, context) -> "spare"))
                        .build();
                new Call(commands, spec, "1", () -> "live").execute();
            }

            assertThat(commands.configuration().pools()).hasSizeLessThan(20);
        }
    }

    @Test
    void a_switch_that_is_set_for_a_moment_on_the_way_back_does_not_give_all_calls_back_at_once() {
        try (Commands commands = Commands.builder().ticker(ticker).build()) {
            commands.register(user(commands, "GetProduct", spare("Spare")));
            Target target = Target.command("GetProduct");
            commands.switches().set(target, Position.STATIC_ONLY, ANNA);
            ticker.manual.advance(Duration.ofHours(1));
            commands.switches().clear(target, ANNA);
            int share = view(commands, "GetProduct").primaryShare();

            commands.switches().set(target, Position.STATIC_ONLY, ANNA);
            ticker.manual.advance(Duration.ofSeconds(5));
            commands.switches().clear(target, ANNA);

            assertThat(view(commands, "GetProduct").primaryShare()).isLessThanOrEqualTo(share);
        }
    }

    @Test
    void a_command_is_held_from_the_moment_it_is_known_whoever_calls_it_first() throws Exception {
        TestSource source = new TestSource("file")
                .with("degradable.command.GetProduct.stage.primary.out", "true")
                .with("degradable.command.GetStock.circuitBreaker.forceOpen", "true");
        for (int round = 0; round < 200; round++) {
            try (Commands commands =
                    Commands.builder().ticker(ticker).settings(source).build()) {
                CommandSpec<Call, String> out = user(commands, "GetProduct", spare("Spare"));
                CommandSpec<Call, String> forced = user(commands, "GetStock", spare("Spare"));
                List<CompletableFuture<String>> answers = new ArrayList<>();
                CountDownLatch begin = new CountDownLatch(1);
                for (int caller = 0; caller < 6; caller++) {
                    CommandSpec<Call, String> spec = caller % 2 == 0 ? out : forced;
                    answers.add(CompletableFuture.supplyAsync(() -> {
                        join(begin);
                        return new Call(commands, spec, "1", () -> "live").execute();
                    }));
                }

                begin.countDown();

                for (CompletableFuture<String> answer : answers) {
                    assertThat(answer.get(10, TimeUnit.SECONDS))
                            .as("round %s", round)
                            .isNotEqualTo("live");
                }
            }
        }
    }

    @Test
    void many_commands_that_are_held_by_configuration_become_known_in_time() {
        TestSource source = new TestSource("file");
        int many = 1_000;
        for (int number = 0; number < many; number++) {
            source.with("degradable.switch.command.C" + number, "2");
        }
        try (Commands commands =
                Commands.builder().ticker(ticker).settings(source).build()) {
            long begin = System.nanoTime();

            for (int number = 0; number < many; number++) {
                commands.register(Call.declared()
                        .name("C" + number)
                        .semaphore(10)
                        .fallback(chain -> chain.cached(COPIES, call -> call.id, Duration.ofHours(1))
                                .template(TEMPLATE))
                        .build());
            }

            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isLessThan(Duration.ofSeconds(50)); // it was quadratic, and took minutes
        }
    }

    @Test
    void a_listener_in_place_may_wait_for_a_thread_that_makes_a_command_known() throws Exception {
        TestSource source = new TestSource("file");
        AtomicReference<Commands> itself = new AtomicReference<>();
        CompletableFuture<Boolean> registered = new CompletableFuture<>();
        CommandSpec<Spare, String> other = spare("Other");
        try (Commands commands = Commands.builder()
                .ticker(ticker)
                .settings(source)
                .inlineListener(event -> {
                    if (event instanceof CommandEvent.CircuitChanged) {
                        CompletableFuture<Void> made = CompletableFuture.runAsync(
                                () -> Objects.requireNonNull(itself.get()).register(other));
                        try {
                            made.get(3, TimeUnit.SECONDS);
                            registered.complete(true);
                        } catch (Exception hangs) {
                            registered.complete(false);
                        }
                    }
                })
                .build()) {
            itself.set(commands);
            commands.register(user(commands, "GetProduct", spare("Spare")));

            source.set("degradable.command.GetProduct.circuitBreaker.enabled", "false");

            assertThat(registered.get(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** One that can be watched from the second time on. */
    private static final class WatchedLater implements SettingSource {

        final TestSource behind = new TestSource("file");
        final AtomicInteger watches = new AtomicInteger();

        @Override
        public String name() {
            return "later";
        }

        @Override
        public Map<String, String> read() throws Exception {
            return behind.read();
        }

        @Override
        public AutoCloseable watch(Watcher watcher) {
            if (watches.incrementAndGet() == 1) {
                throw new IllegalStateException("not there yet");
            }
            return behind.watch(watcher);
        }
    }

    @Test
    void a_source_that_could_not_be_watched_is_watched_later_or_shown() throws Exception {
        WatchedLater source = new WatchedLater();
        try (Commands commands =
                Commands.builder().ticker(ticker).settings(source).build()) {
            String fault = commands.configuration().sources().get(0).lastFault();
            ticker.manual.advance(Duration.ofSeconds(11));

            Awaitility.await()
                    .atMost(Duration.ofSeconds(5))
                    .untilAsserted(() -> assertThat(fault + " watched " + source.watches.get())
                            .isNotEqualTo(" watched 1"));
        }
    }

    @Test
    void what_is_said_for_all_passes_over_those_who_have_no_such_stage() {
        TestSource source = new TestSource("file").with("degradable.command.default.stage.replica.out", "true");
        try (Commands commands =
                Commands.builder().ticker(ticker).settings(source).build()) {

            commands.register(user(commands, "GetProduct", spare("Spare")));

            assertThat(commands.configuration().faults()).isEmpty();
        }
    }

    @Test
    void a_source_that_hangs_does_not_keep_others_from_being_heard() {
        CountDownLatch ends = new CountDownLatch(1);
        AtomicReference<SettingSource.Watcher> told = new AtomicReference<>();
        SettingSource hangs = new SettingSource() {
            @Override
            public String name() {
                return "hangs";
            }

            @Override
            public Map<String, String> read() throws Exception {
                if (told.get() != null && Thread.currentThread().getName().contains("continuation")) {
                    ends.await();
                }
                return Map.of();
            }

            @Override
            public AutoCloseable watch(Watcher watcher) {
                told.set(watcher);
                return () -> {};
            }
        };
        TestSource source = new TestSource("file");
        try (Commands commands = Commands.builder()
                .ticker(ticker)
                .settings(hangs)
                .settings(source)
                .build()) {
            commands.register(user(commands, "GetProduct", spare("Spare")));

            source.set("degradable.switch.all", "2");

            Awaitility.await()
                    .atMost(Duration.ofSeconds(5))
                    .until(() -> !commands.switches().all().isEmpty());
        } finally {
            ends.countDown();
        }
    }

    @Test
    void who_decides_for_a_command_above_the_cap_is_shown() {
        try (Commands commands = Commands.builder().ticker(ticker).maxNames(1).build()) {
            commands.register(spare("Known"));
            CommandSpec<Call, String> spec = Call.declared()
                    .name("Above")
                    .group("catalog")
                    .fallback(chain -> chain.template(TEMPLATE))
                    .build();
            commands.switches().set(Target.group("catalog"), Position.STATIC_ONLY, ANNA);

            CommandResult<String> result = new Call(commands, spec, "1", () -> "live").executeForResult();

            assertThat(result.source()).isEqualTo(Source.STATIC);
            assertThat(commands.switches().decidesFor("Above")).isPresent();
        }
    }

    @Test
    void a_close_ends_although_the_end_of_a_watch_hangs() throws Exception {
        CountDownLatch ends = new CountDownLatch(1);
        SettingSource source = new SettingSource() {
            @Override
            public String name() {
                return "hangs";
            }

            @Override
            public Map<String, String> read() {
                return Map.of();
            }

            @Override
            public AutoCloseable watch(Watcher watcher) {
                return ends::await;
            }
        };
        Commands commands = Commands.builder()
                .settings(source)
                .closeGrace(Duration.ofMillis(100))
                .build();

        CompletableFuture<Void> closed = CompletableFuture.runAsync(commands::close);

        try {
            assertThat(closed).succeedsWithin(Duration.ofSeconds(10));
        } finally {
            ends.countDown();
        }
    }

    @Test
    void a_change_listener_may_close_the_container() throws Exception {
        AtomicReference<Commands> itself = new AtomicReference<>();
        CompletableFuture<Void> closed = new CompletableFuture<>();
        Commands commands = Commands.builder()
                .closeGrace(Duration.ofMillis(500))
                .changeListener(change -> {
                    Objects.requireNonNull(itself.get()).close();
                    closed.complete(null);
                })
                .build();
        itself.set(commands);

        commands.switches().set(Target.all(), Position.STATIC_ONLY, ANNA);

        assertThat(closed).succeedsWithin(Duration.ofSeconds(10));
    }

    private static final List<String> ODD = List.of(
            "",
            " ",
            "\n",
            "\u0000",
            "<b>",
            "NaN",
            "-NaN",
            "Infinity",
            "1e400",
            "1e-400",
            "0x1p3",
            "1d",
            "1f",
            "-0",
            "+1",
            "007",
            "1_000",
            "\u0661",
            "\u0661 s",
            "9223372036854775807",
            "9223372036854775808",
            "9223372036854775807 h",
            "9223372036854775807 m",
            "9223372036854775807 ns",
            "99999999999999999999999 ms",
            "PT9223372036854775807S",
            "PT9223372036854775807H",
            "P99999999999D",
            "PT0.0000000001S",
            "-PT1S",
            "PT",
            "P1Y",
            "none",
            "NONE",
            "1.5 s",
            "1e3 ms",
            "0 ms",
            "-1 ms",
            "1ms",
            "1  ms",
            "1 ms 2 ms",
            ",",
            ",,,",
            "FAILURE,",
            "FAILURE,FAILURE",
            "10,10",
            "10,25,",
            "1".repeat(10_000),
            "x".repeat(100_000),
            "${x}",
            "true false",
            "TRUE",
            "2147483648",
            "-2147483649",
            "1e1",
            "1.0",
            "50 %");

    @Test
    void no_text_in_any_place_keeps_the_others_from_being_applied() {
        List<String> places = new ArrayList<>(List.of(
                "degradable.switch.all",
                "degradable.switch.command.GetProduct",
                "degradable.switch.group.catalog",
                "degradable.switch.command." + "y".repeat(10_000),
                "degradable.switch.command.<b>",
                "degradable.switch.command.a\nb",
                "degradable." + "x.".repeat(5_000),
                "degradable.command.GetProduct." + "x".repeat(10_000),
                "degradable.command.",
                "degradable.command..timeout",
                "degradable.command.a\nb.timeout",
                "degradable.pool..size",
                "degradable.",
                "hystrix.",
                "hystrix.command..",
                "hystrix.command.GetProduct.execution.isolation.thread.timeoutInMilliseconds",
                "hystrix.threadpool.catalog.maxQueueSize",
                "hystrix.threadpool.catalog.coreSize",
                "degradable.command.GetProduct.stage..out",
                "degradable.command.GetProduct.stage.spare.stage.spare.out",
                "degradable.command.default.circuitBreaker.forceOpen",
                "degradable.command.GetProduct.stage.nosuch.circuitBreaker.forceOpen"));
        SettingCatalogue.COMMANDS.forEach(setting -> places.add("degradable.command.GetProduct." + setting.name()));
        SettingCatalogue.STAGES.forEach(
                setting -> places.add("degradable.command.GetProduct.stage.second." + setting.name()));
        SettingCatalogue.POOLS.forEach(setting -> places.add("degradable.pool.catalog." + setting.name()));
        TestSource source = new TestSource("file");
        try (Commands commands =
                Commands.builder().ticker(ticker).settings(source).build()) {
            commands.register(Call.declared()
                    .name("GetProduct")
                    .group("catalog")
                    .fallback(chain -> chain.spareCall("second", (call, context) -> "spare")
                            .template(TEMPLATE))
                    .build());
            for (int round = 0; round < ODD.size(); round++) {
                String odd = ODD.get(round);
                String marker = "unknown." + round;
                places.forEach(place -> source.with(place, odd));

                source.set("degradable." + marker, "1");

                Awaitility.await()
                        .atMost(Duration.ofSeconds(20))
                        .until(() -> commands.switches().changes().stream()
                                .anyMatch(change -> change.subject().endsWith(marker)));
                assertThat(commands.switches().changes())
                        .noneMatch(change -> change.reason().contains("could not be applied"));
            }
        }
    }

    @Test
    void ten_thousand_names_become_known_in_time_with_a_source() {
        TestSource source = new TestSource("file").with("degradable.command.default.timeout", "2 s");
        try (Commands commands = Commands.builder()
                .ticker(ticker)
                .maxNames(20_000)
                .settings(source)
                .build()) {
            long begin = System.nanoTime();

            for (int number = 0; number < 10_000; number++) {
                commands.register(
                        Call.declared().name("C" + number).semaphore(10).build());
            }

            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isLessThan(Duration.ofSeconds(50)); // it was quadratic, and took minutes
        }
    }

    @Test
    void a_command_whose_calls_were_kept_for_a_moment_gets_them_back_at_once() {
        try (Commands commands = Commands.builder().ticker(ticker).build()) {
            commands.register(user(commands, "GetProduct", spare("Spare")));
            commands.switches().set(Target.group("catalog"), Position.STATIC_ONLY, ANNA);
            commands.switches().set(Target.command("GetProduct"), Position.NORMAL, ANNA);
            commands.switches().clear(Target.group("catalog"), ANNA);
            commands.switches().set(Target.group("catalog"), Position.STATIC_ONLY, ANNA);
            ticker.manual.advance(Duration.ofHours(2)); // in which its primary has all calls
            int before = view(commands, "GetProduct").primaryShare();

            commands.switches().clear(Target.command("GetProduct"), ANNA);
            ticker.manual.advance(Duration.ofSeconds(5));
            commands.switches().clear(Target.group("catalog"), ANNA);

            assertThat(before).isEqualTo(100);
            assertThat(view(commands, "GetProduct").primaryShare()).isEqualTo(100);
        }
    }

    @Test
    void observers_hear_of_nothing_under_the_lock() throws Exception {
        try (Commands commands = Commands.builder()
                .ticker(ticker)
                .maxNames(2)
                .evictIdleAfter(Duration.ofMinutes(1))
                .build()) {
            commands.register(spare("Pinned"));
            CommandSpec<Spare, String> above = spare("AboveSpare");
            CommandSpec<Call, String> spec = user(commands, "Above", above);
            new Call(commands, Call.declared().name("Idle").semaphore(10).build(), "1", () -> "live").execute();
            new Call(commands, spec, "1", () -> "live").execute();
            CompletableFuture<Boolean> free = new CompletableFuture<>();
            CommandSpec<Spare, String> other = spare("Other");
            commands.watch(new CommandObserver() {
                @Override
                public void known(CommandView command) {}

                @Override
                public void gone(CommandView command) {
                    try {
                        CompletableFuture.runAsync(() -> commands.register(other))
                                .get(3, TimeUnit.SECONDS);
                        free.complete(true);
                    } catch (Exception hangs) {
                        free.complete(false);
                    }
                }
            });
            commands.commands();
            ticker.manual.advance(Duration.ofMinutes(10));
            commands.commands();
            ticker.manual.advance(Duration.ofSeconds(50));
            assertThat(free).isNotDone();
            ticker.manual.advance(Duration.ofMinutes(10));

            commands.switches().set(Target.all(), Position.STATIC_ONLY, ANNA);

            assertThat(commands.commands()).isNotEmpty();
            assertThat(free.getNow(true)).isTrue();
        }
    }

    @Test
    void calls_after_a_change_make_no_objects() {
        TestSource source = new TestSource("file");
        try (Commands commands = Commands.builder().settings(source).build()) {
            CommandSpec<Call, String> spec =
                    Call.declared().name("GetProduct").semaphore(10).build();
            commands.register(spec);
            source.set("degradable.command.GetProduct.semaphore.limit", "20");
            commands.switches().set(Target.command("GetProduct"), Position.NORMAL, ANNA);
            commands.switches().clear(Target.command("GetProduct"), ANNA);
            Call[] calls = new Call[200_000];
            for (int number = 0; number < calls.length; number++) {
                calls[number] = new Call(commands, spec, "1", () -> "live");
            }
            com.sun.management.ThreadMXBean threads =
                    (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
            for (int number = 0; number < 100_000; number++) {
                calls[number].execute();
            }
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int number = 100_000; number < 200_000; number++) {
                calls[number].execute();
            }

            assertThat((threads.getCurrentThreadAllocatedBytes() - before) / 100_000)
                    .isZero();
        }
    }
}
