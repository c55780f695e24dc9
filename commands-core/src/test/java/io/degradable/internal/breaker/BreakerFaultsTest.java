package io.degradable.internal.breaker;

import static io.degradable.internal.breaker.Verdict.FAILED;
import static io.degradable.internal.breaker.Verdict.GOOD;
import static io.degradable.internal.breaker.Verdict.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.degradable.BreakerSpec;
import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.DegradableCommand;
import io.degradable.internal.breaker.BreakerBench.Held;
import io.degradable.model.BadRequestException;
import io.degradable.model.CircuitState;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.EventType;
import io.degradable.model.Source;
import io.degradable.model.Trigger;
import io.degradable.settings.BreakerSettings;
import io.degradable.state.CircuitProbes;
import io.degradable.state.CircuitView;
import io.degradable.state.CircuitWindow;
import io.degradable.state.CommandView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.Caller;
import io.degradable.testing.Race;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Faults that breakers elsewhere have had, row by row: what came out wrong there must come out right here. A row that is about
 * the breaker alone is shown on one, a row that is about its callers on commands in a container, on the same ticker.
 */
@Timeout(60)
final class BreakerFaultsTest {

    private static final Duration OPEN_FOR = Duration.ofSeconds(5);
    private static final Duration LONGEST_OPEN = Duration.ofSeconds(30);
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final Duration NANO = Duration.ofNanos(1);

    private final BreakerBench bench = new BreakerBench(Breakers.with().ramp(20));
    private final Commands commands = Commands.builder()
            .ticker(bench.ticker)
            .closeGrace(Duration.ofMillis(1))
            .build();
    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicInteger bodies = new AtomicInteger();

    @AfterEach
    void close() {
        release.countDown();
        commands.close();
    }

    // ---- commands ----

    /** A command whose body is given by the test. */
    static final class Ask extends DegradableCommand<String> {

        private final Callable<String> body;

        Ask(Commands commands, CommandSpec<Ask, String> spec, Callable<String> body) {
            super(commands, spec);
            this.body = body;
        }

        @Override
        protected @Nullable String run() throws Exception {
            return body.call();
        }
    }

    private static CommandSpec.Builder<Ask, String> bare(Consumer<BreakerSpec> breaker) {
        return CommandSpec.of(Ask.class)
                .group("faults")
                .semaphore(64)
                .timeout(TIMEOUT)
                .circuitBreaker(breaker);
    }

    private static CommandSpec.Builder<Ask, String> withTemplate(Consumer<BreakerSpec> breaker) {
        return bare(breaker).fallback(chain -> chain.template(StaticTemplate.of("last", "template")));
    }

    private static void oneProbe(BreakerSpec breaker) {
        breaker.requestVolumeThreshold(4).probes(1).noRamp();
    }

    private CommandResult<String> call(CommandSpec<Ask, String> spec, Callable<String> body) {
        return new Ask(commands, spec, body).executeForResult();
    }

    private Source source(CommandSpec<Ask, String> spec) {
        return call(spec, this::live).source();
    }

    private String live() {
        bodies.incrementAndGet();
        return "live";
    }

    private String hang() throws InterruptedException {
        bodies.incrementAndGet();
        release.await();
        return "late";
    }

    /** Lets so many calls fail that it opens, and its open time go by. */
    private void untilProbesAreDue(CommandSpec<Ask, String> spec) {
        commands.register(spec);
        while (circuit(spec).state() == CircuitState.CLOSED) {
            try {
                call(spec, () -> {
                    throw new IllegalStateException("ill");
                });
            } catch (CommandException withoutFallback) {
                assertThat(withoutFallback.key().name()).isEqualTo(spec.name());
            }
        }
        bench.advance(circuit(spec).opensFor());
        assertThat(circuit(spec).state()).isEqualTo(CircuitState.HALF_OPEN);
        bodies.set(0);
    }

    private CommandView view(CommandSpec<Ask, String> spec) {
        return commands.commands().stream()
                .filter(command -> command.key().name().equals(spec.name()))
                .findFirst()
                .orElseThrow();
    }

    private CircuitView circuit(CommandSpec<Ask, String> spec) {
        return view(spec).stages().get(0).circuit();
    }

    // ---- breakers ----

    private static BreakerBench oneProbe() {
        Breakers one = Breakers.with().volume(4).ramp(20);
        one.probes = 1;
        return new BreakerBench(one);
    }

    private static void untilProbesAreDue(BreakerBench bench) {
        bench.end(bench.breaker.settings().requestVolumeThreshold(), FAILED);
        bench.advance(bench.view().opensFor());
    }

    // ---- B01: a probe that never reports ----

    @Test
    void B01_a_probe_that_hangs_counts_as_failed_when_its_lease_ends() {
        BreakerBench one = oneProbe();
        untilProbesAreDue(one);
        Held hung = one.hold(1).get(0);

        one.advance(BreakerBench.LEASE);
        assertThat(one.state()).isEqualTo(CircuitState.HALF_OPEN);
        assertThat(one.ask(10, GOOD)).isZero();
        one.advance(NANO);

        assertThat(one.state()).isEqualTo(CircuitState.OPEN);
        assertThat(one.view().opensFor()).isEqualTo(OPEN_FOR);
        one.advance(OPEN_FOR);
        one.settle(hung, GOOD);
        assertThat(one.state()).as("too late to close it").isEqualTo(CircuitState.HALF_OPEN);
        assertThat(one.ask(1, GOOD)).isEqualTo(1);
        assertThat(one.state()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void B01_a_probe_that_hangs_on_its_callers_thread_locks_nobody_out() {
        CommandSpec<Ask, String> spec =
                withTemplate(BreakerFaultsTest::oneProbe).build();
        untilProbesAreDue(spec);
        Caller<Source> hung = callerThatHangs(spec);

        assertThat(call(spec, this::live).trigger()).isEqualTo(Trigger.SHORT_CIRCUITED);
        bench.advance(TIMEOUT.plusSeconds(1).plus(NANO));
        assertThat(circuit(spec).state()).isEqualTo(CircuitState.OPEN);
        bench.advance(OPEN_FOR);

        assertThat(source(spec)).isEqualTo(Source.PRIMARY);
        assertThat(circuit(spec).state()).isEqualTo(CircuitState.CLOSED);
        release.countDown();
        assertThat(hung.result()).as("a semaphore cannot leave").isEqualTo(Source.PRIMARY);
        assertThat(circuit(spec).window()).isEqualTo(CircuitWindow.EMPTY);
    }

    /** A call from a thread of its own, whose body has begun when this returns. */
    private Caller<Source> callerThatHangs(CommandSpec<Ask, String> spec) {
        CountDownLatch begun = new CountDownLatch(1);
        Caller<Source> caller = Caller.calls(() -> call(spec, () -> {
                    begun.countDown();
                    return hang();
                })
                .source());
        await(begun);
        return caller;
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException overdue) {
            throw new AssertionError(overdue);
        }
    }

    // ---- B02, B04, B05, B07: probes that end without a verdict ----

    @Test
    void B02_a_probe_that_ends_with_a_bad_request_makes_room_for_another_at_once() {
        CommandSpec<Ask, String> spec = bare(BreakerFaultsTest::oneProbe)
                .ignore(UnsupportedOperationException.class::isInstance)
                .build();
        untilProbesAreDue(spec);

        for (RuntimeException saysNothing :
                List.of(new BadRequestException("no such id"), new UnsupportedOperationException("ignored"))) {
            assertThatThrownBy(() -> call(spec, () -> {
                        throw saysNothing;
                    }))
                    .isSameAs(saysNothing);
            assertThat(circuit(spec).state()).isEqualTo(CircuitState.HALF_OPEN);
        }

        assertThat(source(spec)).isEqualTo(Source.PRIMARY);
        assertThat(circuit(spec).state()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void B04_a_probe_whose_caller_goes_makes_room_for_another() throws Exception {
        CommandSpec<Ask, String> spec = bare(BreakerFaultsTest::oneProbe)
                .threadPool(pool -> pool.named("pool").size(2).queue(0))
                .build();
        untilProbesAreDue(spec);
        Caller<Throwable> caller =
                Caller.calls(() -> catchThrowableOfType(CancellationException.class, () -> call(spec, this::hang)));
        bench.ticker.untilWaiting(1);
        assertThat(circuit(spec).probes().inFlight()).isEqualTo(1);

        caller.interrupt();

        assertThat(caller.result()).isInstanceOf(CancellationException.class);
        assertThat(circuit(spec).state()).isEqualTo(CircuitState.HALF_OPEN);
        assertThat(source(spec)).isEqualTo(Source.PRIMARY);
        assertThat(circuit(spec).state()).isEqualTo(CircuitState.CLOSED);
    }

    private enum EntryPoint {
        EXECUTE,
        EXECUTE_FOR_RESULT;

        Object call(Ask command) {
            return Objects.requireNonNull(
                    this == EXECUTE
                            ? command.execute()
                            : command.executeForResult().value());
        }
    }

    @ParameterizedTest
    @EnumSource
    void B05_a_command_without_a_fallback_closes_as_any_other(EntryPoint entryPoint) {
        CommandSpec<Ask, String> spec = bare(BreakerFaultsTest::oneProbe).build();
        untilProbesAreDue(spec);

        assertThat(entryPoint.call(new Ask(commands, spec, this::live))).isEqualTo("live");

        assertThat(circuit(spec).state()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void B07_a_probe_that_a_full_bulkhead_refuses_gives_its_permit_back() {
        CommandSpec<Ask, String> spec = withTemplate(BreakerFaultsTest::oneProbe)
                .threadPool(pool -> pool.named("shared").size(1).queue(0))
                .build();
        CommandSpec<Ask, String> neighbour = withTemplate(breaker -> {})
                .name("Neighbour")
                .threadPool(pool -> pool.named("shared").size(1).queue(0))
                .build();
        untilProbesAreDue(spec);
        untilThePoolIsFree();
        Caller<Source> hung = callerThatHangs(neighbour);

        assertThat(call(spec, this::live).trigger()).isEqualTo(Trigger.THREAD_POOL_REJECTED);
        assertThat(circuit(spec).probes()).isEqualTo(new CircuitProbes(0, 0, 0, 1, 1, Duration.ZERO));
        release.countDown();
        assertThat(hung.result()).isEqualTo(Source.PRIMARY);
        untilThePoolIsFree();

        assertThat(source(spec)).isEqualTo(Source.PRIMARY);
        assertThat(circuit(spec).state()).isEqualTo(CircuitState.CLOSED);
    }

    private void untilThePoolIsFree() {
        while (commands.pools().stream().anyMatch(pool -> pool.active() > 0)) {
            Thread.onSpinWait();
        }
    }

    // ---- B09, B10: no more probes than there are ----

    @Test
    void B09_of_a_hundred_callers_two_are_probes_and_the_others_get_what_the_chain_has() throws Exception {
        CommandSpec<Ask, String> spec =
                withTemplate(breaker -> breaker.probes(2)).build();
        untilProbesAreDue(spec);
        CountDownLatch refused = new CountDownLatch(98);
        AtomicInteger shortCircuited = new AtomicInteger();
        try (Race race = new Race(101)) {
            List<Source> sources = race.round(side -> {
                if (side == 100) {
                    try {
                        await(refused); // nobody who is refused waits for a probe
                    } finally {
                        release.countDown();
                    }
                    return Source.STATIC;
                }
                CommandResult<String> result = call(spec, this::hang);
                if (result.trigger() == Trigger.SHORT_CIRCUITED) {
                    shortCircuited.incrementAndGet();
                    refused.countDown();
                }
                return result.source();
            });

            assertThat(sources).filteredOn(Source.PRIMARY::equals).hasSize(2);
        }
        assertThat(bodies).hasValue(2);
        assertThat(shortCircuited).hasValue(98);
        assertThat(view(spec).events(EventType.SHORT_CIRCUITED)).isEqualTo(98);
    }

    @Test
    void B10_callers_that_see_the_open_time_over_together_share_one_probe() throws Exception {
        CommandSpec<Ask, String> spec =
                withTemplate(BreakerFaultsTest::oneProbe).build();
        try (Race race = new Race(64)) {
            for (int round = 0; round < 100; round++) {
                untilProbesAreDue(spec);
                CountDownLatch refused = new CountDownLatch(63);

                race.round(side -> {
                    CommandResult<String> result = call(spec, () -> {
                        await(refused);
                        return live();
                    });
                    if (result.source() == Source.STATIC) {
                        refused.countDown();
                    }
                    return side;
                });

                assertThat(bodies).as("round %d", round).hasValue(1);
                assertThat(circuit(spec).state()).isEqualTo(CircuitState.CLOSED);
            }
        }
    }

    @Test
    void B10_of_two_that_ask_at_once_for_the_last_probe_one_gets_it() throws Exception {
        List<BreakerBench> breakers = new ArrayList<>();
        for (int round = 0; round < 20_000; round++) {
            BreakerBench one = oneProbe();
            untilProbesAreDue(one);
            breakers.add(one);
        }
        long now = breakers.get(0).ticker.nanos(); // reading a ticker would put the sides in a row again
        boolean[][] granted = new boolean[2][breakers.size()];
        try (Race race = new Race(2)) {
            race.inStep(
                    breakers.size(),
                    (side, round) ->
                            granted[side][round] = breakers.get(round).breaker.tryAcquire(now) != null);
        }

        for (int round = 0; round < breakers.size(); round++) {
            assertThat(granted[0][round] ^ granted[1][round])
                    .as("exactly one in round %d", round)
                    .isTrue();
        }
    }

    // ---- B12 to B16: what must not move it, and what must ----

    @ParameterizedTest
    @EnumSource(names = {"GOOD", "FAILED", "SLOW"})
    void B12_a_call_that_began_while_it_was_closed_moves_no_later_state(Verdict late) {
        BreakerBench one = oneProbe();
        List<Held> stragglers = one.hold(30);

        untilProbesAreDue(one);
        one.settle(stragglers.subList(0, 10), late);
        assertThat(one.state()).isEqualTo(CircuitState.HALF_OPEN);
        Held probe = one.hold(1).get(0);
        one.settle(stragglers.subList(10, 20), late);
        assertThat(one.view().probes()).isEqualTo(new CircuitProbes(1, 0, 0, 1, 1, BreakerBench.LEASE));
        one.settle(probe, GOOD);
        one.settle(stragglers.subList(20, 30), late);

        assertThat(one.state()).isEqualTo(CircuitState.CLOSED);
        assertThat(one.view().window()).isEqualTo(CircuitWindow.EMPTY);
        assertThat(one.breaker.opened()).isEqualTo(1);
    }

    @Test
    void B14_its_own_refusals_do_not_keep_the_traffic_away() {
        BreakerBench ramped = new BreakerBench(Breakers.with());
        ramped.end(20, FAILED);
        assertThat(ramped.ask(1_000, GOOD)).isZero();
        int admitted = 0;

        for (int milli = 0; milli < 30_000; milli++) {
            ramped.advance(Duration.ofMillis(1));
            admitted = milli < 29_000 ? 0 : admitted + ramped.ask(1, GOOD);
            if (milli < 29_000) {
                ramped.ask(1, GOOD);
            }
        }

        assertThat(admitted).as("of the calls of the last second").isEqualTo(1_000);
        assertThat(ramped.view().window().bad()).isZero();
    }

    @Test
    void B15_a_window_that_is_shorter_than_the_timeout_is_refused() {
        assertThatThrownBy(() -> bare(breaker -> breaker.window(Duration.ofSeconds(1)))
                        .timeout(Duration.ofSeconds(5))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("command Ask: circuitBreaker.window of 1000 ms is shorter than the timeout of 5000 ms");
    }

    @Test
    void B15_calls_that_hang_weigh_before_any_has_ended() {
        List<Held> hanging = bench.hold(200);

        bench.advance(Duration.ofSeconds(2));

        assertThat(bench.view().window()).isEqualTo(new CircuitWindow(0, 0, 0, 200, 0));
        assertThat(bench.ask(1, GOOD)).isZero();
        assertThat(bench.state()).isEqualTo(CircuitState.OPEN);
        bench.settle(hanging, GOOD);
        assertThat(bench.state()).isEqualTo(CircuitState.OPEN);
    }

    @Test
    void B16_a_hand_that_holds_it_open_outranks_the_open_time() {
        bench.end(20, FAILED);
        bench.breaker.forceOpen("operator", bench.ticker.nanos());

        bench.advance(OPEN_FOR.multipliedBy(10));

        assertThat(bench.state()).isEqualTo(CircuitState.FORCED_OPEN);
        assertThat(bench.ask(100, GOOD)).isZero();
        assertThat(bench.view().forcedBy()).contains("operator");
        assertThat(bench.breaker.release("operator", bench.ticker.nanos())).isTrue();
        assertThat(bench.state()).isEqualTo(CircuitState.HALF_OPEN);
    }

    // ---- B19, B20: threads that move it together ----

    @Test
    void B19_probes_that_fail_together_open_it_once_and_every_caller_gets_its_own_failure() throws Exception {
        int sides = 32;
        CommandSpec<Ask, String> spec =
                bare(breaker -> breaker.probes(sides).noRamp()).build();
        CyclicBarrier allInFlight = new CyclicBarrier(sides);
        try (Race race = new Race(sides)) {
            untilProbesAreDue(spec);
            for (int round = 1; round <= 100; round++) {
                List<String> failures = race.round(side -> failureOf(spec, side, allInFlight));

                for (int side = 0; side < sides; side++) {
                    assertThat(failures.get(side)).as("round %d", round).isEqualTo("CommandException of side " + side);
                }
                assertThat(circuit(spec).opened()).as("round %d", round).isEqualTo(1 + round);
                assertThat(circuit(spec).failedRounds()).isEqualTo(round);
                bench.advance(circuit(spec).opensFor());
            }
        }
    }

    private String failureOf(CommandSpec<Ask, String> spec, int side, CyclicBarrier allInFlight) {
        try {
            call(spec, () -> {
                allInFlight.await(30, TimeUnit.SECONDS);
                throw new IllegalStateException("of side " + side);
            });
            return "none";
        } catch (RuntimeException failure) {
            Throwable cause = failure.getCause();
            return failure.getClass().getSimpleName() + " " + (cause == null ? failure : cause).getMessage();
        }
    }

    /** Permits that were never settled while it was ill. */
    private final List<Held> stragglers = new ArrayList<>();

    @Test
    void B20_whatever_happened_before_it_is_closed_within_two_open_times_of_healing() throws Exception {
        try (Race race = new Race(32)) {
            for (int seed = 0; seed < 1_000; seed++) {
                int life = seed;
                BreakerBench raced = new BreakerBench(Breakers.with().volume(1).ramp(20));
                stragglers.clear();

                race.round(side -> {
                    illFor(raced, new Random(life * 100L + side));
                    return side;
                });

                int steps = 0;
                for (Duration healed = Duration.ZERO;
                        healed.compareTo(LONGEST_OPEN.multipliedBy(2)) < 0;
                        healed = healed.plusMillis(500)) {
                    healFor(raced, steps++);
                }
                assertThat(raced.state()).as("seed %d", seed).isEqualTo(CircuitState.CLOSED);
                assertThat(raced.view().opensFor()).isZero();
                assertThat(raced.ask(10, GOOD)).isEqualTo(10);
            }
        }
    }

    /** One of 32 callers, of whom half the calls fail, time goes by, and some permits get lost. */
    private void illFor(BreakerBench raced, Random random) {
        for (int call = 0; call < 20; call++) {
            long now = raced.ticker.nanos();
            Permit permit = raced.breaker.tryAcquire(now);
            if (permit != null && random.nextInt(10) > 0) {
                permit.settle(random.nextBoolean() ? GOOD : random.nextBoolean() ? FAILED : SLOW, now, now);
            } else if (permit != null) {
                synchronized (stragglers) {
                    stragglers.add(new Held(permit, now));
                }
            }
            raced.advance(Duration.ofMillis(random.nextInt(200)));
        }
    }

    /** Half a second of a dependency that is well. What began in its illness ends badly all the same, late. */
    private void healFor(BreakerBench raced, int step) {
        raced.advance(Duration.ofMillis(500));
        raced.ask(1, GOOD);
        if (step == 90) {
            raced.settle(stragglers, FAILED);
        }
        CircuitView view = raced.view();
        assertThat(view.opensFor().isZero()).as("%s", view).isEqualTo(view.state() != CircuitState.OPEN);
    }

    // ---- B22 to B26: what is counted, and how it decides ----

    @Test
    void B22_one_good_call_is_one_good_call_at_every_stage() {
        CommandSpec<Ask, String> spec = bare(BreakerFaultsTest::oneProbe)
                .fallback(chain -> chain.spareCall(
                        "spare",
                        (command, context) -> {
                            if (bodies.incrementAndGet() % 2 == 0) {
                                throw new IllegalStateException("spare ill");
                            }
                            return "spare";
                        },
                        stage -> stage.circuitBreaker(BreakerFaultsTest::oneProbe)))
                .build();
        Callable<String> ill = () -> {
            throw new IllegalStateException("ill");
        };

        assertThat(call(spec, () -> "live").source()).isEqualTo(Source.PRIMARY);
        assertThat(call(spec, ill).source()).isEqualTo(Source.SPARE);
        assertThatThrownBy(() -> call(spec, ill)).isInstanceOf(CommandException.class);

        assertThat(view(spec).stages().get(0).circuit().window()).isEqualTo(new CircuitWindow(1, 2, 0, 0, 2));
        assertThat(view(spec).stages().get(1).circuit().window()).isEqualTo(new CircuitWindow(1, 1, 0, 0, 1));
        untilProbesAreDue(spec);
        assertThat(call(spec, () -> "live").source()).isEqualTo(Source.PRIMARY);
        assertThat(circuit(spec).state()).isEqualTo(CircuitState.CLOSED);
    }

    @ParameterizedTest
    @CsvSource({"50, 0, 0, OPEN", "0, 50, 50, CLOSED"})
    void B24_a_slow_and_a_failed_call_of_four_add_up_unless_the_rates_are_separate(
            int either, int failed, int slow, CircuitState state) {
        BreakerBench four = new BreakerBench(Breakers.with()
                .volume(4)
                .lastCalls(4)
                .rates(either, failed, slow)
                .ramp(20));

        four.end(2, GOOD);
        four.end(1, SLOW);
        four.end(1, FAILED);

        assertThat(four.state()).isEqualTo(state);
    }

    @ParameterizedTest
    @CsvSource({"1, 4, CLOSED", "2, 3, OPEN"})
    void B25_one_flaky_probe_of_five_does_not_open_it_again(int bad, int good, CircuitState state) {
        untilProbesAreDue(bench);
        List<Held> probes = bench.hold(5);

        bench.settle(probes.subList(0, bad), FAILED);
        bench.settle(probes.subList(bad, bad + good), GOOD);

        assertThat(bench.state()).isEqualTo(state);
    }

    @Test
    void B26_the_calls_come_back_as_a_staircase_and_only_then_it_is_closed() {
        CommandSpec<Ask, String> spec = withTemplate(breaker -> {}).build();
        untilProbesAreDue(spec);
        assertThat(primaries(spec, 4)).as("probes").isEqualTo(4);
        List<Integer> shares = new ArrayList<>();

        while (circuit(spec).state() == CircuitState.RAMPING) {
            shares.add(primaries(spec, 20));
        }

        List<Integer> staircase = new ArrayList<>();
        for (int share : List.of(10, 25, 50)) {
            for (int asked = 0; asked < 20 * 100 / share; asked += 20) {
                staircase.add(20 * share / 100);
            }
        }
        assertThat(shares).isEqualTo(staircase);
        assertThat(circuit(spec).state()).isEqualTo(CircuitState.CLOSED);
        assertThat(primaries(spec, 100)).isEqualTo(100);
    }

    private int primaries(CommandSpec<Ask, String> spec, int calls) {
        int primaries = 0;
        for (int call = 0; call < calls; call++) {
            primaries += source(spec) == Source.PRIMARY ? 1 : 0;
        }
        return primaries;
    }

    @Test
    void B26_a_dependency_that_bears_a_third_of_its_calls_gets_no_more_and_nothing_flaps() {
        BreakerBench ramped = new BreakerBench(Breakers.with()).ramping();
        List<Integer> admittedPerSecond = new ArrayList<>();
        int admitted = 0;

        for (int slice = 0; slice < 6_000; slice++) { // a minute of 1,000 calls a second, of which 3 in 10 ms are borne
            int now = 0;
            for (int call = 0; call < 10; call++) {
                now += ramped.ask(1, now < 3 ? GOOD : FAILED);
            }
            admitted += now;
            ramped.advance(Duration.ofMillis(10));
            if (slice % 100 == 99) {
                admittedPerSecond.add(admitted);
                admitted = 0;
            }
        }

        assertThat(admittedPerSecond).allSatisfy(calls -> assertThat(calls).isLessThanOrEqualTo(360));
        assertThat(ramped.breaker.opened()).isEqualTo(1);
    }

    // ---- B28 to B34: clocks and numbers ----

    @Test
    void B28_the_wall_clock_may_step_and_the_breaker_goes_by_the_ticker() {
        CommandSpec<Ask, String> spec =
                withTemplate(BreakerFaultsTest::oneProbe).build();
        commands.register(spec);
        for (int call = 0; call < 4; call++) {
            call(spec, () -> {
                throw new IllegalStateException("ill");
            });
        }

        bench.ticker.stepWallClock(Duration.ofHours(-1));
        bench.advance(OPEN_FOR.minus(NANO));
        assertThat(source(spec)).isEqualTo(Source.STATIC);
        bench.ticker.stepWallClock(Duration.ofHours(5));
        assertThat(source(spec)).isEqualTo(Source.STATIC);
        bench.advance(NANO);

        assertThat(source(spec)).isEqualTo(Source.PRIMARY);
        assertThat(source(spec)).isEqualTo(Source.PRIMARY);
        bench.ticker.stepWallClock(Duration.ofHours(5));
        assertThat(circuit(spec).window()).isEqualTo(new CircuitWindow(1, 0, 0, 0, 0));
        assertThat(circuit(spec).since()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "0.5, 1", "1, 1"})
    void B30_the_open_time_grows_to_its_limit_and_never_overflows(double jitter, int firstNanos) {
        for (Duration first : List.of(Duration.ofNanos(firstNanos), OPEN_FOR, Duration.ofDays(365 * 100))) {
            BreakerSettings settings = new BreakerSettings(
                    true, 4, 50, Duration.ofSeconds(10), 10, first, Duration.ofNanos(Long.MAX_VALUE), 5, 80);
            Duration before = Duration.ZERO;
            for (long rounds = 0; rounds <= Integer.MAX_VALUE; rounds = rounds * 2 + 1) {
                CircuitBreaker breaker = new CircuitBreaker(
                        settings, BreakerBench.LEASE.toNanos(), Long.MAX_VALUE / 4, bench.ticker.nanos(), () -> jitter);

                Phase closed = (Phase) Objects.requireNonNull(breaker.tryAcquire(bench.ticker.nanos()));
                breaker.open(closed, (int) rounds, Why.NEW, bench.ticker.nanos());

                Duration opensFor = breaker.explain(bench.ticker.nanos()).opensFor();
                assertThat(opensFor).as("%d rounds", rounds).isGreaterThanOrEqualTo(first);
                assertThat(opensFor)
                        .isGreaterThanOrEqualTo(before.multipliedBy(9).dividedBy(10));
                assertThat(breaker.state(bench.ticker.nanos())).isEqualTo(CircuitState.OPEN);
                before = opensFor;
            }
        }
    }

    @Test
    void B30_each_failed_round_doubles_the_open_time_up_to_the_longest() {
        List<Duration> openTimes = new ArrayList<>();

        bench.end(20, FAILED);
        for (int round = 0; round < 40; round++) {
            openTimes.add(bench.view().opensFor());
            bench.advance(bench.view().opensFor());
            bench.settle(bench.hold(2), FAILED);
        }

        assertThat(openTimes.subList(0, 5)).extracting(Duration::toSeconds).containsExactly(5L, 5L, 10L, 20L, 30L);
        assertThat(openTimes.subList(5, 40)).containsOnly(LONGEST_OPEN);
    }

    @ParameterizedTest
    @CsvSource({"1", "0", "-1", "-2147483648"})
    void B34_a_window_of_fewer_than_two_buckets_is_refused(int buckets) {
        assertThatThrownBy(() -> bare(breaker -> breaker.buckets(buckets)).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("command Ask: circuitBreaker.buckets must be at least 2, was " + buckets);
    }

    @ParameterizedTest
    @CsvSource({"0, 3", "1, 0", "10, 0"})
    void B34_a_window_of_two_buckets_forgets_after_any_idle_time(int idleWindows, long left) {
        BreakerSettings two =
                new BreakerSettings(true, 4, 50, Duration.ofSeconds(10), 2, OPEN_FOR, LONGEST_OPEN, 5, 80);
        BreakerBench coarse = new BreakerBench(two);
        coarse.end(3, FAILED);

        coarse.advance(Duration.ofSeconds(10).multipliedBy(idleWindows));

        assertThat(coarse.view().window().failed()).isEqualTo(left);
    }

    // ---- B150: it explains itself ----

    @Test
    void B150_one_look_says_why_since_when_what_is_next_and_by_which_figures() {
        CommandSpec<Ask, String> spec = withTemplate(
                        breaker -> breaker.requestVolumeThreshold(4).noRamp())
                .build();
        commands.register(spec);
        call(spec, this::live);
        for (int call = 0; call < 2; call++) {
            call(spec, () -> {
                throw new IllegalStateException("ill");
            });
        }
        assertThat(circuit(spec).window()).isEqualTo(new CircuitWindow(1, 2, 0, 0, 2));
        call(spec, () -> {
            throw new IllegalStateException("ill");
        });
        bench.advance(Duration.ofSeconds(2));

        CircuitView open = circuit(spec);
        assertThat(open.state()).isEqualTo(CircuitState.OPEN);
        assertThat(open.why()).isEqualTo("3 of 4 calls failed or slow in 10 s: 75 % >= 50 %");
        assertThat(open.since()).isEqualTo(Duration.ofSeconds(2));
        assertThat(open.opensFor()).as("until the next probe").isEqualTo(Duration.ofSeconds(3));

        bench.advance(Duration.ofSeconds(3));
        Caller<Source> probe = callerThatHangs(spec);
        CircuitView halfOpen = circuit(spec);
        assertThat(halfOpen.state()).isEqualTo(CircuitState.HALF_OPEN);
        assertThat(halfOpen.why()).isEqualTo("open time over, probes decide");
        assertThat(halfOpen.probes()).isEqualTo(new CircuitProbes(1, 0, 0, 4, 5, TIMEOUT.plusSeconds(1)));
        assertThat(halfOpen).as("looking changes nothing").isEqualTo(circuit(spec));
        release.countDown();
        assertThat(probe.result()).isEqualTo(Source.PRIMARY);
        assertThat(primaries(spec, 3)).isEqualTo(3);
        assertThat(circuit(spec).why()).isEqualTo("4 of 5 probes good >= 4");
    }
}
