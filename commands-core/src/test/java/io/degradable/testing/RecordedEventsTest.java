package io.degradable.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.CallableCommand;
import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.event.CommandEvent.CallEnded;
import io.degradable.event.CommandEvent.CircuitChanged;
import io.degradable.event.CommandEvent.StageEnded;
import io.degradable.model.CallId;
import io.degradable.model.CircuitState;
import io.degradable.model.EventType;
import io.degradable.model.Source;
import io.degradable.template.StaticTemplate;
import java.io.IOException;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each assertion holds for what was heard, and says what was heard instead, all of it, for what was not. */
@Timeout(30)
final class RecordedEventsTest {

    private static final CommandSpec<CallableCommand<String>, String> SPEC = CommandSpec.<String>callable("call")
            .group("test")
            .semaphore()
            .circuitBreaker(breaker -> breaker.requestVolumeThreshold(3))
            .fallback(chain -> chain.template(StaticTemplate.of("last", "template")))
            .build();
    private static final CommandSpec<CallableCommand<String>, String> OTHER =
            CommandSpec.<String>callable("other").group("test").semaphore().build();

    private final RecordedEvents recorded = new RecordedEvents();
    private final Commands commands = Commands.builder()
            .ticker(new ManualTicker())
            .inlineListener(recorded)
            .build();
    private final IOException down = new IOException("down");

    @AfterEach
    void close() {
        commands.close();
    }

    /** One call that is answered, two that fail into the template and open the circuit, one that it refuses. */
    private void fourCalls() {
        commands.call(SPEC, () -> "live");
        for (int call = 0; call < 3; call++) {
            commands.call(SPEC, () -> {
                throw down;
            });
        }
    }

    @Test
    void what_was_heard_is_kept_in_order_and_can_be_asserted_on() {
        fourCalls();

        recorded.assertThat("call")
                .moved(EventType.SUCCESS, 1)
                .moved(EventType.FAILURE, 2)
                .moved(EventType.SHORT_CIRCUITED, 1)
                .moved(EventType.FALLBACK_SUCCESS, 3)
                .moved(EventType.TIMEOUT, 0)
                .wasAnsweredBy(Source.PRIMARY, 1)
                .wasAnsweredBy(Source.STATIC, 3)
                .wasAnsweredBy(null, 0)
                .hasTrail("primary: refused (short circuited)", "static: answered")
                .hasChanged(CircuitState.CLOSED, CircuitState.OPEN)
                .hasChanged("primary", CircuitState.CLOSED, CircuitState.OPEN);
        assertThat(recorded.all())
                .extracting(event -> (Object) event.getClass())
                .startsWith(
                        StageEnded.class,
                        CallEnded.class,
                        StageEnded.class,
                        StageEnded.class,
                        CallEnded.class,
                        CircuitChanged.class,
                        StageEnded.class)
                .hasSize(12);
        assertThat(recorded.all(CallEnded.class))
                .extracting(CallEnded::source)
                .containsExactly(Source.PRIMARY, Source.STATIC, Source.STATIC, Source.STATIC);

        recorded.clear();

        assertThat(recorded.all()).isEmpty();
    }

    @Test
    void a_call_that_nobody_answered_counts_as_such_and_commands_do_not_mix() {
        fourCalls();
        assertThatThrownBy(() -> commands.call(OTHER, () -> {
                    throw down;
                }))
                .hasCause(down);

        recorded.assertThat("other")
                .wasAnsweredBy(null, 1)
                .moved(EventType.FAILURE, 1)
                .moved(EventType.FALLBACK_MISSING, 1)
                .hasTrail("primary: failed (exception)");
        recorded.assertThat("call").wasAnsweredBy(null, 0).moved(EventType.FAILURE, 2);
    }

    @Test
    void what_does_not_hold_shows_all_that_was_heard() {
        commands.call(SPEC, () -> {
            throw down;
        });
        commands.circuit("call").forceOpen("ann");
        commands.call(OTHER, () -> "live");

        List<CallEnded> calls = recorded.all(CallEnded.class);
        assertThatThrownBy(() -> recorded.assertThat("call").moved(EventType.FALLBACK_SUCCESS, 2))
                .isInstanceOf(AssertionError.class)
                .hasMessage("expected FALLBACK_SUCCESS moved by 2 calls of call, was moved by 1 of 1"
                        + "\nheard, in order:"
                        + "\n    call: primary failed: exception after 0 ms (java.io.IOException: down)"
                        + "\n    call: static answered after 0 ms"
                        + "\n    call: degraded, from static, moved [FAILURE, FALLBACK_SUCCESS], call "
                        + CallId.text(calls.get(0).callId())
                        + "\n    call: circuit of primary from CLOSED to FORCED_OPEN: forced by ann"
                        + "\n    other: primary answered after 0 ms"
                        + "\n    other: normal, from primary, moved [SUCCESS], call "
                        + CallId.text(calls.get(1).callId()))
                .hasCause(down);
        assertFails(
                () -> recorded.assertThat("call").wasAnsweredBy(Source.CACHE, 1),
                "expected 1 call of call answered by cache, were 0 of 1");
        assertFails(
                () -> recorded.assertThat("call").hasTrail("primary: failed"),
                "expected the last call of call with the trail [primary: failed],"
                        + " was [primary: failed (exception), static: answered (answer)]");
        assertFails(
                () -> recorded.assertThat("call").hasChanged(CircuitState.CLOSED, CircuitState.OPEN),
                "expected circuit call/primary from CLOSED to OPEN, moves are [CLOSED to FORCED_OPEN]");
        assertFails(
                () -> recorded.assertThat("call").hasChanged("static", CircuitState.CLOSED, CircuitState.FORCED_OPEN),
                "expected circuit call/static from CLOSED to FORCED_OPEN, moves are []");
    }

    private static void assertFails(ThrowingCallable assertion, String message) {
        assertThatThrownBy(assertion)
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith(message + "\nheard, in order:\n    call: primary ");
    }

    @Test
    void a_template_that_was_swapped_or_refused_is_heard_of() {
        StaticTemplate<String> last = StaticTemplate.of("last", "template");
        commands.register(SPEC);
        commands.templates().replace(last, "2", "second");
        assertThatThrownBy(() -> commands.templates().replace(last, "2", "third"))
                .isInstanceOf(IllegalArgumentException.class);

        recorded.assertThat("call").hasTaken("last", "2");
        assertThatThrownBy(() -> recorded.assertThat("call").hasTaken("last", "3"))
                .isInstanceOf(AssertionError.class)
                .hasMessage("expected template last to take version 3, it took [2]"
                        + "\nheard, in order:"
                        + "\n    call: template last from built-in to 2"
                        + "\n    call: template last stays at 2: version 2 of template last has another content now:"
                        + " what is changed takes a new version");
    }

    @Test
    void a_command_of_which_nothing_was_heard_is_not_one_that_did_nothing() {
        assertThatThrownBy(() -> recorded.assertThat("call"))
                .isInstanceOf(AssertionError.class)
                .hasMessage("expected events of call, there are none\nheard, in order: nothing");

        fourCalls();

        assertFails(() -> recorded.assertThat("cal"), "expected events of cal, there are none");
    }

    @SuppressWarnings("NullAway")
    @Test
    void null_is_refused_by_name() {
        fourCalls();

        assertThatThrownBy(() -> recorded.assertThat(null)).hasMessage("command must not be null");
        assertThatThrownBy(() -> recorded.all(null)).hasMessage("type must not be null");
        assertThatThrownBy(() -> recorded.assertThat("call").moved(null, 0)).hasMessage("type must not be null");
    }

    @Test
    void what_threads_tell_at_once_is_all_recorded() throws Exception {
        commands.call(OTHER, () -> "live");
        CallEnded call = recorded.all(CallEnded.class).get(0);
        int rounds = 50_000;
        RecordedEvents shared = new RecordedEvents();
        try (Race race = new Race(2)) {
            race.round(side -> {
                for (int round = 0; round < rounds; round++) {
                    shared.on(call);
                }
                return side;
            });
        }

        shared.assertThat("other").wasAnsweredBy(Source.PRIMARY, 2 * rounds);
    }
}
