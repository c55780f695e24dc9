package io.degradable.event;

import io.degradable.model.CallId;
import io.degradable.model.CircuitState;
import io.degradable.model.Source;
import io.degradable.model.Trigger;
import java.time.Duration;
import java.util.Locale;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a line for each call that its primary did not answer, one for each move of a breaker,
 * one a second while a budget of retries is used up, and one for each new version of a template, taken or refused:
 *
 * <pre>
 *   call GetProduct outcome=degraded source=cache trigger=timeout age=41000ms fallback=12ms id=00c0ffee00c0ffee cause=...
 *   retries GetProduct budget=exhausted denied=7
 *   circuit GetProduct/primary from=closed to=open by=measurement why=11 of 20 calls failed or slow ...
 *   template unknown-product from=built-in to=2026-11-30 loaded=file templates/unknown-product.json
 *   template unknown-product stays=2026-11-30 refused=...
 * </pre>
 *
 * <p>A call that was answered all the same is INFO, and so is one whose request was wrong or whose caller went away; one that
 * failed or was rejected is WARN. A breaker that now refuses every call is WARN, any other move INFO; a
 * version that was refused is WARN. Each is one line,
 * whatever the message of a failure has in it.
 *
 * <p>Threading: may be called by any thread.
 */
public final class CommandLog implements CommandListener {

    private static final int LONGEST_TEXT = 500;

    private final Logger log;

    /** Writes to a logger with the name of this class. */
    public CommandLog() {
        this(LoggerFactory.getLogger(CommandLog.class));
    }

    /** Writes to a logger. */
    public CommandLog(Logger log) {
        this.log = log;
    }

    @Override
    public void on(CommandEvent event) {
        if (event instanceof CommandEvent.CallEnded call) {
            if (call.source() != Source.PRIMARY && call.trigger() != Trigger.RESPONSE_FROM_CACHE) {
                write(call);
            }
        } else if (event instanceof CommandEvent.CircuitChanged circuit) {
            write(circuit);
        } else if (event instanceof CommandEvent.RetryBudgetExhausted retries) {
            log.warn("retries {} budget=exhausted denied={}", retries.command().name(), retries.overBudget());
        } else if (event instanceof CommandEvent.TemplateSwapped swapped) {
            log.info(
                    "template {} from={} to={} loaded={}",
                    swapped.template(),
                    swapped.from(),
                    swapped.to(),
                    oneLine(swapped.loadedFrom()));
        } else if (event instanceof CommandEvent.TemplateRefused refused) {
            log.warn("template {} stays={} refused={}", refused.template(), refused.version(), oneLine(refused.why()));
        }
    }

    private void write(CommandEvent.CallEnded call) {
        String line = "call {} outcome={} source={} trigger={} age={} fallback={} id={} cause={}";
        Object[] figures = {
            call.command().name(),
            call.outcome().tag(),
            Source.tagOf(call.source()),
            call.trigger().tag(),
            millis(call.age()),
            millis(call.fallbackElapsed()),
            CallId.text(call.callId()),
            text(call.cause())
        };
        switch (call.outcome()) {
            case FAILED, REJECTED -> log.warn(line, figures);
            default -> log.info(line, figures);
        }
    }

    private void write(CommandEvent.CircuitChanged circuit) {
        String line = "circuit {}/{} from={} to={} by={} why={}";
        Object[] figures = {
            circuit.command().name(),
            circuit.stage(),
            tag(circuit.from()),
            tag(circuit.to()),
            circuit.byHand() ? "hand" : "measurement",
            oneLine(circuit.why())
        };
        switch (circuit.to()) {
            case OPEN, FORCED_OPEN -> log.warn(line, figures);
            default -> log.info(line, figures);
        }
    }

    private static String tag(CircuitState state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    private static String millis(@Nullable Duration span) {
        return span == null ? "none" : span.toMillis() + "ms";
    }

    private static String text(@Nullable Throwable failure) {
        if (failure == null) {
            return "none";
        }
        String type = failure.getClass().getName();
        try {
            String message = failure.getMessage();
            return message == null ? type : oneLine(type + ": " + message);
        } catch (Throwable mistake) {
            return type; // the message is the user's code
        }
    }

    /** Without what ends a line or moves a terminal, and of bounded length: messages may quote what anybody has sent. */
    private static String oneLine(String text) {
        StringBuilder line = new StringBuilder();
        int length = Math.min(text.length(), LONGEST_TEXT);
        for (int at = 0; at < length; at++) {
            char one = text.charAt(at);
            boolean breaks = Character.isISOControl(one)
                    || Character.getType(one) == Character.LINE_SEPARATOR
                    || Character.getType(one) == Character.PARAGRAPH_SEPARATOR;
            line.append(breaks ? ' ' : one);
        }
        return length < text.length() ? line.append("...").toString() : line.toString();
    }
}
