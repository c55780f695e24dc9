package io.degradable.internal.control;

import static io.degradable.control.Position.CACHE_ONLY;
import static io.degradable.control.Position.FORCED_OPEN;
import static io.degradable.control.Position.NORMAL;
import static io.degradable.control.Position.OUT;
import static io.degradable.control.Position.STATIC_ONLY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.control.Change;
import io.degradable.control.ManualOverride;
import io.degradable.control.ManualOverride.Origin;
import io.degradable.control.Order;
import io.degradable.control.Position;
import io.degradable.control.Target;
import io.degradable.testing.Caller;
import io.degradable.testing.ManualTicker;
import io.degradable.testing.Race;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@SuppressWarnings("NullAway") // what is not there fails the test
final class OverridesTest {

    private static final Target COMMAND = Target.command("GetProduct");
    private static final Target GROUP = Target.group("catalog");
    private static final Order ANNA = Order.by("anna", "the replica is rebuilt");
    private static final Order BOB = Order.by("bob", "it is back");

    private final ManualTicker ticker = new ManualTicker();
    private final Engine engine = new Engine(ticker);
    private final Overrides overrides = engine.overrides;

    private static FromConfiguration said(Position position) {
        return new FromConfiguration(position, "degradable.switch", "archaius");
    }

    private Position inForce() {
        Held held = overrides.inForce("GetProduct", "catalog");
        return held == null ? null : held.position();
    }

    @Test
    void the_most_specific_switch_wins_and_normal_lifts_the_others() {
        overrides.set(Target.all(), STATIC_ONLY, ANNA);
        assertThat(inForce()).isEqualTo(STATIC_ONLY);

        overrides.set(GROUP, CACHE_ONLY, ANNA);
        assertThat(inForce()).isEqualTo(CACHE_ONLY);

        overrides.set(COMMAND, NORMAL, ANNA);
        assertThat(inForce()).isEqualTo(NORMAL);
        assertThat(overrides.inForce("Other", "catalog").position()).isEqualTo(CACHE_ONLY);
        assertThat(overrides.inForce("Other", "other").position()).isEqualTo(STATIC_ONLY);

        assertThat(overrides.clear(COMMAND, BOB)).isTrue();
        assertThat(overrides.clear(COMMAND, BOB)).isFalse();
        assertThat(inForce()).isEqualTo(CACHE_ONLY);
    }

    @Test
    void stages_and_circuits_are_held_apart_from_switches() {
        overrides.set(Target.stage("GetProduct", "spare"), OUT, ANNA);
        overrides.set(Target.circuit("GetProduct", "primary"), FORCED_OPEN, ANNA);

        assertThat(overrides.out("GetProduct", "spare")).isNotNull();
        assertThat(overrides.out("GetProduct", "primary")).isNull();
        assertThat(overrides.circuit("GetProduct", "primary").position()).isEqualTo(FORCED_OPEN);
        assertThat(overrides.circuit("Other", "primary")).isNull();
        assertThat(inForce()).isNull();
    }

    @Test
    void of_hand_and_configuration_the_later_wins_and_the_other_counts_again_when_it_ends() {
        overrides.configured(() -> Map.of(COMMAND, said(CACHE_ONLY)));
        overrides.set(COMMAND, STATIC_ONLY, ANNA);
        assertThat(inForce()).isEqualTo(STATIC_ONLY);

        overrides.configured(() -> Map.of(COMMAND, said(CACHE_ONLY))); // the same text is not later
        assertThat(inForce()).isEqualTo(STATIC_ONLY);

        overrides.configured(() -> Map.of(COMMAND, said(NORMAL)));
        assertThat(inForce()).isEqualTo(NORMAL);
        assertThat(overrides.all()).extracting(ManualOverride::position).containsExactly(NORMAL, STATIC_ONLY);

        overrides.configured(() -> Map.of());
        assertThat(inForce()).isEqualTo(STATIC_ONLY);

        overrides.configured(() -> Map.of(COMMAND, said(CACHE_ONLY)));
        overrides.set(COMMAND, NORMAL, BOB);
        overrides.clear(COMMAND, BOB);
        assertThat(inForce()).isEqualTo(CACHE_ONLY);
        assertThat(engine.changes())
                .containsExactly(
                        "SET command:GetProduct >1 archaius",
                        "SET command:GetProduct 1>2 anna",
                        "SET command:GetProduct 2>0 archaius",
                        "CLEARED command:GetProduct 0>2 archaius",
                        "SET command:GetProduct 2>1 archaius",
                        "SET command:GetProduct 1>0 bob",
                        "CLEARED command:GetProduct 0>1 bob");
        engine.assertChain();
    }

    @Test
    void who_is_later_does_not_depend_on_the_wall_clock() {
        overrides.configured(() -> Map.of());
        overrides.configured(() -> Map.of(COMMAND, said(CACHE_ONLY)));
        ticker.stepWallClock(Duration.ofHours(-1));

        overrides.set(COMMAND, STATIC_ONLY, ANNA);
        assertThat(inForce()).isEqualTo(STATIC_ONLY);

        ticker.stepWallClock(Duration.ofHours(-1));
        overrides.configured(() -> Map.of(COMMAND, said(NORMAL)));
        assertThat(inForce()).isEqualTo(NORMAL);
    }

    @Test
    void another_property_that_says_the_same_is_no_change() {
        overrides.configured(() -> Map.of(COMMAND, said(CACHE_ONLY)));
        overrides.configured(() -> Map.of(COMMAND, new FromConfiguration(CACHE_ONLY, "other", "file")));

        assertThat(engine.changes()).hasSize(1);
        assertThat(overrides.all().get(0).author()).isEqualTo("other of file");
    }

    @Test
    void what_has_expired_ends_once_whatever_the_wall_clock_does() {
        overrides.set(COMMAND, CACHE_ONLY, ANNA);
        Instant end = overrides.all().get(0).expiresAt().orElseThrow();
        assertThat(end).isEqualTo(Instant.ofEpochMilli(ticker.epochMillis()).plus(Order.DEFAULT_EXPIRY));
        ticker.stepWallClock(Duration.ofDays(9));
        ticker.advance(Order.DEFAULT_EXPIRY.minusMillis(1));
        engine.settle();
        assertThat(inForce()).isEqualTo(CACHE_ONLY);

        ticker.stepWallClock(Duration.ofDays(-18));
        ticker.advance(Duration.ofMillis(1));
        assertThat(inForce()).isEqualTo(CACHE_ONLY); // the timer only hands off
        engine.settle();

        assertThat(inForce()).isNull();
        assertThat(overrides.clear(COMMAND, BOB)).isFalse();
        assertThat(engine.changes())
                .containsExactly("SET command:GetProduct >1 anna", "EXPIRED command:GetProduct 1> expiry");
        assertThat(engine.log.changes().get(1).reason()).isEqualTo("set by anna: the replica is rebuilt");
        assertThat(engine.moves).hasSize(2);
        assertThat(engine.moves.get(1).before().author()).isEqualTo("anna");
        assertThat(engine.moves.get(1).after()).isNull();
        assertThat(engine.alarms).hasValue(0);
    }

    @Test
    void each_of_many_ends_at_its_own_moment_and_until_cleared_never() {
        for (int minutes = 5; minutes > 0; minutes--) {
            overrides.set(Target.command("C" + minutes), CACHE_ONLY, ANNA.expiresIn(Duration.ofMinutes(minutes)));
            assertThat(engine.alarms).hasValue(1);
        }
        overrides.set(Target.command("C3"), CACHE_ONLY, ANNA.untilCleared());

        for (int minutes = 1; minutes <= 5; minutes++) {
            ticker.advance(Duration.ofMinutes(1));
            engine.settle();
            int over = minutes;
            assertThat(overrides.all())
                    .extracting(one -> one.target().name())
                    .containsExactlyElementsOf(List.of("C1", "C2", "C3", "C4", "C5").stream()
                            .filter(name -> name.equals("C3") || name.charAt(1) - '0' > over)
                            .toList());
        }
        ticker.advance(Duration.ofDays(36_500));
        engine.settle();
        assertThat(overrides.all()).hasSize(1);
        assertThat(engine.alarms).hasValue(0);
    }

    @Test
    void without_a_thread_the_expiry_is_tried_again() {
        overrides.set(COMMAND, CACHE_ONLY, ANNA);
        engine.asideRefuses = true;
        ticker.advance(Order.DEFAULT_EXPIRY);
        overrides.set(GROUP, CACHE_ONLY, ANNA);
        engine.asideRefuses = false;

        ticker.advance(Duration.ofSeconds(1));
        engine.settle();

        assertThat(engine.held()).containsOnlyKeys("group:catalog");
        assertThat(engine.alarms).hasValue(1);
    }

    @Test
    void a_refusal_is_recorded_and_changes_nothing() {
        overrides.set(COMMAND, CACHE_ONLY, ANNA);
        engine.refusals.put(COMMAND, "command GetProduct has no template");

        assertThatThrownBy(() -> overrides.set(COMMAND, STATIC_ONLY, BOB))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("command GetProduct has no template");
        assertThatThrownBy(() -> overrides.set(GROUP, OUT, BOB))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("group:catalog cannot be held at OUT");
        assertThatThrownBy(() -> overrides.configured(() -> Map.of(GROUP, said(OUT))))
                .hasMessage("group:catalog cannot be held at OUT");

        assertThat(inForce()).isEqualTo(CACHE_ONLY);
        assertThat(engine.changes())
                .containsExactly(
                        "SET command:GetProduct >1 anna",
                        "REFUSED command:GetProduct 1>2 bob",
                        "REFUSED group:catalog >out bob");
        assertThat(engine.moves).hasSize(1);
    }

    @Test
    void what_is_not_known_yet_is_pending_until_somebody_looks_and_it_is() {
        engine.unknown.add(COMMAND);

        assertThat(overrides.set(COMMAND, CACHE_ONLY, ANNA).pending()).isTrue();

        engine.unknown.remove(COMMAND);
        ManualOverride seen = overrides.decidesFor("GetProduct", "catalog").orElseThrow();
        assertThat(seen.pending()).isFalse();
        assertThat(seen.origin()).isEqualTo(Origin.HAND);
        assertThat(seen.author()).isEqualTo("anna");
        assertThat(seen.stored()).isTrue();
        assertThat(seen.since()).isEqualTo(Instant.ofEpochMilli(ticker.epochMillis()));
    }

    @Test
    void moves_say_whether_calls_return_at_once() {
        overrides.set(COMMAND, CACHE_ONLY, ANNA);
        overrides.clear(COMMAND, BOB.atOnce());
        overrides.set(COMMAND, CACHE_ONLY, ANNA);
        overrides.clear(COMMAND, BOB);

        assertThat(engine.moves).extracting(Move::atOnce).containsExactly(false, true, false, false);
    }

    @Test
    void effects_are_called_after_the_change_can_be_seen_and_without_a_lock() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean seen = new AtomicBoolean();
        engine.onChange = () -> {
            if (inside.getCount() > 0) {
                seen.set(inForce() == CACHE_ONLY);
                inside.countDown();
                uninterrupted(goOn);
            }
        };
        Caller<ManualOverride> slow = Caller.calls(() -> overrides.set(COMMAND, CACHE_ONLY, ANNA));
        inside.await();

        // On a thread of its own: were there a lock, the test's time limit could not end the wait for it.
        Caller<Integer> other = Caller.calls(() -> {
            overrides.set(COMMAND, STATIC_ONLY, BOB);
            overrides.configured(() -> Map.of());
            return overrides.all().size();
        });
        assertThat(other.result()).isEqualTo(1);
        goOn.countDown();
        slow.result();

        assertThat(seen).isTrue();
        assertThat(inForce()).isEqualTo(STATIC_ONLY);
    }

    private static void uninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException overdue) {
            throw new AssertionError(overdue);
        }
    }

    @Test
    void of_two_that_set_the_same_target_at_once_one_holds_and_the_record_has_no_gap() throws Exception {
        List<Engine> engines = new ArrayList<>();
        for (int round = 0; round < 5_000; round++) {
            engines.add(new Engine(ticker));
        }

        try (Race race = new Race(2)) {
            race.inStep(
                    engines.size(),
                    (side, round) -> engines.get(round)
                            .overrides
                            .set(COMMAND, side == 0 ? CACHE_ONLY : STATIC_ONLY, side == 0 ? ANNA : BOB));
        }

        for (Engine one : engines) {
            assertThat(one.log.changes()).hasSize(2);
            one.assertChain();
        }
    }

    @Test
    void what_expires_while_it_is_cleared_or_set_ends_exactly_once() throws Exception {
        int rounds = 10_000;
        List<Engine> engines = new ArrayList<>();
        List<ManualTicker> tickers = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            tickers.add(new ManualTicker());
            Engine one = new Engine(tickers.get(round));
            one.overrides.set(COMMAND, CACHE_ONLY, ANNA);
            tickers.get(round).advance(Order.DEFAULT_EXPIRY); // handed off
            engines.add(one);
        }

        try (Race race = new Race(2)) {
            race.inStep(rounds, (side, round) -> {
                Engine one = engines.get(round);
                if (side == 0) {
                    one.settle();
                } else if (round % 3 == 0) {
                    one.overrides.clear(COMMAND, BOB);
                } else if (round % 3 == 1) {
                    one.overrides.set(COMMAND, STATIC_ONLY, BOB);
                } else {
                    one.overrides.close();
                }
            });
        }

        int first = 0;
        for (int round = 0; round < rounds; round++) {
            Engine one = engines.get(round);
            List<Change.Kind> kinds =
                    one.log.changes().stream().map(Change::kind).toList();
            one.assertChain();
            switch (round % 3) {
                case 0 -> assertThat(kinds).hasSize(2);
                case 1 -> assertThat(kinds).last().isEqualTo(Change.Kind.SET);
                default -> assertThat(kinds).hasSizeBetween(1, 2);
            }
            assertThat(kinds.stream().filter(kind -> kind == Change.Kind.EXPIRED))
                    .hasSizeLessThanOrEqualTo(1);
            first += kinds.contains(Change.Kind.EXPIRED) ? 1 : 0;
            one.overrides.close();
            assertThat(one.alarms).hasValue(0);
        }
        assertThat(first).isBetween(1, rounds - 1); // both sides were the first at times
    }

    @Test
    void after_the_close_nothing_changes_and_no_alarm_is_left() {
        overrides.set(COMMAND, CACHE_ONLY, ANNA);
        overrides.close();
        overrides.configured(() -> Map.of(GROUP, said(CACHE_ONLY)));

        assertThatThrownBy(() -> overrides.set(COMMAND, NORMAL, BOB)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> overrides.clear(COMMAND, BOB)).isInstanceOf(IllegalStateException.class);
        ticker.advance(Order.DEFAULT_EXPIRY);
        engine.settle();

        assertThat(engine.alarms).hasValue(0);
        assertThat(engine.changes()).hasSize(1);
        assertThat(inForce()).isEqualTo(CACHE_ONLY);
    }
}
