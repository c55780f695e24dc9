package io.degradable.internal.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.internal.guard.CallState.Event;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The table that both drivers, the timer, the canceller and the worker execute, as the pure function it is. */
final class CallStateTest {

    private static final Set<CallState> FINAL = EnumSet.of(CallState.DONE, CallState.ABANDONED, CallState.OVER);

    /** A line for each state, a column for each event in the order of the enum; where nothing stands, nothing moves. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            # state      | TAKEN   | BODY_ENDED | QUEUE_TIMED_OUT | TIMED_OUT | OUT_OF_BUDGET | CANCELLED | BEGINS       | DELIVERED
            QUEUED       | RUNNING | -          | ABANDONED       | ABANDONED | ABANDONED     | ABANDONED | -            | -
            RUNNING      | -       | DONE       | -               | LEFT      | LEFT          | LEFT      | -            | -
            DONE         | -       | -          | -               | -         | -             | -         | -            | -
            ABANDONED    | -       | -          | -               | -         | -             | -         | -            | -
            LEFT         | -       | OVER       | -               | -         | -             | -         | INTERRUPTING | -
            INTERRUPTING | -       | -          | -               | -         | -             | -         | -            | OVER
            OVER         | -       | -          | -               | -         | -             | -         | -            | -
            """)
    void every_pair_of_state_and_event_is_decided(
            CallState state,
            CallState taken,
            CallState bodyEnded,
            CallState queueTimedOut,
            CallState timedOut,
            CallState outOfBudget,
            CallState cancelled,
            CallState interruptBegins,
            CallState interruptDelivered) {
        List<CallState> expected = new ArrayList<>();
        for (CallState next : Arrays.asList(
                taken,
                bodyEnded,
                queueTimedOut,
                timedOut,
                outOfBudget,
                cancelled,
                interruptBegins,
                interruptDelivered)) {
            expected.add(next == null ? state : next);
        }

        assertThat(Event.values()).extracting(state::after).containsExactlyElementsOf(expected);
    }

    @ParameterizedTest
    @EnumSource
    void an_event_that_led_somewhere_leads_nowhere_a_second_time(CallState state) {
        for (Event event : Event.values()) {
            CallState next = state.after(event);

            assertThat(next.after(event)).as("%s twice", event).isSameAs(next);
        }
    }

    @Test
    void whatever_comes_in_whatever_order_every_call_ends_in_a_final_state_and_stays_there() {
        Set<CallState> reached = EnumSet.noneOf(CallState.class);

        follow(CallState.QUEUED, 0, reached);

        assertThat(reached).as("no state is there in vain").containsExactlyInAnyOrder(CallState.values());
    }

    /** Goes every way that events can lead from here. */
    private static void follow(CallState state, int moves, Set<CallState> reached) {
        assertThat(moves).as("moves to %s: there is no way back", state).isLessThanOrEqualTo(4);
        reached.add(state);
        int ways = 0;
        for (Event event : Event.values()) {
            CallState next = state.after(event);
            if (next != state) {
                ways++;
                follow(next, moves + 1, reached);
            }
        }
        assertThat(ways == 0).as("%s is final", state).isEqualTo(FINAL.contains(state));
    }
}
