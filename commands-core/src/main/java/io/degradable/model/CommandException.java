package io.degradable.model;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/**
 * A call that ended without an answer. Its cause is the primary's own failure, never null: what the body threw, or a
 * stackless {@link NoAnswerException} or {@link StageTimeoutException}. The failures and
 * timeouts of later stages are suppressed exceptions, in order. A rejected call's exception carries no stack trace.
 *
 * <p>It also carries a checked exception that {@code execute()} must pass on but cannot declare.
 */
public sealed class CommandException extends RuntimeException permits TemporaryRefusalException {

    private static final long serialVersionUID = 1;

    private final CommandKey key;
    private final FinishedCall call;

    @SuppressWarnings("serial") // List.copyOf is
    private final List<StageReport> trail;

    private final long callId;
    private final Level level;
    private final boolean outcomeUnknown;
    private final @Nullable Duration retryAfter;

    /** Made by the library. */
    @SuppressWarnings("this-escape") // addSuppressed is final
    public CommandException(
            CommandKey key,
            FinishedCall call,
            List<StageReport> trail,
            long callId,
            Level level,
            boolean outcomeUnknown,
            @Nullable Duration retryAfter,
            Throwable cause) {
        super(message(key, call, trail, callId), cause, true, call.outcome() != CallOutcome.REJECTED);
        this.key = key;
        this.call = call;
        this.trail = List.copyOf(trail);
        this.callId = callId;
        this.level = level;
        this.outcomeUnknown = outcomeUnknown;
        this.retryAfter = retryAfter;
        for (StageReport report : trail) {
            Throwable later = report.cause();
            if (later != null && later != cause) {
                addSuppressed(later);
            }
        }
    }

    private static String message(CommandKey key, FinishedCall call, List<StageReport> trail, long callId) {
        return key.name() + " " + call.outcome().tag() + " [call " + CallId.text(callId) + "]: "
                + trail.stream().map(StageReport::toString).collect(Collectors.joining("; "));
    }

    public CommandKey key() {
        return key;
    }

    /** {@link CallOutcome#FAILED}, {@link CallOutcome#REJECTED}, or how else the call ended. */
    public CallOutcome outcome() {
        return call.outcome();
    }

    /** Why the primary did not answer. */
    public Trigger trigger() {
        return call.trigger();
    }

    /** What each stage did, the primary first. */
    public List<StageReport> trail() {
        return trail;
    }

    public long callId() {
        return callId;
    }

    public Level level() {
        return level;
    }

    /**
     * Whether a command that writes may have done its work all the same: its body had started, and nobody waited for its
     * end. Ask again by the operation's id, or find out by other means, before doing it anew.
     */
    public boolean outcomeUnknown() {
        return outcomeUnknown;
    }

    /** When it is worth to ask again, if that is known: an open breaker knows when it lets a probe through. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }

    /** The status of an HTTP answer that says so: 503, Service Unavailable (RFC 9110, section 15.6.4). */
    public int httpStatus() {
        return 503;
    }

    /**
     * The status for a gateway or proxy, whose command is the request to the server behind it: 504, Gateway Timeout, when
     * that did not answer in time (RFC 9110, section 15.6.5), else 503. Nobody else may say 504.
     */
    public int gatewayHttpStatus() {
        return trigger() == Trigger.TIMEOUT ? 504 : 503;
    }

    /** The headers of an answer that says so: {@code X-Data-Source: none}, why, and {@code Retry-After} when it is known. */
    public Map<String, String> headers() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(Headers.SOURCE, Source.tagOf(null));
        if (trigger() != Trigger.NONE) {
            headers.put(Headers.TRIGGER, trigger().tag());
        }
        if (outcomeUnknown) {
            headers.put(Headers.OUTCOME_UNKNOWN, "true");
        }
        headers.put(Headers.CALL_ID, CallId.text(callId));
        retryAfter().ifPresent(span -> headers.put(Headers.RETRY_AFTER, Long.toString(wholeSeconds(span))));
        return headers;
    }

    /** Rounded up: who comes a little early comes in vain. */
    private static long wholeSeconds(Duration span) {
        return Math.max(1, span.plusNanos(999_999_999).toSeconds());
    }

    /** The primary's own failure; never null. */
    @Override
    public synchronized Throwable getCause() {
        return Objects.requireNonNull(super.getCause());
    }
}
