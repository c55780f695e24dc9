package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.cache.CacheSpec;
import io.degradable.control.Change;
import io.degradable.control.ManualOverride;
import io.degradable.control.Order;
import io.degradable.control.Position;
import io.degradable.control.Target;
import io.degradable.model.CircuitState;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.Trigger;
import io.degradable.settings.Origin;
import io.degradable.settings.Origin.From;
import io.degradable.state.CommandView;
import io.degradable.state.ConfigurationView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import javax.annotation.Nullable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Settings and switches from outside of the code, while it runs. */
final class ConfigurationTest {

    private static final String PREFIX = "degradable.command.GetProduct.";
    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");
    private static final StaticTemplate<String> TEMPLATE = StaticTemplate.of("sorry", "template");

    private final ManualTicker ticker = new ManualTicker();
    private final TestSource first = new TestSource("first");
    private final TestSource second = new TestSource("second");
    private @Nullable Commands made;
    private final CommandSpec<Call, String> spec = spec();

    private static CommandSpec<Call, String> spec() {
        return Call.declared()
                .name("GetProduct")
                .group("catalog")
                .semaphore(2)
                .timeout(Duration.ofMillis(100))
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(4)
                        .sleepWindow(Duration.ofSeconds(5))
                        .noRamp())
                .fallback(chain -> chain.spareCall("replica", (call, context) -> "spare")
                        .cached(COPIES, call -> call.id, Duration.ofMinutes(5))
                        .template(TEMPLATE))
                .build();
    }

    /** Made with what the sources say by then. */
    private Commands commands() {
        if (made == null) {
            made = Commands.builder()
                    .ticker(ticker)
                    .settings(first)
                    .settings(second)
                    .build();
        }
        return made;
    }

    @AfterEach
    void close() {
        commands().close();
        assertThat(first.watchers())
                .as("subscriptions that a closed container leaves")
                .isZero();
    }

    private CommandResult<String> call(Callable<String> body) {
        return new Call(commands(), spec, "1", body).executeForResult();
    }

    private CommandResult<String> failing() {
        return call(() -> {
            throw new IOException("down");
        });
    }

    private CommandView view() {
        commands().register(spec);
        return commands().commands().iterator().next();
    }

    private Origin origin(String setting) {
        return Objects.requireNonNull(view().origins().get(setting), setting);
    }

    private static void until(Callable<Boolean> holds) {
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(holds);
    }

    private List<String> faults() {
        return commands().configuration().faults().stream()
                .map(fault -> fault.property() + "=" + fault.value() + " of " + fault.source() + ": " + fault.problem())
                .toList();
    }

    // ---- precedence ----

    @Test
    void a_property_for_the_name_beats_code_which_beats_a_property_for_all_which_beats_what_is_built_in() {
        first.with("degradable.command.default.timeout", "70 ms")
                .with("degradable.command.default.deadline", "3 s")
                .with(PREFIX + "circuitBreaker.requestVolumeThreshold", "9");

        assertThat(origin("circuitBreaker.requestVolumeThreshold").from()).isEqualTo(From.PROPERTY);
        assertThat(origin("circuitBreaker.requestVolumeThreshold").value()).isEqualTo("9");
        assertThat(origin("timeout").from()).isEqualTo(From.CODE);
        assertThat(origin("deadline").from()).isEqualTo(From.DEFAULT_PROPERTY);
        assertThat(origin("deadline").source()).isEqualTo("first");
        assertThat(origin("budget").from()).isEqualTo(From.BUILT_IN);
        assertThat(view().settings().guard().timeout()).isEqualTo(Duration.ofMillis(100));
        assertThat(view().settings().deadline()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void of_two_sources_the_one_said_first_has_its_way_and_the_other_is_shown() {
        first.with(PREFIX + "timeout", "70 ms");
        second.with(PREFIX + "timeout", "80 ms");

        assertThat(origin("timeout").value()).isEqualTo("70 ms");
        assertThat(commands().configuration().outdone())
                .extracting(loser -> loser.value() + " of " + loser.source())
                .containsExactly("80 ms of second");
        first.remove(PREFIX + "timeout");
        until(() -> origin("timeout").value().equals("80 ms"));
    }

    @Test
    void a_file_of_hystrix_goes_on_working() {
        first.with("hystrix.command.GetProduct.execution.isolation.thread.timeoutInMilliseconds", "250")
                .with("hystrix.command.GetProduct.requestCache.enabled", "false");

        assertThat(view().settings().guard().timeout()).isEqualTo(Duration.ofMillis(250));
        assertThat(faults()).hasSize(1);
        assertThat(faults().get(0)).startsWith("hystrix.command.GetProduct.requestCache.enabled=false of first: ");
    }

    // ---- while it runs ----

    @Test
    @DisplayName("B135: an open breaker stays open when its open time changes, and goes by the new one")
    void an_open_breaker_stays_open() {
        for (int i = 0; i < 4; i++) {
            failing();
        }
        assertThat(commands().circuit("GetProduct").explain().state()).isEqualTo(CircuitState.OPEN);

        first.set(PREFIX + "circuitBreaker.sleepWindow", "9 s");
        until(() -> origin("circuitBreaker.sleepWindow").value().equals("9 s"));

        assertThat(commands().circuit("GetProduct").explain().state()).isEqualTo(CircuitState.OPEN);
        assertThat(commands().circuit("GetProduct").explain().opensFor()).isEqualTo(Duration.ofSeconds(9));
        assertThat(commands().circuit("GetProduct").explain().opened()).isEqualTo(1);
        ticker.advance(Duration.ofSeconds(9).minusNanos(1));
        assertThat(failing().trigger()).isEqualTo(Trigger.SHORT_CIRCUITED);
        ticker.advance(Duration.ofNanos(1));
        assertThat(call(() -> "live").source()).isEqualTo(Source.PRIMARY);
        assertThat(commands().switches().changes())
                .extracting(change -> change.kind() + " " + change.subject() + " " + change.from() + ">" + change.to()
                        + " by " + change.author() + " " + change.reason())
                .containsExactly("SETTING command GetProduct circuitBreaker.sleepWindow 5 s>9 s by first " + PREFIX
                        + "circuitBreaker.sleepWindow");
    }

    @Test
    void what_was_measured_stays_when_a_threshold_changes() {
        failing();
        failing();
        failing();

        first.set(PREFIX + "circuitBreaker.requestVolumeThreshold", "3");
        until(() -> origin("circuitBreaker.requestVolumeThreshold").value().equals("3"));
        CircuitState before = commands().circuit("GetProduct").explain().state();
        failing();

        assertThat(before).as("a change moves no breaker").isEqualTo(CircuitState.CLOSED);
        assertThat(commands().circuit("GetProduct").explain().why()).startsWith("4 of 4 calls failed or slow");
    }

    @Test
    void counts_stay_and_a_call_in_flight_ends_under_the_limit_that_it_began_with() {
        CommandResult<String> inTime = call(() -> {
            first.set(PREFIX + "timeout", "10 ms");
            until(() -> origin("timeout").value().equals("10 ms"));
            ticker.advance(Duration.ofMillis(100));
            return "begun before";
        });
        CommandResult<String> late = call(() -> {
            ticker.advance(Duration.ofMillis(11));
            return "begun after";
        });

        assertThat(inTime.overrun()).isFalse();
        assertThat(late.overrun()).isTrue();
        assertThat(view().received()).isEqualTo(2);
        assertThat(view().stages().get(0).ended(StageReason.ANSWER)).isEqualTo(2);
        assertThat(view().stages().get(0).left(StageReason.ANSWER)).isEqualTo(2);
    }

    @Test
    void a_longer_limit_for_slow_calls_holds_for_those_in_flight_in_no_way_that_opens_the_breaker() {
        for (int i = 0; i < 3; i++) {
            call(() -> "live");
        }

        first.set(PREFIX + "timeout", "8 s");
        until(() -> origin("timeout").value().equals("8 s"));
        call(() -> {
            ticker.advance(Duration.ofSeconds(7));
            assertThat(commands().circuit("GetProduct").explain().window().slowInFlight())
                    .isZero();
            return "slow, and allowed to be";
        });

        assertThat(commands().circuit("GetProduct").explain().state()).isEqualTo(CircuitState.CLOSED);
        assertThat(commands().circuit("GetProduct").explain().bad()).isZero();
    }

    @Test
    @DisplayName("B138: what is fixed stays, and says so")
    void what_cannot_change_while_it_runs_says_so() {
        view();

        first.set(PREFIX + "circuitBreaker.window", "20 s");
        until(() -> !faults().isEmpty());

        assertThat(view().settings().guard().breaker().window()).isEqualTo(Duration.ofSeconds(10));
        assertThat(faults().get(0)).startsWith(PREFIX + "circuitBreaker.window=20 s of first: ");
        assertThat(commands().switches().changes()).extracting(Change::kind).containsExactly(Change.Kind.REFUSED);
    }

    @Test
    void what_is_fixed_is_taken_when_the_command_is_made() {
        first.with(PREFIX + "circuitBreaker.window", "20 s").with("irrelevant", "x");

        first.set("irrelevant", "y");

        assertThat(view().settings().guard().breaker().window()).isEqualTo(Duration.ofSeconds(20));
        assertThat(faults()).isEmpty();
    }

    @Test
    void a_value_that_cannot_be_read_leaves_the_last_good_one_and_is_shown_until_it_is_mended() {
        first.with(PREFIX + "timeout", "70 ms");
        view();

        first.set(PREFIX + "timeout", "-5");
        until(() -> !faults().isEmpty());
        String fault = faults().get(0);
        String kept = origin("timeout").value();
        first.set(PREFIX + "timeout", "60 ms");
        until(() -> faults().isEmpty());

        assertThat(fault).startsWith(PREFIX + "timeout=-5 of first: ");
        assertThat(kept).isEqualTo("70 ms");
        assertThat(origin("timeout").value()).isEqualTo("60 ms");
    }

    @Test
    void a_source_that_cannot_be_read_changes_nothing_is_shown_and_is_read_again() throws Exception {
        first.with(PREFIX + "timeout", "70 ms").with("degradable.switch.group.catalog", "2");
        call(() -> "live");

        first.breaks(new FileNotFoundException("it is gone"));
        until(() -> !source().lastFault().isEmpty());
        String fault = source().lastFault();
        String kept = origin("timeout").value();
        Source switched = call(() -> "live").source();
        first.with(PREFIX + "timeout", "60 ms").breaks(null);
        until(() -> source().lastFault().isEmpty());

        assertThat(fault).contains("it is gone");
        assertThat(kept).isEqualTo("70 ms");
        assertThat(switched).isEqualTo(Source.STATIC);
        until(() -> origin("timeout").value().equals("60 ms"));
    }

    @Test
    void a_broken_source_is_read_again_every_ten_seconds_also_when_it_says_nothing() {
        commands();
        first.breaks(new IOException("not yet"));
        until(() -> !source().lastFault().isEmpty());
        TestSource silent = first.with(PREFIX + "timeout", "70 ms");
        mendQuietly(silent);

        ticker.advance(Duration.ofSeconds(10));

        until(() -> source().lastFault().isEmpty() && origin("timeout").value().equals("70 ms"));
    }

    private static void mendQuietly(TestSource source) {
        source.quietly(null);
    }

    private ConfigurationView.Source source() {
        return commands().configuration().sources().get(0);
    }

    @Test
    void unknown_names_are_shown_with_the_nearest_known_one() {
        first.with(PREFIX + "timeuot", "70 ms");

        view();

        assertThat(faults()).hasSize(1);
        assertThat(faults().get(0)).contains(PREFIX + "timeout");
    }

    // ---- pools ----

    @Test
    void a_pool_is_set_by_its_name_for_all_that_share_it() {
        CommandSpec<Call, String> pooled = Call.declared()
                .name("Pooled")
                .threadPool(pool -> pool.named("shared").size(2))
                .build();
        first.with("degradable.pool.shared.size", "5");
        commands().register(pooled);
        assertThat(commands().pools().get(0).size()).isEqualTo(5);

        first.set("degradable.pool.shared.size", "ten");
        until(() -> !faults().isEmpty());
        assertThat(commands().pools().get(0).size()).isEqualTo(5);
        first.set("degradable.pool.shared.size", "7");
        until(() -> commands().pools().get(0).size() == 7);
        first.remove("degradable.pool.shared.size");

        until(() -> commands().pools().get(0).size() == 2);
        assertThat(commands().configuration().pools().toString()).contains("size=2, CODE");
    }

    @Test
    void a_semaphore_takes_its_new_limit() {
        view();

        first.set(PREFIX + "semaphore.limit", "17");

        until(() -> view().stages().get(0).limit() == 17);
    }

    // ---- switches ----

    @Test
    @DisplayName("H10: a switch in the configuration holds as long as its property")
    void switches_from_the_configuration() {
        first.with("degradable.switch.command.GetProduct", "2");

        CommandResult<String> switched = call(() -> "live");
        first.remove("degradable.switch.command.GetProduct");
        until(() -> commands().switches().all().isEmpty());

        assertThat(switched.source()).isEqualTo(Source.STATIC);
        until(() -> call(() -> "live").source() == Source.PRIMARY);
    }

    @Test
    void a_switch_that_is_none_is_shown_and_changes_nothing() {
        first.with("degradable.switch.command.GetProduct", "7");

        assertThat(call(() -> "live").source()).isEqualTo(Source.PRIMARY);
        assertThat(faults()).hasSize(1);
        assertThat(faults().get(0)).startsWith("degradable.switch.command.GetProduct=7 of first: ");
    }

    @Test
    @DisplayName("Invariant 8: what a hand has set survives a reload, and of two for one target the later wins")
    void a_hand_outlives_a_reload() {
        first.with("degradable.switch.command.GetProduct", "2");
        view();

        commands().switches().set(Target.command("GetProduct"), Position.NORMAL, Order.by("anna", "it is well"));
        Source byHand = call(() -> "live").source();
        first.set("something.else", "1");
        first.set(PREFIX + "timeout", "90 ms");
        until(() -> origin("timeout").value().equals("90 ms"));
        Source afterReload = call(() -> "live").source();
        first.set("degradable.switch.command.GetProduct", "1");
        until(() -> call(() -> "live").source() == Source.CACHE);

        assertThat(byHand).isEqualTo(Source.PRIMARY);
        assertThat(afterReload).isEqualTo(Source.PRIMARY);
    }

    @Test
    void one_that_the_chain_cannot_serve_is_taken_from_the_configuration_and_the_next_stage_below_serves() {
        CommandSpec<Call, String> noCache = Call.declared()
                .name("NoCache")
                .semaphore(1)
                .fallback(chain -> chain.template(TEMPLATE))
                .build();
        first.with("degradable.switch.command.NoCache", "1");

        CommandResult<String> result = new Call(commands(), noCache, "1", () -> "live").executeForResult();

        assertThat(result.source()).isEqualTo(Source.STATIC);
        until(() -> faults().size() == 1);
        assertThat(faults().get(0)).contains("NoCache has no cache: its template serves");
    }

    @Test
    void stages_are_taken_out_and_breakers_forced_by_properties() {
        first.with(PREFIX + "stage.replica.out", "true").with(PREFIX + "circuitBreaker.forceOpen", "true");

        CommandResult<String> result = call(() -> "live");

        assertThat(result.trigger()).isEqualTo(Trigger.SHORT_CIRCUITED);
        assertThat(commands().switches().all())
                .extracting(ManualOverride::origin)
                .containsOnly(ManualOverride.Origin.CONFIGURATION);
        first.remove(PREFIX + "circuitBreaker.forceOpen");
        until(() -> commands().circuit("GetProduct").explain().state() == CircuitState.HALF_OPEN);
        assertThat(failing().trail().get(1).reason()).isEqualTo(StageReason.OUT);
    }

    @Test
    @DisplayName("B137: a million calls, and a name that comes and goes, leave one subscription")
    void an_evicted_command_takes_what_was_kept_of_it_along_and_finds_its_properties_anew() {
        first.with("degradable.command.made.up.timeout", "70 ms");
        CommandSpec<Call, String> madeUp =
                Call.declared().name("made.up").semaphore(1).build();
        Call call = new Call(commands(), madeUp, "1", () -> "live");
        for (int i = 0; i < 1_000_000; i++) {
            call.execute();
        }

        ticker.advance(Duration.ofHours(2));
        commands().commands(); // who sweeps first sees that it was used since
        ticker.advance(Duration.ofHours(2));
        boolean gone = commands().commands().isEmpty();
        new Call(commands(), madeUp, "1", () -> "live").execute();

        assertThat(gone).isTrue();
        assertThat(commands().commands().iterator().next().settings().guard().timeout())
                .isEqualTo(Duration.ofMillis(70));
        assertThat(first.watchers()).isEqualTo(1);
    }

    @Test
    void a_property_makes_a_call_that_nobody_answers_an_error_of_the_same_kind() {
        first.with(PREFIX + "stage.replica.out", "true")
                .with(PREFIX + "stage.cache.out", "true")
                .with(PREFIX + "stage.static.out", "true");

        assertThat(org.assertj.core.api.Assertions.catchThrowable(this::failing))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("out");
    }
}
