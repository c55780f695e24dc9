package io.degradable.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.model.FinishedCall.Ending;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The one function from a finished call to all that it counts. */
final class FinishedCallTest {

    @ParameterizedTest
    @CsvSource(nullValues = "none", textBlock = """
            trigger,              ending,      started, outcome,     source,  events
            NONE,                 PRIMARY,     true,    NORMAL,      PRIMARY, SUCCESS
            FAILURE,              SPARE,       true,    DEGRADED,    SPARE,   FAILURE FALLBACK_SUCCESS
            TIMEOUT,              CACHE,       true,    DEGRADED,    CACHE,   TIMEOUT FALLBACK_SUCCESS
            THREAD_POOL_REJECTED, CACHE,       false,   DEGRADED,    CACHE,   THREAD_POOL_REJECTED FALLBACK_SUCCESS
            SHORT_CIRCUITED,      STATIC,      false,   DEGRADED,    STATIC,  SHORT_CIRCUITED FALLBACK_SUCCESS
            SWITCH,               STATIC,      false,   DEGRADED,    STATIC,  SWITCH FALLBACK_SUCCESS
            FAILURE,              MISSING,     true,    FAILED,      none,    FAILURE FALLBACK_MISSING
            SEMAPHORE_REJECTED,   MISSING,     false,   REJECTED,    none,    SEMAPHORE_REJECTED FALLBACK_MISSING
            FAILURE,              REJECTION,   true,    FAILED,      none,    FAILURE FALLBACK_REJECTION
            TIMEOUT,              FAILURE,     true,    FAILED,      none,    TIMEOUT FALLBACK_FAILURE
            TIMEOUT,              FAILURE,     false,   REJECTED,    none,    TIMEOUT FALLBACK_FAILURE
            OVERLOADED,           FAILURE,     true,    FAILED,      none,    OVERLOADED FALLBACK_FAILURE
            FAILURE,              THROWN,      true,    FAILED,      none,    FAILURE
            NONE,                 BAD_REQUEST, true,    BAD_REQUEST, none,    BAD_REQUEST
            FAILURE,              BAD_REQUEST, true,    BAD_REQUEST, none,    FAILURE BAD_REQUEST
            NONE,                 CANCELLED,   true,    CANCELLED,   none,    CANCELLED
            TIMEOUT,              CANCELLED,   true,    CANCELLED,   none,    TIMEOUT CANCELLED
            """, useHeadersInDisplayName = true)
    void a_finished_call_counts_as(
            Trigger trigger, Ending ending, boolean started, CallOutcome outcome, Source source, String events) {
        FinishedCall call = new FinishedCall(trigger, ending, started);

        assertThat(call.outcome()).isEqualTo(outcome);
        assertThat(call.source()).isEqualTo(source);
        assertThat(call.events().stream().map(EventType::name).collect(Collectors.joining(" ")))
                .isEqualTo(events);
    }

    static List<FinishedCall> all() {
        List<FinishedCall> calls = new ArrayList<>();
        for (Trigger trigger : Trigger.values()) {
            for (Ending ending : Ending.values()) {
                calls.add(new FinishedCall(trigger, ending, true));
                calls.add(new FinishedCall(trigger, ending, false));
            }
        }
        return calls;
    }

    @ParameterizedTest
    @MethodSource("all")
    void only_normal_and_degraded_calls_have_a_source(FinishedCall call) { // invariant 1
        boolean answered = call.outcome() == CallOutcome.NORMAL || call.outcome() == CallOutcome.DEGRADED;

        assertThat(call.source() != null).isEqualTo(answered);
    }

    @ParameterizedTest
    @MethodSource("all")
    void a_call_moves_at_most_one_fallback_event_and_one_event_of_its_trigger(FinishedCall call) { // H9
        Set<String> names = call.events().stream().map(EventType::name).collect(Collectors.toSet());

        assertThat(names.stream().filter(name -> name.startsWith("FALLBACK_")).count())
                .isLessThanOrEqualTo(1);
        for (Trigger trigger : Trigger.values()) {
            assertThat(names.contains(trigger.name())).isEqualTo(trigger == call.trigger() && trigger != Trigger.NONE);
        }
    }
}
