package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.degradable.micrometer.CommandContext;
import io.degradable.micrometer.CommandConvention;
import io.degradable.micrometer.CommandObservations;
import io.degradable.model.BadRequestException;
import io.degradable.model.CallId;
import io.degradable.model.CommandException;
import io.degradable.model.CommandKey;
import io.degradable.model.CommandResult;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.Observation.Event;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each run is one observation, begun and stopped once, with its stages as events. */
@Timeout(30)
final class CommandObservationsTest {

    /** Keeps what it is told. */
    private static final class Told implements ObservationHandler<CommandContext> {

        private final List<CommandContext> started = new CopyOnWriteArrayList<>();
        private final List<CommandContext> stopped = new CopyOnWriteArrayList<>();
        private final List<String> events = new CopyOnWriteArrayList<>();

        @Override
        public void onStart(CommandContext context) {
            started.add(context);
        }

        @Override
        public void onEvent(Event event, CommandContext context) {
            events.add(event.getName() + " " + event.getContextualName());
        }

        @Override
        public void onStop(CommandContext context) {
            stopped.add(context);
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof CommandContext;
        }

        private CommandContext only() {
            assertThat(started).hasSize(1);
            assertThat(stopped).containsExactlyElementsOf(started);
            return stopped.get(0);
        }
    }

    private final Told told = new Told();

    private ObservationRegistry registry() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(told);
        return registry;
    }

    private static Commands observed(ObservationRegistry registry) {
        return Commands.builder()
                .ticker(new ManualTicker())
                .observe(CommandObservations.in(registry))
                .build();
    }

    private static Call failing(Commands commands, CommandSpec<Call, String> spec, Exception failure) {
        return new Call(commands, spec, "1", () -> {
            throw failure;
        });
    }

    @Test
    void an_answer_of_another_source_is_no_error_and_the_events_say_what_went_wrong() {
        CommandSpec<Call, String> spec = Call.declared()
                .fallback(chain -> chain.spareCall("second", (call, context) -> null)
                        .template(StaticTemplate.of("last", "template")))
                .build();
        try (Commands commands = observed(registry())) {
            CommandResult<String> result =
                    failing(commands, spec, new IOException("down")).executeForResult();

            CommandContext context = told.only();
            assertThat(context.getName()).isEqualTo("degradable.command");
            assertThat(context.getContextualName()).isEqualTo("Call");
            assertThat(context.getLowCardinalityKeyValues())
                    .containsExactlyInAnyOrder(
                            KeyValue.of("command", "Call"),
                            KeyValue.of("group", "test"),
                            KeyValue.of("outcome", "degraded"),
                            KeyValue.of("source", "static"),
                            KeyValue.of("trigger", "failure"));
            assertThat(context.getHighCardinalityKeyValues())
                    .containsExactly(KeyValue.of("call.id", CallId.text(result.callId())));
            assertThat(context.getError()).isNull();
            assertThat(told.events)
                    .containsExactly(
                            "stage primary failed: exception",
                            "stage second missed: null answer",
                            "stage static answered");
        }
    }

    @Test
    void a_run_that_nobody_answered_has_the_failure_of_its_primary_as_error() {
        IOException down = new IOException("down");
        try (Commands commands = observed(registry())) {
            CommandSpec<Call, String> spec = Call.declared()
                    .fallback(chain -> chain.spareCall("second", (call, context) -> {
                        throw new IOException("down, too");
                    }))
                    .build();

            assertThatThrownBy(failing(commands, spec, down)::execute).isInstanceOf(CommandException.class);

            assertThat(told.only().getError()).isSameAs(down);
            assertThat(told.only().getLowCardinalityKeyValue("outcome")).isEqualTo(KeyValue.of("outcome", "failed"));
            assertThat(told.only().getLowCardinalityKeyValue("source")).isEqualTo(KeyValue.of("source", "none"));
        }
    }

    @Test
    void a_bad_request_is_an_error_of_its_run() {
        BadRequestException wrong = new BadRequestException("no such product");
        try (Commands commands = observed(registry())) {
            assertThatThrownBy(failing(commands, Call.declared().build(), wrong)::execute)
                    .isSameAs(wrong);

            assertThat(told.only().getError()).isSameAs(wrong);
            assertThat(told.only().getLowCardinalityKeyValue("outcome"))
                    .isEqualTo(KeyValue.of("outcome", "bad_request"));
        }
    }

    @Test
    void a_convention_of_ones_own_beats_the_global_one_which_beats_the_default() {
        ObservationRegistry registry = registry();
        CommandSpec<Call, String> spec = Call.declared().build();
        CommandConvention own = new CommandConvention() {
            @Override
            public KeyValues getLowCardinalityKeyValues(CommandContext context) {
                return super.getLowCardinalityKeyValues(context).and("team", "catalog");
            }
        };
        class Global extends CommandConvention implements GlobalObservationConvention<CommandContext> {
            @Override
            public String getContextualName(CommandContext context) {
                return "global " + context.command().name();
            }
        }
        registry.observationConfig().observationConvention(new Global());

        try (Commands commands = observed(registry);
                Commands others = Commands.builder()
                        .observe(CommandObservations.in(registry, own))
                        .build()) {
            new Call(commands, spec, "1", () -> "live").execute();
            new Call(others, spec, "1", () -> "live").execute();
        }

        assertThat(told.stopped)
                .extracting(
                        CommandContext::getContextualName, context -> context.getLowCardinalityKeyValue("team") != null)
                .containsExactly(tuple("global Call", false), tuple("Call", true));
    }

    @Test
    void a_registry_that_observes_nothing_or_not_this_costs_nothing() {
        ObservationRegistry choosy = registry();
        choosy.observationConfig().observationPredicate((name, context) -> !name.equals("degradable.command"));
        CommandKey key = new CommandKey("Call", "test");

        assertThat(CommandObservations.in(ObservationRegistry.NOOP).begins(key)).isNull();
        assertThat(CommandObservations.in(ObservationRegistry.create()).begins(key))
                .as("without a handler")
                .isNull();
        assertThat(CommandObservations.in(choosy).begins(key))
                .as("switched off by a predicate")
                .isNull();
        assertThat(CommandObservations.in(registry()).begins(key)).isNotNull();
    }

    @ParameterizedTest
    @EnumSource
    void the_validator_of_micrometer_finds_nothing_to_complain_of(EntryPoint entry) throws Exception {
        // Not asked is whether scopes are closed by the thread that opened them: it knows of one thread at a time.
        TestObservationRegistry registry = TestObservationRegistry.builder()
                .validateObservationsWithTheSameNameHavingTheSameSetOfLowCardinalityKeys(true)
                .validateScopesClosedInReverseOrderOfOpening(true)
                .build();
        registry.observationConfig().observationHandler(told);
        CommandSpec<Call, String> answered = Call.declared()
                .name("Answered")
                .fallback(chain -> chain.template(StaticTemplate.of("last", "template")))
                .build();
        CommandSpec<Call, String> onCaller =
                Call.declared().name("OnCaller").semaphore().build();
        Commands commands = Commands.builder()
                .ticker(new ManualTicker())
                .observe(CommandObservations.in(registry))
                .listener(event -> {})
                .build();
        try (commands) {
            assertThat(entry.run(failing(commands, answered, new IOException("down"))))
                    .isEqualTo("template");
            assertThat(entry.run(new Call(commands, answered, "1", () -> "live")))
                    .isEqualTo("live");
            assertThat(entry.run(new Call(commands, onCaller, "1", () -> "live")))
                    .isEqualTo("live");
            assertThatThrownBy(() -> entry.run(failing(commands, onCaller, new IOException("down"))))
                    .isInstanceOf(Exception.class);

            assertThat(registry.getCurrentObservationScope()).isNull();
        }

        assertThat(commands.listenerMistakes()).isZero();
        assertThat(told.started).hasSize(4);
        assertThat(told.stopped).containsExactlyElementsOf(told.started);
    }

    /** Throws at one moment. */
    private record Throwing(String moment) implements ObservationHandler<CommandContext> {

        private void failIf(String now) {
            if (moment.equals(now)) {
                throw new IllegalStateException("a mistake");
            }
        }

        @Override
        public void onStart(CommandContext context) {
            failIf("start");
        }

        @Override
        public void onError(CommandContext context) {
            failIf("error");
        }

        @Override
        public void onEvent(Event event, CommandContext context) {
            failIf("event");
        }

        @Override
        public void onScopeOpened(CommandContext context) {
            failIf("open");
        }

        @Override
        public void onScopeClosed(CommandContext context) {
            failIf("close");
        }

        @Override
        public void onStop(CommandContext context) {
            failIf("stop");
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof CommandContext;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"start", "error", "event", "open", "close", "stop"})
    void a_handler_that_throws_changes_no_call_and_leaves_nothing_on_a_thread(String moment) {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(told).observationHandler(new Throwing(moment));
        CommandObservations observations = CommandObservations.in(registry);
        AtomicBoolean followed = new AtomicBoolean(true);
        CommandSpec<Call, String> spec =
                Call.declared().threadPool(pool -> pool.named("one").size(1)).build();
        IOException down = new IOException("down");
        try (Commands commands = Commands.builder()
                .ticker(new ManualTicker())
                .observe(command -> followed.get() ? observations.begins(command) : null)
                .build()) {

            assertThatThrownBy(failing(commands, spec, down)::execute)
                    .isInstanceOf(CommandException.class)
                    .hasCause(down);

            assertThat(commands.listenerMistakes()).isPositive();
            assertThat(told.stopped).hasSize(moment.equals("stop") ? 0 : 1);
            assertThat(registry.getCurrentObservationScope()).isNull();
            followed.set(false);
            assertThat(new Call(commands, spec, "1", () -> "worker has " + registry.getCurrentObservationScope())
                            .execute())
                    .isEqualTo("worker has null");
        }
    }
}
