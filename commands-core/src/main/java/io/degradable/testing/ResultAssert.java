package io.degradable.testing;

import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.model.StageReport;
import io.degradable.model.Trigger;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import javax.annotation.Nullable;

/**
 * Assertions on a result. Each throws an {@link AssertionError} whose message shows the whole trail.
 *
 * <pre>{@code
 * assertThatResult(result)
 *         .isFrom(Source.CACHE)
 *         .wasTriggeredBy(Trigger.TIMEOUT)
 *         .isNotOlderThan(Duration.ofMinutes(5))
 *         .hasTrail("primary: timed out", "spare: skipped (unhealthy)", "cache: answered");
 * }</pre>
 *
 * @param <R> the type of the answer
 */
public final class ResultAssert<R> {

    private final CommandResult<R> result;

    private ResultAssert(CommandResult<R> result) {
        this.result = result;
    }

    /** Begins assertions on a result. */
    public static <R> ResultAssert<R> assertThatResult(CommandResult<R> result) {
        return new ResultAssert<>(Objects.requireNonNull(result, "result must not be null"));
    }

    /** The answer is equal to this; null is one, too. */
    public ResultAssert<R> hasValue(@Nullable R expected) {
        return check(Objects.equals(result.value(), expected), "the value " + expected, "was " + result.value());
    }

    /** Who answered. */
    public ResultAssert<R> isFrom(Source expected) {
        return check(result.source() == expected, "an answer from " + expected, "was from " + result.source());
    }

    /** Why the primary did not answer; {@link Trigger#NONE} when it did. */
    public ResultAssert<R> wasTriggeredBy(Trigger expected) {
        return check(result.trigger() == expected, "the trigger " + expected, "was " + result.trigger());
    }

    /** The answer has an age, and it is at most this. A template's answer has none. */
    public ResultAssert<R> isNotOlderThan(Duration limit) {
        Optional<Duration> age = result.age();
        return check(
                age.isPresent() && age.get().compareTo(limit) <= 0,
                "an answer not older than " + limit,
                age.isPresent() ? "was " + age.get() + " old" : "it has no age");
    }

    /**
     * What each stage did, in order and all of them: {@code "<stage>: <outcome>"} or
     * {@code "<stage>: <outcome> (<reason>)"}, for instance {@code "cache: missed"} or {@code "cache: missed (too old)"}.
     */
    public ResultAssert<R> hasTrail(String... expected) {
        List<StageReport> trail = result.trail();
        return check(Trails.match(trail, expected), "the trail " + List.of(expected), "was " + Trails.words(trail));
    }

    private ResultAssert<R> check(boolean holds, String expected, String found) {
        if (!holds) {
            AssertionError error = new AssertionError(
                    "expected " + expected + ", " + found + "\n" + result.provenance() + Trails.lines(result.trail()));
            result.cause().ifPresent(error::initCause);
            throw error;
        }
        return this;
    }
}
