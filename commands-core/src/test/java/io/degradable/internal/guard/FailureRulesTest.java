package io.degradable.internal.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.degradable.model.BadRequestException;
import io.degradable.model.CallOutcome;
import io.degradable.model.CommandException;
import io.degradable.model.CommandKey;
import io.degradable.model.FinishedCall;
import io.degradable.model.FinishedCall.Ending;
import io.degradable.model.Level;
import io.degradable.model.StageReason;
import io.degradable.model.Trigger;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class FailureRulesTest {

    private static final Predicate<Throwable> NONE = FailureRulesTest::none;
    private static final Predicate<Throwable> ALL = Throwable.class::isInstance;
    private static final Predicate<Throwable> IO = IOException.class::isInstance;
    private static final Predicate<Throwable> MISTAKEN = FailureRulesTest::mistaken;

    private final AtomicInteger mistakes = new AtomicInteger();

    private static boolean none(Throwable failure) {
        return false;
    }

    private static boolean mistaken(Throwable failure) {
        throw new IllegalStateException("a mistake in the rule for " + failure);
    }

    private static CommandException nested(CallOutcome outcome, Trigger trigger, Ending ending, boolean started) {
        FinishedCall call = new FinishedCall(trigger, ending, started);
        assertThat(call.outcome()).isEqualTo(outcome);
        return new CommandException(
                new CommandKey("inner", "group"),
                call,
                List.of(),
                1,
                Level.NORMAL,
                false,
                null,
                new IOException("inner"));
    }

    private static CommandException refusedNested() {
        return nested(CallOutcome.REJECTED, Trigger.SHORT_CIRCUITED, Ending.MISSING, false);
    }

    private StageReason classify(FailureRules rules, Throwable failure) {
        return rules.classify(failure, mistakes::incrementAndGet);
    }

    static Stream<Arguments> byDefault() {
        return Stream.of(
                arguments(new IOException(), StageReason.EXCEPTION),
                arguments(new RuntimeException(), StageReason.EXCEPTION),
                arguments(new TimeoutException(), StageReason.EXCEPTION),
                arguments(new InterruptedException(), StageReason.EXCEPTION), // nobody interrupted its body
                arguments(new Throwable("neither"), StageReason.EXCEPTION),
                arguments(new BadRequestException("no such id"), StageReason.BAD_REQUEST),
                arguments(new BadRequestException("no such id") {}, StageReason.BAD_REQUEST),
                arguments(new RuntimeException(new BadRequestException("wrapped")), StageReason.EXCEPTION),
                arguments(new OutOfMemoryError(), StageReason.FATAL),
                arguments(new StackOverflowError(), StageReason.FATAL),
                arguments(new AssertionError(), StageReason.FATAL),
                arguments(refusedNested(), StageReason.OVERLOADED),
                arguments(nested(CallOutcome.FAILED, Trigger.FAILURE, Ending.FAILURE, true), StageReason.EXCEPTION));
    }

    @ParameterizedTest
    @MethodSource("byDefault")
    void a_command_that_says_nothing_has_these_classes(Throwable failure, StageReason reason) {
        assertThat(classify(FailureRules.DEFAULT, failure)).isEqualTo(reason);
        assertThat(mistakes).hasValue(0);
    }

    static Stream<Arguments> byRule() {
        IOException failure = new IOException("down");
        Throwable other = new RuntimeException("other");
        Error error = new LinkageError();
        BadRequestException badRequest = new BadRequestException("no such id");
        return Stream.of(
                // each rule alone
                arguments(new FailureRules(IO, NONE, NONE, null), failure, StageReason.BAD_REQUEST),
                arguments(new FailureRules(IO, NONE, NONE, null), other, StageReason.EXCEPTION),
                arguments(new FailureRules(NONE, IO, NONE, null), failure, StageReason.FATAL),
                arguments(new FailureRules(NONE, IO, NONE, null), other, StageReason.EXCEPTION),
                arguments(new FailureRules(NONE, NONE, IO, null), failure, StageReason.OVERLOADED),
                arguments(new FailureRules(NONE, NONE, IO, null), other, StageReason.EXCEPTION),
                arguments(new FailureRules(NONE, NONE, NONE, IO), failure, StageReason.EXCEPTION),
                arguments(new FailureRules(NONE, NONE, NONE, IO), other, StageReason.UNCLASSED),
                // ignored, fatal, overloaded, fallbackOn, in this order
                arguments(new FailureRules(IO, IO, IO, NONE), failure, StageReason.BAD_REQUEST),
                arguments(new FailureRules(NONE, IO, IO, NONE), failure, StageReason.FATAL),
                arguments(new FailureRules(NONE, NONE, IO, NONE), failure, StageReason.OVERLOADED),
                arguments(new FailureRules(NONE, NONE, NONE, NONE), failure, StageReason.UNCLASSED),
                // against the defaults
                arguments(new FailureRules(ALL, NONE, NONE, null), error, StageReason.BAD_REQUEST),
                arguments(new FailureRules(NONE, NONE, ALL, ALL), error, StageReason.FATAL),
                arguments(new FailureRules(NONE, ALL, ALL, NONE), badRequest, StageReason.BAD_REQUEST),
                arguments(new FailureRules(NONE, NONE, NONE, NONE), refusedNested(), StageReason.OVERLOADED),
                arguments(new FailureRules(NONE, ALL, NONE, null), refusedNested(), StageReason.FATAL));
    }

    @ParameterizedTest
    @MethodSource("byRule")
    void a_rule_of_the_command_decides_in_its_order(FailureRules rules, Throwable failure, StageReason reason) {
        assertThat(classify(rules, failure)).isEqualTo(reason);
        assertThat(mistakes).hasValue(0);
    }

    static Stream<Arguments> mistaken() {
        return Stream.of(
                arguments(new FailureRules(MISTAKEN, NONE, NONE, null), StageReason.BAD_REQUEST),
                arguments(new FailureRules(NONE, MISTAKEN, NONE, null), StageReason.FATAL),
                arguments(new FailureRules(NONE, NONE, MISTAKEN, null), StageReason.OVERLOADED),
                arguments(new FailureRules(NONE, NONE, NONE, MISTAKEN), StageReason.EXCEPTION));
    }

    @ParameterizedTest
    @MethodSource("mistaken")
    void a_rule_that_throws_matches_and_is_counted_once(FailureRules rules, StageReason reason) {
        assertThat(classify(rules, new IOException("down"))).isEqualTo(reason);

        assertThat(mistakes).hasValue(1);
    }

    @Test
    void a_rule_that_throws_an_error_matches_too() {
        FailureRules rules = new FailureRules(
                failure -> {
                    throw new StackOverflowError();
                },
                NONE,
                NONE,
                null);

        assertThat(classify(rules, new IOException("down"))).isEqualTo(StageReason.BAD_REQUEST);
        assertThat(mistakes).hasValue(1);
    }
}
