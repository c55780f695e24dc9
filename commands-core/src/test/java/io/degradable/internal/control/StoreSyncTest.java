package io.degradable.internal.control;

import static io.degradable.control.Position.CACHE_ONLY;
import static io.degradable.control.Position.NORMAL;
import static io.degradable.control.Position.STATIC_ONLY;
import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.control.ManualOverride;
import io.degradable.control.ManualOverride.Origin;
import io.degradable.control.Order;
import io.degradable.control.OverrideStore;
import io.degradable.control.Position;
import io.degradable.control.StoreState;
import io.degradable.control.SwitchFile;
import io.degradable.control.Target;
import io.degradable.testing.Caller;
import io.degradable.testing.ManualTicker;
import io.degradable.testing.Race;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Three processes that share one store. */
@Timeout(60)
@SuppressWarnings("NullAway") // what is not there fails the test
final class StoreSyncTest {

    private static final Target COMMAND = Target.command("GetProduct");
    private static final String KEY = COMMAND.text();
    private static final Order ANNA = Order.by("anna", "the replica is rebuilt");
    private static final Order BOB = Order.by("bob", "it is back");

    private final ManualTicker ticker = new ManualTicker();
    private final SharedStore store = new SharedStore();
    private final List<SharedStore.Line> lines = new ArrayList<>();
    private final List<Engine> engines = new ArrayList<>();
    private final Engine one = started();
    private final Engine two = started();
    private final Engine three = started();

    private Engine started() {
        SharedStore.Line line = store.new Line();
        Engine engine = new Engine(ticker, line);
        lines.add(line);
        engines.add(engine);
        engine.overrides.start();
        return engine;
    }

    private void settle() {
        for (int round = 0; engines.stream().anyMatch(engine -> !engine.waiting.isEmpty()); round++) {
            assertThat(round).as("rounds without an end").isLessThan(1_000);
            engines.forEach(Engine::settle);
        }
    }

    private void advance(Duration span) {
        ticker.advance(span);
        settle();
    }

    private static StoreState stateOf(Engine engine) {
        return engine.overrides.store().orElseThrow();
    }

    private static ManualOverride only(Engine engine) {
        assertThat(engine.overrides.all()).hasSize(1);
        return engine.overrides.all().get(0);
    }

    @Test
    void what_a_hand_sets_and_clears_reaches_all_with_its_author() {
        assertThat(one.overrides.set(COMMAND, CACHE_ONLY, ANNA).stored()).isFalse();
        assertThat(stateOf(one).waiting()).isEqualTo(1);
        assertThat(one.overrides.isUnderWay()).isTrue();
        settle();

        assertThat(only(one).stored()).isTrue();
        assertThat(one.overrides.isUnderWay()).isFalse();
        assertThat(one.atRest.get()).isPositive();
        assertThat(only(two)).isEqualTo(with(only(one), Origin.STORE));
        assertThat(only(three)).isEqualTo(only(two));
        assertThat(two.changes()).containsExactly("SET command:GetProduct >1 anna");
        assertThat(two.log.changes().get(0).expiresAt()).isEqualTo(only(one).expiresAt());

        assertThat(three.overrides.clear(COMMAND, BOB.atOnce())).isTrue();
        settle();

        assertThat(one.held()).isEmpty();
        assertThat(one.changes())
                .containsExactly("SET command:GetProduct >1 anna", "CLEARED command:GetProduct 1> bob");
        assertThat(one.moves).last().extracting(Move::atOnce).isEqualTo(true);
    }

    private static ManualOverride with(ManualOverride of, Origin origin) {
        return new ManualOverride(
                of.target(),
                of.position(),
                of.author(),
                of.reason(),
                of.since(),
                of.expiresAt(),
                origin,
                of.pending(),
                of.notServed(),
                of.stored());
    }

    @Test
    void what_configuration_says_stays_in_its_process() {
        one.overrides.configured(() -> Map.of(COMMAND, new FromConfiguration(CACHE_ONLY, "degradable.x", "archaius")));
        one.overrides.set(Target.all(), NORMAL, ANNA);
        settle();

        assertThat(store.entries).containsOnlyKeys("all");
        assertThat(one.overrides.all()).allMatch(ManualOverride::stored);
    }

    @Test
    void what_is_cleared_is_not_brought_back_by_a_store_that_has_lost_everything() {
        one.overrides.set(COMMAND, CACHE_ONLY, ANNA);
        settle();
        lines.get(2).down = true;
        two.overrides.clear(COMMAND, BOB);
        settle();
        assertThat(three.held()).containsKey(KEY);

        store.loseEverything();
        settle();
        lines.get(2).repair();
        advance(Duration.ofSeconds(30));

        assertThat(engines).allMatch(engine -> engine.held().isEmpty());
        assertThat(store.get(KEY).text()).startsWith("position=cleared&by=bob");
        assertThat(engines).allMatch(engine -> stateOf(engine).waiting() == 0);
    }

    @Test
    void a_store_that_has_lost_everything_is_filled_again() {
        one.overrides.set(COMMAND, CACHE_ONLY, ANNA.untilCleared());
        settle();
        OverrideStore.Entry before = store.get(KEY);

        store.loseEverything();
        settle();

        assertThat(store.get(KEY)).isEqualTo(before);
        assertThat(started().held()).containsEntry(KEY, CACHE_ONLY);
    }

    @Test
    void while_the_store_cannot_be_reached_all_go_on_and_agree_afterwards() {
        one.overrides.set(COMMAND, CACHE_ONLY, ANNA);
        settle();
        lines.forEach(line -> line.down = true);
        ticker.advance(Duration.ofMinutes(1));
        Instant cut = Instant.ofEpochMilli(ticker.epochMillis());

        one.overrides.clear(COMMAND, BOB);
        two.overrides.set(Target.all(), STATIC_ONLY, BOB.untilCleared());
        settle();

        assertThat(one.held()).isEmpty();
        assertThat(only(three).author()).isEqualTo("anna");
        assertThat(two.overrides.decidesFor("Other", "x").orElseThrow().stored())
                .isFalse();
        advance(Duration.ofSeconds(1)); // fails again
        assertThat(stateOf(two).reachable()).isFalse();
        assertThat(stateOf(two).since()).contains(cut);
        assertThat(stateOf(two).lastFault()).isEqualTo("java.io.IOException: the line is cut");
        assertThat(stateOf(two).waiting()).isEqualTo(1);

        lines.forEach(line -> line.down = false);
        advance(Duration.ofSeconds(2));
        assertThat(engines.subList(0, 2)).allMatch(engine -> stateOf(engine).reachable());
        assertThat(engines).allMatch(engine -> engine.held().equals(Map.of("all", STATIC_ONLY)));
        assertThat(engines).allMatch(engine -> engine.alarms.get() == 0);
    }

    @Test
    void others_keep_what_they_know_until_its_expiry() {
        one.overrides.set(COMMAND, CACHE_ONLY, ANNA);
        settle();
        lines.forEach(line -> line.down = true);

        advance(Order.DEFAULT_EXPIRY);

        assertThat(engines).allMatch(engine -> engine.held().isEmpty());
        assertThat(two.changes())
                .containsExactly("SET command:GetProduct >1 anna", "EXPIRED command:GetProduct 1> expiry");
    }

    @Test
    void it_is_tried_again_after_a_second_then_ever_later_up_to_half_a_minute_with_one_alarm() {
        lines.get(0).down = true;
        one.overrides.set(COMMAND, CACHE_ONLY, ANNA.untilCleared());
        one.overrides.set(COMMAND, NORMAL, ANNA.untilCleared());
        settle();
        int loads = lines.get(0).loads.get();

        for (int seconds : List.of(1, 2, 4, 8, 16, 30, 30)) {
            advance(Duration.ofSeconds(seconds).minusMillis(1));
            assertThat(lines.get(0).loads).hasValue(loads);
            assertThat(one.alarms).hasValue(1);
            advance(Duration.ofMillis(1));
            assertThat(lines.get(0).loads).hasValue(++loads);
        }
        lines.get(0).down = false;
        advance(Duration.ofSeconds(30));
        assertThat(only(one).stored()).isTrue();
        assertThat(one.alarms).hasValue(0);

        lines.get(0).down = true;
        one.overrides.clear(COMMAND, BOB);
        settle();
        loads = lines.get(0).loads.get();
        advance(Duration.ofSeconds(1));
        assertThat(lines.get(0).loads).hasValue(loads + 1); // from the beginning again

        assertThat(one.alarms).hasValue(1);
        one.overrides.close();
        assertThat(one.alarms).hasValue(0);
    }

    @Test
    void a_store_that_hangs_holds_one_thread_and_nobody_who_sets() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        lines.get(0).hangs = hangs;
        one.overrides.set(COMMAND, CACHE_ONLY, ANNA);
        Runnable sync = one.waiting.remove();
        Caller<Void> stuck = Caller.calls(() -> {
            sync.run();
            return null;
        });
        lines.get(0).hanging.await();

        for (int more = 0; more < 100; more++) {
            one.overrides.set(COMMAND, more % 2 == 0 ? STATIC_ONLY : NORMAL, BOB);
        }
        assertThat(one.waiting).isEmpty();
        assertThat(only(one).position()).isEqualTo(NORMAL);

        lines.get(0).hangs = null;
        hangs.countDown();
        stuck.result();
        settle();
        assertThat(only(one).stored()).isTrue();
        assertThat(only(two).position()).isEqualTo(NORMAL);
    }

    @Test
    void what_is_set_while_the_store_is_written_is_written_right_after() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        lines.get(0).hangsInSave = hangs;
        one.overrides.set(COMMAND, CACHE_ONLY, ANNA);
        Runnable sync = one.waiting.remove();
        Caller<Void> stuck = Caller.calls(() -> {
            sync.run();
            return null;
        });
        lines.get(0).hanging.await();
        one.overrides.set(COMMAND, NORMAL, BOB);
        assertThat(one.waiting).isEmpty();

        hangs.countDown();
        stuck.result();

        assertThat(only(one).stored()).isTrue();
        assertThat(store.get(KEY).text()).startsWith("position=0&by=bob");
    }

    @Test
    void closed_while_the_store_hangs_nothing_is_taken_over_or_left() throws Exception {
        two.overrides.set(COMMAND, CACHE_ONLY, ANNA);
        CountDownLatch hangs = new CountDownLatch(1);
        lines.get(0).hangs = hangs;
        two.settle(); // it is told to the first one
        Runnable sync = one.waiting.remove();
        Caller<Void> stuck = Caller.calls(() -> {
            sync.run();
            return null;
        });
        lines.get(0).hanging.await();
        assertThat(store.watchers()).isEqualTo(3);

        one.overrides.close();
        hangs.countDown();
        stuck.result();

        assertThat(one.held()).isEmpty();
        assertThat(one.alarms).hasValue(0);
        assertThat(one.waiting).isEmpty();
        assertThat(store.watchers()).isEqualTo(2);
        two.overrides.close();
        three.overrides.close();
        assertThat(store.watchers()).isZero();
        assertThat(two.alarms).hasValue(0);
    }

    @Test
    void a_store_that_fails_at_the_start_is_tried_again_aside() {
        one.overrides.set(COMMAND, CACHE_ONLY, ANNA);
        settle();
        SharedStore.Line line = store.new Line();
        line.down = true;
        Engine late = new Engine(ticker, line);
        late.overrides.start();
        assertThat(late.held()).isEmpty();
        assertThat(late.waiting).isEmpty();
        assertThat(stateOf(late).reachable()).isFalse();

        line.down = false;
        ticker.advance(Duration.ofSeconds(1));
        late.settle();

        assertThat(late.held()).containsEntry(KEY, CACHE_ONLY);
        assertThat(stateOf(late).reachable()).isTrue();
        assertThat(stateOf(late).lastFault()).contains("the line is cut");
    }

    @Test
    void what_is_cleared_where_it_is_not_known_yet_is_cleared_everywhere() {
        one.overrides.set(COMMAND, CACHE_ONLY, ANNA);
        settle();
        SharedStore.Line line = store.new Line();
        line.down = true;
        Engine late = new Engine(ticker, line);
        late.overrides.start();

        assertThat(late.overrides.clear(COMMAND, BOB)).isFalse();
        line.down = false;
        ticker.advance(Duration.ofSeconds(1));
        late.settle();
        settle();

        assertThat(one.held()).isEmpty();
        assertThat(late.held()).isEmpty();
        assertThat(late.overrides.clear(COMMAND, BOB)).isFalse();
        assertThat(late.changes()).hasSize(1); // the second time there was nothing to say
    }

    @Test
    void an_answer_that_was_lost_does_no_harm() {
        lines.get(0).losesAnswers = true;
        one.overrides.set(COMMAND, CACHE_ONLY, ANNA);
        settle();
        assertThat(only(one).stored()).isFalse();
        assertThat(two.held()).containsEntry(KEY, CACHE_ONLY);

        lines.get(0).losesAnswers = false;
        advance(Duration.ofSeconds(1));

        assertThat(only(one).stored()).isTrue();
        assertThat(lines.get(0).saves).hasValue(1); // it was there
    }

    @Test
    void of_equal_stamps_the_greater_text_wins_everywhere() {
        one.overrides.set(COMMAND, CACHE_ONLY, ANNA);
        two.overrides.set(COMMAND, STATIC_ONLY, ANNA);
        assertThat(lines.get(0).saves).hasValue(0);
        settle();

        assertThat(engines).allMatch(engine -> engine.held().equals(Map.of(KEY, STATIC_ONLY)));
        engines.forEach(Engine::assertChain);
    }

    @Test
    void a_wall_clock_that_was_set_back_between_two_lives_keeps_order_and_expiry() {
        one.overrides.set(COMMAND, CACHE_ONLY, ANNA);
        settle();
        Instant end = only(one).expiresAt().orElseThrow();
        long stamp = store.get(KEY).stamp();
        engines.forEach(engine -> engine.overrides.close());
        ticker.stepWallClock(Duration.ofHours(-1));

        Engine next = started();
        assertThat(only(next).expiresAt()).contains(end);
        next.overrides.set(COMMAND, STATIC_ONLY, BOB);
        next.settle();

        assertThat(store.get(KEY).stamp()).isEqualTo(stamp + 1);
        assertThat(store.get(KEY).text()).startsWith("position=2&by=bob");
    }

    @Test
    void since_when_and_until_when_survive_a_restart() {
        one.overrides.set(COMMAND, CACHE_ONLY, ANNA);
        settle();
        engines.forEach(engine -> engine.overrides.close());
        ticker.advance(Duration.ofMinutes(10));

        Engine next = started();

        Held held = next.overrides.inForce("GetProduct", "catalog");
        assertThat(ticker.nanos() - held.sinceNanos())
                .isEqualTo(Duration.ofMinutes(10).toNanos());
        assertThat(held.expiresNanos() - ticker.nanos())
                .isEqualTo(Duration.ofMinutes(20).toNanos());
        ticker.advance(Duration.ofMinutes(20));
        next.settle();
        assertThat(next.held()).isEmpty();
    }

    @Test
    void what_is_over_when_it_is_loaded_holds_nothing_and_ends_what_is_older() {
        one.overrides.set(COMMAND, CACHE_ONLY, ANNA.untilCleared());
        settle();
        long now = ticker.epochMillis();

        store.put(KEY, now + 1, "position=2&by=bob&because=x&until=" + now);
        store.put("all", now, "position=2&by=bob&because=x&until=" + (now - 1));
        settle();

        assertThat(engines).allMatch(engine -> engine.held().isEmpty());
        assertThat(two.changes())
                .containsExactly("SET command:GetProduct >1 anna", "EXPIRED command:GetProduct 1> expiry");
        assertThat(started().changes()).isEmpty();
    }

    @Test
    void what_has_ended_here_is_not_brought_back_by_a_wall_clock_that_was_set_back() {
        one.overrides.set(COMMAND, CACHE_ONLY, ANNA);
        settle();
        advance(Order.DEFAULT_EXPIRY);

        ticker.stepWallClock(Duration.ofHours(-2));
        two.overrides.set(Target.all(), NORMAL, BOB);
        settle();

        assertThat(engines).allMatch(engine -> engine.held().equals(Map.of("all", NORMAL)));
    }

    @Test
    void cleared_entries_are_remembered_for_a_week() {
        one.overrides.set(COMMAND, CACHE_ONLY, ANNA);
        one.overrides.clear(COMMAND, BOB);
        settle();
        String cleared = store.get(KEY).text();
        advance(Duration.ofDays(7).minusMillis(1));
        store.loseEverything();
        settle();
        assertThat(store.get(KEY).text()).isEqualTo(cleared);

        advance(Duration.ofMillis(1));
        one.overrides.configured(() -> Map.of()); // any change
        store.loseEverything();
        one.settle();
        assertThat(store.get(KEY)).isNull();
        store.put(KEY, ticker.epochMillis() - Duration.ofDays(8).toMillis(), cleared);
        settle();
        store.loseEverything();
        settle();
        assertThat(store.entries).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "position=7&by=anna&because=x",
                "position=out&by=anna&because=x",
                "position=1&because=x",
                "position=1&by=%zz&because=x",
                "position=1&by=anna&because=x&until=soon",
                "position=1&by=anna"
            })
    void what_cannot_be_read_is_shown_and_left_alone_until_somebody_sets_it_here(String text) {
        long later = ticker.epochMillis() + 5;
        store.put(KEY, later, text);
        settle();
        assertThat(one.held()).isEmpty();
        assertThat(stateOf(one).unreadable()).hasSize(1).allMatch(shown -> shown.startsWith(KEY + ": "));
        assertThat(stateOf(one).reachable()).isTrue();
        two.overrides.set(Target.all(), NORMAL, ANNA);
        settle();
        assertThat(store.get(KEY)).isEqualTo(new OverrideStore.Entry(later, text));

        one.overrides.set(COMMAND, CACHE_ONLY, BOB);
        settle();

        assertThat(store.get(KEY).stamp()).isEqualTo(later + 1);
        assertThat(three.held()).containsEntry(KEY, CACHE_ONLY);
        assertThat(stateOf(three).unreadable()).isEmpty();
    }

    @Test
    void keys_and_stamps_that_cannot_be_read_are_shown_too_and_newer_fields_passed_over() {
        store.put("tenant:x", 5, "position=1&by=anna&because=x");
        store.put("all", Long.MAX_VALUE, "position=1&by=anna&because=x");
        store.put(KEY, ticker.epochMillis(), "position=1&by=anna&because=x&tenant=7&empty=");
        settle();

        assertThat(stateOf(one).unreadable()).hasSize(2);
        assertThat(one.held()).isEqualTo(Map.of(KEY, CACHE_ONLY));
        one.overrides.set(Target.all(), NORMAL, ANNA); // the store keeps the other one
        settle();
        assertThat(one.held()).containsEntry("all", NORMAL);
        assertThat(stateOf(one).reachable()).isTrue();
    }

    @Test
    void one_that_was_stored_and_cannot_be_read_any_more_is_not_overwritten() {
        one.overrides.set(COMMAND, CACHE_ONLY, ANNA);
        settle();
        OverrideStore.Entry broken = new OverrideStore.Entry(1, "broken");

        store.put(KEY, broken.stamp(), broken.text());
        settle();

        assertThat(store.get(KEY)).isEqualTo(broken);
        assertThat(one.held()).containsEntry(KEY, CACHE_ONLY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"O'Neil & \"Söhne\" = x", "two\nlines\r", "%41+b c&by=bob", "\uD83D\uDE00 日本", "="})
    void names_and_reasons_of_any_kind_reach_the_others(String text) {
        one.overrides.set(COMMAND, CACHE_ONLY, Order.by(text, text));
        settle();

        assertThat(only(two).author()).isEqualTo(text);
        assertThat(only(two).reason()).isEqualTo(text);
        assertThat(store.get(KEY).text()).isPrintable().doesNotContain("\n");
    }

    @Test
    void a_listener_that_throws_and_effects_that_throw_do_not_keep_a_change_from_the_store() {
        one.onChange = () -> {
            throw new IllegalStateException("a mistake");
        };
        try {
            one.overrides.set(COMMAND, CACHE_ONLY, ANNA);
        } catch (IllegalStateException expected) {
            assertThat(expected).hasMessage("a mistake");
        }
        settle();

        assertThat(two.held()).containsEntry(KEY, CACHE_ONLY);
        assertThat(one.alarms).hasValue(1);
    }

    @Test
    void in_a_file_it_survives_a_restart_also_when_what_was_there_cannot_be_understood(@TempDir Path directory)
            throws Exception {
        Path path = directory.resolve("switches.properties");
        Files.write(path, new byte[] {(byte) 0xff});
        Engine first = new Engine(ticker, SwitchFile.at(path));
        first.overrides.start();
        assertThat(stateOf(first).lastFault()).contains("cannot be understood");
        first.overrides.set(COMMAND, CACHE_ONLY, ANNA);
        first.settle();
        assertThat(only(first).stored()).isTrue();
        first.overrides.close();

        Engine next = new Engine(ticker, SwitchFile.at(path));
        next.overrides.start();

        assertThat(only(next)).isEqualTo(with(only(first), Origin.STORE));
        assertThat(stateOf(next).lastFault()).isEmpty();
    }

    @Test
    void many_sets_and_clears_at_once_with_a_close_leave_nothing() throws Exception {
        int rounds = 10_000;
        try (Race race = new Race(3)) {
            race.inStep(rounds, (side, round) -> {
                if (side == 0) {
                    one.settle();
                    two.settle();
                    return;
                }
                try {
                    Target target = Target.command("C" + round % 3);
                    if (round == rounds - 10 && side == 1) {
                        one.overrides.close();
                    } else if ((round + side) % 2 == 0) {
                        one.overrides.set(target, CACHE_ONLY, ANNA.expiresIn(Duration.ofMillis(1 + round % 5)));
                        if (side == 1) {
                            ticker.advance(Duration.ofMillis(1));
                        }
                    } else {
                        one.overrides.clear(target, BOB);
                    }
                } catch (IllegalStateException closed) {
                    assertThat(round).isGreaterThanOrEqualTo(rounds - 10);
                }
            });
        }
        engines.forEach(Engine::settle);

        one.assertChain();
        assertThat(one.alarms).hasValue(0);
        assertThat(one.log.changes()).hasSize(1_000);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void at_rest_all_agree_on_the_latest_whatever_has_happened(long seed) {
        Random random = new Random(seed);
        List<Target> targets = List.of(COMMAND, Target.command("Other"), Target.group("catalog"), Target.all());
        List<Position> positions = List.of(NORMAL, CACHE_ONLY, STATIC_ONLY);
        for (int step = 0; step < 400; step++) {
            int number = random.nextInt(engines.size());
            Engine engine = engines.get(number);
            Target target = targets.get(random.nextInt(targets.size()));
            switch (random.nextInt(12)) {
                case 0, 1, 2 -> {
                    Order order = random.nextBoolean() ? ANNA : BOB;
                    engine.overrides.set(
                            target,
                            positions.get(random.nextInt(positions.size())),
                            random.nextInt(4) == 0
                                    ? order.untilCleared()
                                    : order.expiresIn(Duration.ofSeconds(1 + random.nextInt(60))));
                }
                case 3, 4 -> engine.overrides.clear(target, BOB);
                case 5 -> lines.get(number).down = !lines.get(number).down;
                case 6 -> lines.get(number).losesAnswers = random.nextBoolean();
                case 7 -> store.loseEverything();
                case 8 -> ticker.advance(Duration.ofMillis(random.nextInt(20_000)));
                case 9 -> { // one step of one process
                    Runnable next = engine.waiting.poll();
                    if (next != null) {
                        next.run();
                    }
                }
                case 10 -> engine.settle();
                default -> {
                    engine.overrides.close();
                    engine.settle();
                    if (lines.stream().noneMatch(line -> line.down || line.losesAnswers)
                            && engines.stream().allMatch(each -> each.waiting.isEmpty())) {
                        engine.assertChain();
                    }
                    SharedStore.Line line = store.new Line();
                    Engine next = new Engine(ticker, line);
                    next.overrides.start();
                    lines.set(number, line);
                    engines.set(number, next);
                }
            }
        }

        lines.forEach(SharedStore.Line::repair);
        settle();
        advance(Duration.ofSeconds(31));

        Map<String, Position> latest = new HashMap<>();
        store.entries.forEach((key, entry) -> {
            EntryText text = EntryText.decoded(Target.parse(key), entry.text());
            boolean over = text.until()
                    .map(until -> until.toEpochMilli() <= ticker.epochMillis())
                    .orElse(false);
            if (text.position() != null && !over) {
                latest.put(key, text.position());
            }
        });
        for (Engine engine : engines) {
            assertThat(engine.held()).isEqualTo(latest);
            assertThat(stateOf(engine).waiting()).isZero();
            assertThat(engine.overrides.all()).allMatch(ManualOverride::stored);
            engine.assertChain();
        }
    }
}
