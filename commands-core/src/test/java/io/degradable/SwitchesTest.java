package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.degradable.cache.CacheSpec;
import io.degradable.control.ManualOverride;
import io.degradable.control.Order;
import io.degradable.control.Position;
import io.degradable.control.Target;
import io.degradable.model.CallOutcome;
import io.degradable.model.CircuitState;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.EventType;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.model.Trigger;
import io.degradable.state.CommandView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a human turns, and what calls make of it (H10, H7). */
final class SwitchesTest {

    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");
    private static final StaticTemplate<String> TEMPLATE = StaticTemplate.of("sorry", "template");
    private static final Order ANNA = Order.by("anna", "the backend is moved");
    private static final Duration WINDOW = Duration.ofHours(5);

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();
    private final AtomicInteger asked = new AtomicInteger();
    private final Callable<String> live = () -> "live " + asked.incrementAndGet();

    private final CommandSpec<Call, String> spec = full("GetProduct", "catalog");

    private static CommandSpec<Call, String> full(String name, String group) {
        return Call.declared()
                .name(name)
                .group(group)
                .semaphore(10)
                .fallback(chain -> chain.spareCall("replica", (call, context) -> "spare")
                        .cached(COPIES, call -> call.id, WINDOW)
                        .template(TEMPLATE))
                .build();
    }

    @AfterEach
    void close() {
        commands.close();
    }

    private CommandResult<String> call() {
        return call(spec);
    }

    private CommandResult<String> call(CommandSpec<Call, String> of) {
        return new Call(commands, of, "1", live).executeForResult();
    }

    private CommandView view(String name) {
        return commands.commands().stream()
                .filter(command -> command.key().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private ManualOverride set(Target target, Position position) {
        return commands.switches().set(target, position, ANNA.untilCleared());
    }

    private List<String> record() {
        return commands.switches().changes().stream()
                .map(change -> change.kind() + " " + change.subject() + " " + change.from() + ">" + change.to() + " "
                        + change.author())
                .toList();
    }

    // ---- what they do to calls ----

    @ParameterizedTest
    @EnumSource
    @DisplayName("H10: with switch 1 the primary is not asked, and the copy is served")
    void one_serves_the_copy(EntryPoint entryPoint) throws Exception {
        call();

        set(Target.command("GetProduct"), Position.CACHE_ONLY);
        String answer = entryPoint.run(new Call(commands, spec, "1", live));

        assertThat(answer).isEqualTo("live 1");
        assertThat(asked).hasValue(1);
        assertThat(view("GetProduct").events(EventType.SWITCH)).isEqualTo(1);
        assertThat(view("GetProduct").events(EventType.FALLBACK_SUCCESS)).isEqualTo(1);
    }

    @Test
    void one_tells_what_was_passed_and_falls_to_the_template_without_a_copy() {
        set(Target.command("GetProduct"), Position.CACHE_ONLY);

        CommandResult<String> result = call();

        assertThat(result.value()).isEqualTo("template");
        assertThat(result.trigger()).isEqualTo(Trigger.SWITCH);
        assertThat(result.trail())
                .extracting(StageReport::stage, StageReport::reason)
                .containsExactly(
                        tuple("primary", StageReason.SWITCHED),
                        tuple("replica", StageReason.SWITCHED),
                        tuple("cache", StageReason.ABSENT),
                        tuple("static", StageReason.ANSWER));
    }

    @Test
    @DisplayName("H10: with switch 2 the template is served although there is a copy")
    void two_serves_the_template() {
        call();

        set(Target.command("GetProduct"), Position.STATIC_ONLY);

        assertThat(call().source()).isEqualTo(Source.STATIC);
        assertThat(asked).hasValue(1);
    }

    @Test
    @DisplayName(
            "D2: levels 2 and 3 read no further than copies, and no further than the template, whatever comes first")
    void copies_before_the_primary_are_not_looked_up_when_switched_to_static() {
        CommandSpec<Call, String> young = Call.declared()
                .name("Young")
                .semaphore(10)
                .fallback(chain -> chain.cached(
                                COPIES, call -> call.id, WINDOW, cache -> cache.beforePrimary(Duration.ofMinutes(1)))
                        .template(TEMPLATE))
                .build();
        call(young);

        set(Target.command("Young"), Position.CACHE_ONLY);
        CommandResult<String> copy = call(young);
        set(Target.command("Young"), Position.STATIC_ONLY);
        CommandResult<String> template = call(young);

        assertThat(copy.trigger()).isEqualTo(Trigger.SWITCH);
        assertThat(copy.source()).isEqualTo(Source.CACHE);
        assertThat(template.source()).isEqualTo(Source.STATIC);
    }

    @Test
    @DisplayName("the breaker learns nothing from switched calls, and a switched call takes no slot")
    void the_guard_is_not_touched() {
        call();
        set(Target.command("GetProduct"), Position.STATIC_ONLY);

        for (int i = 0; i < 100; i++) {
            call();
        }

        assertThat(commands.circuit("GetProduct").explain().good()).isEqualTo(1);
        assertThat(view("GetProduct").stages().get(0).ended(StageReason.ANSWER)).isEqualTo(1);
        assertThat(view("GetProduct").stages().get(0).left(StageReason.SWITCHED))
                .isEqualTo(100);
    }

    @Test
    void calls_in_flight_end_as_they_began() throws Exception {
        CommandResult<String> result = new Call(commands, spec, "1", () -> {
                    set(Target.command("GetProduct"), Position.STATIC_ONLY);
                    return "begun before";
                })
                .executeForResult();

        assertThat(result.source()).isEqualTo(Source.PRIMARY);
        assertThat(call().source()).isEqualTo(Source.STATIC);
    }

    // ---- which one decides ----

    @Test
    void the_most_specific_switch_wins_and_normal_lifts_a_less_specific_one() {
        CommandSpec<Call, String> other = full("GetStock", "catalog");
        CommandSpec<Call, String> elsewhere = full("GetPrice", "prices");

        set(Target.all(), Position.STATIC_ONLY);
        set(Target.group("catalog"), Position.CACHE_ONLY);
        set(Target.command("GetProduct"), Position.NORMAL);

        assertThat(call().source()).isEqualTo(Source.PRIMARY);
        assertThat(call(other).source()).isEqualTo(Source.CACHE);
        assertThat(call(elsewhere).source()).isEqualTo(Source.STATIC);
        assertThat(commands.switches().decidesFor("GetStock").orElseThrow().target())
                .isEqualTo(Target.group("catalog"));
    }

    @Test
    void a_command_without_a_stage_that_serves_goes_on_under_a_switch_of_its_group_and_that_is_told() {
        CommandSpec<Call, String> bare =
                Call.declared().name("Bare").group("catalog").semaphore(10).build();
        commands.register(spec, bare);

        ManualOverride held = set(Target.group("catalog"), Position.CACHE_ONLY);

        assertThat(call(bare).source()).isEqualTo(Source.PRIMARY);
        assertThat(held.notServed()).isEqualTo("Bare has no cache and no template: it goes on with its primary");
    }

    @Test
    @DisplayName(
            "H10: 1 or 2 on a command without that stage is refused, naming the missing stage, and changes nothing")
    void what_the_chain_cannot_serve_is_refused() {
        CommandSpec<Call, String> noCache = Call.declared()
                .name("NoCache")
                .semaphore(10)
                .fallback(chain -> chain.template(TEMPLATE))
                .build();
        commands.register(noCache);

        assertThatThrownBy(() -> set(Target.command("NoCache"), Position.CACHE_ONLY))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the switch of command NoCache cannot be 1: it has no cache, its chain is [static]");
        assertThatThrownBy(() -> set(Target.stage("NoCache", "replica"), Position.OUT))
                .hasMessageContaining("no stage replica, it has [static]");
        assertThatThrownBy(() -> set(Target.circuit("NoCache", "static"), Position.FORCED_OPEN))
                .hasMessageContaining("read in memory");
        assertThat(call(noCache).source()).isEqualTo(Source.PRIMARY);
        assertThat(record())
                .containsExactly(
                        "REFUSED command:NoCache >1 anna",
                        "REFUSED stage:NoCache:replica >out anna",
                        "REFUSED circuit:NoCache:static >open anna");
    }

    @Test
    void a_switch_for_a_command_that_is_not_known_yet_waits_for_it() {
        ManualOverride held = set(Target.command("GetProduct"), Position.STATIC_ONLY);

        assertThat(held.pending()).isTrue();
        assertThat(call().source()).isEqualTo(Source.STATIC);
        assertThat(commands.switches().all()).allMatch(one -> !one.pending());
    }

    @Test
    void names_above_the_cap_obey_switches_of_their_group() {
        try (Commands few = Commands.builder().ticker(ticker).maxNames(1).build()) {
            new Call(few, spec, "1", live).execute();
            CommandSpec<Call, String> above = full("Above", "catalog");
            new Call(few, above, "1", live).execute();

            few.switches().set(Target.group("catalog"), Position.STATIC_ONLY, ANNA);

            assertThat(new Call(few, above, "1", live).executeForResult().source())
                    .isEqualTo(Source.STATIC);
            few.switches().clear(Target.group("catalog"), ANNA);
            assertThat(new Call(few, above, "1", live).executeForResult().source())
                    .isEqualTo(Source.PRIMARY);
        }
    }

    // ---- expiry, clearing, the way back ----

    @Test
    @DisplayName("B139: a switch ends by itself, is told of, and the calls come back")
    void a_switch_expires() throws Exception {
        call();
        commands.switches()
                .set(Target.command("GetProduct"), Position.STATIC_ONLY, ANNA.expiresIn(Duration.ofSeconds(50)));

        ticker.advance(Duration.ofSeconds(50).minusNanos(1));
        assertThat(call().source()).isEqualTo(Source.STATIC);
        ticker.advance(Duration.ofNanos(1));
        until(() -> commands.switches().all().isEmpty());
        until(() -> call().source() == Source.PRIMARY);

        assertThat(commands.switches().all()).isEmpty();
        assertThat(record()).containsExactly("SET command:GetProduct >2 anna", "EXPIRED command:GetProduct 2> expiry");
    }

    private Map<Source, Integer> sources(int calls) {
        Map<Source, Integer> sources = new HashMap<>();
        for (int i = 0; i < calls; i++) {
            sources.merge(call().source(), 1, Integer::sum);
        }
        return sources;
    }

    private String lastChange() {
        List<String> changes = record();
        return changes.get(changes.size() - 1);
    }

    /** What is due is done aside, and then waits for the next time. */
    private void minute() throws InterruptedException {
        for (int tens = 0; tens < 6; tens++) {
            ticker.advance(Duration.ofSeconds(10));
            ticker.untilWaiting(1);
        }
    }

    private static void until(Callable<Boolean> holds) {
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(holds);
    }

    @Test
    @DisplayName("D4: after a minute held, the calls come back by 10, 25, 50, 75 and 100 percent, each for a minute")
    void calls_come_back_in_steps() throws Exception {
        call();
        set(Target.command("GetProduct"), Position.STATIC_ONLY);
        ticker.advance(Duration.ofMinutes(2));

        commands.switches().clear(Target.command("GetProduct"), ANNA);
        int steps = 0;
        for (int share : new int[] {10, 25, 50, 75}) {
            assertThat(lastChange()).contains(">" + share + " %");
            Map<Source, Integer> sources = sources(2_000);
            int live = sources.getOrDefault(Source.PRIMARY, 0);
            assertThat(live).isBetween(share * 20 - 150, share * 20 + 150);
            assertThat(sources).containsEntry(Source.STATIC, 2_000 - live);
            minute();
            steps++;
        }

        assertThat(lastChange()).isEqualTo("RAMP command:GetProduct 75 %>100 % recovery");
        assertThat(sources(500)).containsOnlyKeys(Source.PRIMARY);
        assertThat(view("GetProduct").events(EventType.RAMP)).isPositive();
        for (int tens = 0; tens < 5; tens++) {
            ticker.advance(Duration.ofSeconds(10));
            ticker.untilWaiting(1);
        }
        ticker.advance(Duration.ofSeconds(10));
        until(() -> lastChange().equals("RAMP command:GetProduct 100 %>100 % recovery"));
        assertThat(sources(500)).containsOnlyKeys(Source.PRIMARY);
        assertThat(steps).isEqualTo(4);
    }

    @Test
    void a_short_switch_and_one_that_is_cleared_at_once_need_no_ramp() {
        call();
        set(Target.command("GetProduct"), Position.STATIC_ONLY);
        ticker.advance(Duration.ofMinutes(1));
        commands.switches().clear(Target.command("GetProduct"), ANNA);
        Map<Source, Integer> afterShort = sources(200);

        set(Target.command("GetProduct"), Position.STATIC_ONLY);
        ticker.advance(Duration.ofHours(1));
        commands.switches().clear(Target.command("GetProduct"), ANNA.atOnce());

        assertThat(afterShort).containsOnlyKeys(Source.PRIMARY);
        assertThat(sources(200)).containsOnlyKeys(Source.PRIMARY);
    }

    @Test
    void a_ramp_ends_at_once_when_a_human_says_so() {
        call();
        set(Target.command("GetProduct"), Position.STATIC_ONLY);
        ticker.advance(Duration.ofHours(1));
        commands.switches().clear(Target.command("GetProduct"), ANNA);
        Map<Source, Integer> ramped = sources(200);

        commands.switches().clear(Target.command("GetProduct"), ANNA.atOnce());

        assertThat(ramped).containsKey(Source.STATIC);
        assertThat(sources(200)).containsOnlyKeys(Source.PRIMARY);
    }

    @Test
    void a_ramp_goes_back_while_the_primary_fails() throws Exception {
        call();
        set(Target.command("GetProduct"), Position.STATIC_ONLY);
        ticker.advance(Duration.ofHours(1));
        commands.switches().clear(Target.command("GetProduct"), ANNA);
        ticker.advance(Duration.ofSeconds(5));
        for (int i = 0; i < 1_000; i++) {
            new Call(commands, spec, "1", () -> {
                        throw new IOException("down");
                    })
                    .execute();
        }

        ticker.advance(Duration.ofSeconds(5)); // what has failed is a part of the last ten seconds still
        ticker.untilWaiting(1);

        assertThat(lastChange()).isEqualTo("RAMP command:GetProduct 10 %>0 % recovery");
        assertThat(sources(200)).containsOnlyKeys(Source.STATIC);
    }

    // ---- stages ----

    @Test
    @DisplayName("H7: a stage that is out for maintenance is passed, and the next one serves")
    void a_stage_is_out() {
        Call failing = new Call(commands, spec, "1", () -> {
            throw new IOException("down");
        });
        String before = failing.execute();

        set(Target.stage("GetProduct", "replica"), Position.OUT);
        CommandResult<String> out = failing.executeForResult();
        commands.switches().clear(Target.stage("GetProduct", "replica"), ANNA);

        assertThat(before).isEqualTo("spare");
        assertThat(out.source()).isEqualTo(Source.STATIC);
        assertThat(out.trail().get(1).reason()).isEqualTo(StageReason.OUT);
        assertThat(failing.execute()).isEqualTo("spare");
    }

    @Test
    void a_primary_that_is_out_leaves_the_whole_chain() {
        call();

        set(Target.stage("GetProduct", "primary"), Position.OUT);
        CommandResult<String> result = call();

        assertThat(result.source()).isEqualTo(Source.SPARE);
        assertThat(result.trigger()).isEqualTo(Trigger.SWITCH);
        assertThat(asked).hasValue(1);
    }

    @Test
    @DisplayName("H7: a spare command is passed while its own name is switched or its primary is out")
    void a_switched_command_is_no_spare() {
        CommandSpec<Call, String> replica = Call.declared()
                .name("Replica")
                .threadPool(pool -> pool.named("replica"))
                .fallback(chain -> chain.template(TEMPLATE))
                .build();
        CommandSpec<Call, String> withSpare = Call.declared()
                .name("WithSpare")
                .semaphore(10)
                .fallback(chain -> chain.within(Duration.ofSeconds(20))
                        .spare(replica, call -> new Call(commands, replica, "1", () -> "from the replica"))
                        .template(TEMPLATE))
                .build();
        try (Commands real = Commands.create()) {
            Call failing = new Call(real, withSpare, "1", () -> {
                throw new IOException("down");
            });
            String before = failing.execute();

            real.switches().set(Target.command("Replica"), Position.STATIC_ONLY, ANNA);
            CommandResult<String> switched = failing.executeForResult();
            real.switches().clear(Target.command("Replica"), ANNA);
            String after = failing.execute();
            real.switches().set(Target.stage("Replica", "primary"), Position.OUT, ANNA);
            CommandResult<String> out = failing.executeForResult();

            assertThat(before).isEqualTo("from the replica");
            assertThat(switched.trail().get(1).reason()).isEqualTo(StageReason.SWITCHED);
            assertThat(after).isEqualTo("from the replica");
            assertThat(out.trail().get(1).reason()).isEqualTo(StageReason.OUT);
        }
    }

    // ---- breakers ----

    @Test
    void a_breaker_is_forced_with_an_expiry() {
        call();
        commands.switches()
                .set(
                        Target.circuit("GetProduct", "primary"),
                        Position.FORCED_OPEN,
                        ANNA.expiresIn(Duration.ofMinutes(5)));

        CommandResult<String> open = call();
        ticker.advance(Duration.ofMinutes(5));
        until(() -> commands.circuit("GetProduct").explain().why().startsWith("released"));

        assertThat(open.trigger()).isEqualTo(Trigger.SHORT_CIRCUITED);
        assertThat(commands.circuit("GetProduct").explain().state()).isEqualTo(CircuitState.HALF_OPEN);
        assertThat(commands.circuit("GetProduct").explain().why()).isEqualTo("released by expiry");
    }

    @Test
    void a_breaker_can_be_forced_before_its_command_is_known() {
        set(Target.circuit("GetProduct", "primary"), Position.FORCED_OPEN);

        assertThat(call().trigger()).isEqualTo(Trigger.SHORT_CIRCUITED);
    }

    @Test
    void what_code_forces_is_an_override_as_well() {
        call();

        commands.circuit("GetProduct").forceClosed("bert");

        ManualOverride held = commands.switches().all().get(0);
        assertThat(held.target()).isEqualTo(Target.circuit("GetProduct", "primary"));
        assertThat(held.author()).isEqualTo("bert");
        assertThat(held.expiresAt()).isEmpty();
        assertThat(commands.circuit("GetProduct").release("carl")).isTrue();
        assertThat(commands.circuit("GetProduct").explain().why()).isEqualTo("released by carl");
        assertThat(commands.switches().all()).isEmpty();
    }

    // ---- nothing there ----

    @Test
    void a_switched_call_that_nobody_answers_was_rejected_by_the_switch() {
        CommandSpec<Call, String> copiesOnly = Call.declared()
                .name("CopiesOnly")
                .semaphore(10)
                .fallback(chain -> chain.cached(COPIES, call -> call.id, WINDOW))
                .build();
        set(Target.command("CopiesOnly"), Position.CACHE_ONLY);
        commands.register(copiesOnly);
        assertThatThrownBy(() -> set(Target.command("CopiesOnly"), Position.STATIC_ONLY))
                .hasMessage("the switch of command CopiesOnly cannot be 2: it has no template, its chain is [cache]");

        assertThatThrownBy(() -> call(copiesOnly)).isInstanceOfSatisfying(CommandException.class, failure -> {
            assertThat(failure.trigger()).isEqualTo(Trigger.SWITCH);
            assertThat(failure.outcome()).isEqualTo(CallOutcome.REJECTED);
            assertThat(failure).hasMessageContaining("switched");
        });
        assertThat(view("CopiesOnly").events(EventType.FALLBACK_FAILURE)).isEqualTo(1);
    }
}
