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

    /** No age, for a template. */
    public static final long AGELESS = -1;

    private static final String PRIMARY = "primary";

    private final @Nullable R value;
    private final Source source;

    /** Null when the primary answered at once: then there is nothing to tell. */
    private final @Nullable Detour detour;

    private final long callId;
    private final long elapsedNanos;
    private final Level level;
    private final boolean overrun;

    /**
     * Made by the library.
     *
     * @param detour null when the primary answered, and all of the run was one attempt of it
     */
    public CommandResult(
            @Nullable R value,
            Source source,
            @Nullable Detour detour,
            long callId,
            long elapsedNanos,
            Level level,
            boolean overrun) {
        this.value = value;
        this.source = source;
        this.detour = detour;
        this.callId = callId;
        this.elapsedNanos = elapsedNanos;
        this.level = level;
        this.overrun = overrun;
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
        long ageNanos = detour == null ? 0 : detour.ageNanos();
        return ageNanos == AGELESS ? Optional.empty() : Optional.of(Duration.ofNanos(ageNanos));
    }

    /** Why the primary did not answer; {@link Trigger#NONE} when it did. */
    public Trigger trigger() {
        return detour == null ? Trigger.NONE : detour.trigger();
    }

    /** The primary's failure: what its body threw, or a stackless exception of ours; empty when it answered. */
    public Optional<Throwable> cause() {
        return detour == null ? Optional.empty() : Optional.ofNullable(detour.cause());
    }

    /** What each stage did, the primary first. */
    public List<StageReport> trail() {
        return detour == null
                ? List.of(new StageReport(PRIMARY, Source.PRIMARY, StageReason.ANSWER, elapsed(), null))
                : detour.trail();
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
        return detour == null ? Duration.ZERO : Duration.ofNanos(detour.fallbackNanos());
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
        return detour != null && detour.outcomeUnknown();
    }

    /** The provenance as HTTP headers, see {@link Headers}. */
    public Map<String, String> headers() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(Headers.SOURCE, source.tag());
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

    /** The provenance in one line, for a log: {@code from cache, 41 s old, after timeout, fallback 12 ms, call 00c0ffee...}. */
    public String provenance() {
        StringBuilder line = new StringBuilder("from ").append(source.tag());
        age().ifPresent(age -> line.append(", ").append(age.toSeconds()).append(" s old"));
        if (degraded()) {
            line.append(", after ").append(trigger().tag());
            line.append(", fallback ").append(fallbackElapsed().toMillis()).append(" ms");
            cause().ifPresent(failure -> line.append(", cause ").append(Texts.of(failure)));
        }
        if (outcomeUnknown()) {
            line.append(", outcome unknown");
        }
        return line.append(", call ").append(CallId.text(callId)).toString();
    }

    @Override
    public String toString() {
        return "CommandResult[" + value + " " + provenance() + "]";
    }
}
