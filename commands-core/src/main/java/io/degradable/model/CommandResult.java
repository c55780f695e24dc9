package io.degradable.model;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.annotation.Nullable;

/**
 * An answer with its provenance: who gave it, how old it is, why the primary did not, and how long that took. It always
 * has an answer; a call without one throws.
 *
 * <p>Threading: immutable.
 *
 * @param <R> the type of the answer
 */
public abstract class CommandResult<R> {

    /** No age, for a template. */
    public static final long AGELESS = -1;

    private final @Nullable R value;
    private final long callId;
    private final long elapsedNanos;

    /** Made by the library. */
    protected CommandResult(@Nullable R value, long callId, long elapsedNanos) {
        this.value = value;
        this.callId = callId;
        this.elapsedNanos = elapsedNanos;
    }

    /** The answer; null only when the body returned null and that is an answer there. */
    @SuppressWarnings("NullAway") // null comes out only where the user's own body put it in
    public final R value() {
        return value;
    }

    public abstract Source source();

    /** Whether another source than the primary answered. */
    public final boolean degraded() {
        return source() != Source.PRIMARY;
    }

    /** Zero from the primary and a spare, the copy's age from the cache, empty for a template. */
    public final Optional<Duration> age() {
        return ageNanos() == AGELESS ? Optional.empty() : Optional.of(Duration.ofNanos(ageNanos()));
    }

    /** The age in nanoseconds, or {@link #AGELESS}. */
    protected abstract long ageNanos();

    /** Why the primary did not answer; {@link Trigger#NONE} when it did. */
    public abstract Trigger trigger();

    /** The primary's failure: what its body threw, or a stackless exception of ours; empty when it answered. */
    public abstract Optional<Throwable> cause();

    /** What each stage did, the primary first. */
    public abstract List<StageReport> trail();

    /** A random id of this run; {@link CallId#text} writes it as headers and logs do. */
    public final long callId() {
        return callId;
    }

    /** From the start of the run to the answer. */
    public final Duration elapsed() {
        return Duration.ofNanos(elapsedNanos);
    }

    /** The same in nanoseconds. */
    protected final long elapsedNanos() {
        return elapsedNanos;
    }

    /** From the end of the primary to the answer; zero when the primary answered. */
    public abstract Duration fallbackElapsed();

    /** The level the application was at. */
    public abstract Level level();

    /** Whether the answer came after its stage's limit, from a body that ran on the caller's own thread. */
    public abstract boolean overrun();

    /**
     * Whether this is the pending answer of a command that writes: its body may have done its work all the same. Ask again
     * by the same operation id.
     */
    public abstract boolean outcomeUnknown();

    /** The provenance as HTTP headers, see {@link Headers}. */
    public final Map<String, String> headers() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(Headers.SOURCE, source().tag());
        age().ifPresent(age -> headers.put(Headers.AGE, Long.toString(age.toSeconds())));
        if (degraded()) {
            headers.put(Headers.TRIGGER, trigger().tag());
            headers.put(
                    Headers.FALLBACK_ELAPSED, Long.toString(fallbackElapsed().toMillis()));
        }
        if (outcomeUnknown()) {
            headers.put(Headers.OUTCOME_UNKNOWN, "true");
        }
        headers.put(Headers.CALL_ID, CallId.text(callId));
        return headers;
    }

    /** The provenance in one line, for a log: {@code from cache, 41 s old, after timeout, fallback 12 ms, cause ..., call 00c0ffee...}. */
    public final String provenance() {
        StringBuilder line = new StringBuilder("from ").append(source().tag());
        age().ifPresent(age -> line.append(", ").append(age.toSeconds()).append(" s old"));
        if (degraded()) {
            line.append(", after ").append(trigger().tag());
            line.append(", fallback ").append(fallbackElapsed().toMillis()).append(" ms");
            cause().ifPresent(failure -> line.append(", cause ").append(Texts.of(failure)));
        }
        if (overrun()) {
            line.append(", after its time limit");
        }
        if (outcomeUnknown()) {
            line.append(", outcome unknown");
        }
        return line.append(", call ").append(CallId.text(callId)).toString();
    }

    @Override
    public final String toString() {
        return "CommandResult[" + value + " " + provenance() + "]";
    }
}
