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
public final class CommandResult<R> {

    private final @Nullable R value;
    private final Source source;
    private final long ageNanos;
    private final Trigger trigger;
    private final @Nullable Throwable cause;
    private final List<StageReport> trail;
    private final long callId;
    private final long elapsedNanos;
    private final long fallbackNanos;
    private final Level level;
    private final boolean overrun;
    private final boolean outcomeUnknown;

    /** No age, for a template. */
    public static final long AGELESS = -1;

    /** Made by the library. */
    public CommandResult(
            @Nullable R value,
            Source source,
            long ageNanos,
            Trigger trigger,
            @Nullable Throwable cause,
            List<StageReport> trail,
            long callId,
            long elapsedNanos,
            long fallbackNanos,
            Level level,
            boolean overrun,
            boolean outcomeUnknown) {
        this.value = value;
        this.source = source;
        this.ageNanos = ageNanos;
        this.trigger = trigger;
        this.cause = cause;
        this.trail = trail;
        this.callId = callId;
        this.elapsedNanos = elapsedNanos;
        this.fallbackNanos = fallbackNanos;
        this.level = level;
        this.overrun = overrun;
        this.outcomeUnknown = outcomeUnknown;
    }

    /** The answer; null only when the body returned null and that is an answer there. */
    @SuppressWarnings("NullAway") // null comes out only where the user's own body put it in
    public R value() {
        return value;
    }

    public Source source() {
        return source;
    }

    /** Whether another source than the primary answered. */
    public boolean degraded() {
        return source != Source.PRIMARY;
    }

    /** Zero from the primary and a spare, the copy's age from the cache, empty for a template. */
    public Optional<Duration> age() {
        return ageNanos == AGELESS ? Optional.empty() : Optional.of(Duration.ofNanos(ageNanos));
    }

    /** Why the primary did not answer; {@link Trigger#NONE} when it did. */
    public Trigger trigger() {
        return trigger;
    }

    /** The primary's failure: what its body threw, or a stackless exception of ours; empty when it answered. */
    public Optional<Throwable> cause() {
        return Optional.ofNullable(cause);
    }

    /** What each stage did, the primary first. */
    public List<StageReport> trail() {
        return trail;
    }

    /** A random id of this run; {@link CallId#text} writes it as headers and logs do. */
    public long callId() {
        return callId;
    }

    /** From the start of the run to the answer. */
    public Duration elapsed() {
        return Duration.ofNanos(elapsedNanos);
    }

    /** From the end of the primary to the answer; zero when the primary answered. */
    public Duration fallbackElapsed() {
        return Duration.ofNanos(fallbackNanos);
    }

    /** The level the application was at. */
    public Level level() {
        return level;
    }

    /** Whether the answer came after its stage's limit, from a body that ran on the caller's own thread. */
    public boolean overrun() {
        return overrun;
    }

    /**
     * Whether this is the pending answer of a command that writes: its body may have done its work all the same. Ask again
     * by the same operation id.
     */
    public boolean outcomeUnknown() {
        return outcomeUnknown;
    }

    /** The provenance as HTTP headers, see {@link Headers}. */
    public Map<String, String> headers() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(Headers.SOURCE, source.tag());
        age().ifPresent(age -> headers.put(Headers.AGE, Long.toString(age.toSeconds())));
        if (degraded()) {
            headers.put(Headers.TRIGGER, trigger.tag());
            headers.put(
                    Headers.FALLBACK_ELAPSED, Long.toString(fallbackElapsed().toMillis()));
        }
        if (outcomeUnknown) {
            headers.put(Headers.OUTCOME_UNKNOWN, "true");
        }
        headers.put(Headers.CALL_ID, CallId.text(callId));
        return headers;
    }

    /** The provenance in one line, for a log: {@code from cache, 41 s old, after timeout, fallback 12 ms, call 00c0ffee...}. */
    public String provenance() {
        StringBuilder line = new StringBuilder("from ").append(source.tag());
        age().ifPresent(age -> line.append(", ").append(age.toSeconds()).append(" s old"));
        if (degraded()) {
            line.append(", after ").append(trigger.tag());
            line.append(", fallback ").append(fallbackElapsed().toMillis()).append(" ms");
            cause().ifPresent(failure -> line.append(", cause ").append(Texts.of(failure)));
        }
        if (outcomeUnknown) {
            line.append(", outcome unknown");
        }
        return line.append(", call ").append(CallId.text(callId)).toString();
    }

    @Override
    public String toString() {
        return "CommandResult[" + value + " " + provenance() + "]";
    }
}
