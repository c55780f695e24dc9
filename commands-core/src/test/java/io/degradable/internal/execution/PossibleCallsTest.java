package io.degradable.internal.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.model.CallOutcome;
import io.degradable.model.CommandKey;
import io.degradable.model.Criticality;
import io.degradable.model.Trigger;
import io.degradable.settings.BreakerSettings;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.CommandSettings;
import io.degradable.settings.Effect;
import io.degradable.settings.GuardSettings;
import io.degradable.settings.RetrySettings;
import io.degradable.state.CallKind;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The kinds of call that have meters from the start: what is not among them is counted by nobody who looks from outside. */
final class PossibleCallsTest {

    static Stream<Arguments> bulkheads() {
        return Stream.of(
                Arguments.of(new BulkheadSettings.ThreadPool("pool", 1, 0), Trigger.THREAD_POOL_REJECTED),
                Arguments.of(new BulkheadSettings.VirtualThreads(1), Trigger.THREAD_POOL_REJECTED),
                Arguments.of(new BulkheadSettings.Semaphore(1), Trigger.SEMAPHORE_REJECTED));
    }

    @ParameterizedTest
    @MethodSource("bulkheads")
    void the_refusal_of_a_full_bulkhead_is_possible_and_that_of_another_kind_is_not(
            BulkheadSettings bulkhead, Trigger refusal) {
        Duration second = Duration.ofSeconds(1);
        CommandSettings settings = new CommandSettings(
                new CommandKey("Call", "test"),
                Criticality.CORE,
                Effect.READ,
                new GuardSettings(bulkhead, second, true, second, BreakerSettings.DISABLED),
                RetrySettings.NONE,
                second,
                false,
                0,
                second,
                List.of(),
                null);

        assertThat(PossibleCalls.of(settings))
                .filteredOn(kind -> kind.outcome() == CallOutcome.REJECTED)
                .extracting(CallKind::trigger)
                .containsExactlyInAnyOrder(refusal, Trigger.TIMEOUT, Trigger.SHORT_CIRCUITED); // forced by hand
    }
}
