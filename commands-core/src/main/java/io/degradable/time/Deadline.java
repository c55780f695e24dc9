package io.degradable.time;

import java.time.Duration;
import javax.annotation.Nullable;

/**
 * When the run that the calling thread works for has to be over. A body asks for what is left and passes it on, for
 * instance as the read limit of a socket:
 *
 * <pre>{@code
 * request.timeout(Deadline.current().remaining());
 * }</pre>
 *
 * <p>Threading: {@link #current()} belongs to the calling thread; an instance may be handed on, and is over with the body
 * that it was the deadline of.
 */
public final class Deadline {

    /** Outside every run, and inside one without a limit. */
    public static final Deadline NONE = new Deadline(null, 0, null);

    private static final ThreadLocal<Deadline> FOREIGN = new ThreadLocal<>();

    private final @Nullable Ticker ticker;
    private final long nanos;
    private final @Nullable Body body;

    private Deadline(@Nullable Ticker ticker, long nanos, @Nullable Body body) {
        this.ticker = ticker;
        this.nanos = nanos;
        this.body = body;
    }

    /** The deadline at a reading of {@code ticker}. */
    public static Deadline at(Ticker ticker, long nanos) {
        return new Deadline(ticker, nanos, null);
    }

    /** What a deadline is of, as the library knows it. */
    public interface Body {

        /** Whether it has ended. Its thread can have been at the end of its stack, and so not have let go of the deadline. */
        boolean hasEnded();
    }

    /** The deadline of a body at a reading of {@code ticker}; for the library's own use. */
    public static Deadline of(Body body, Ticker ticker, long nanos) {
        return new Deadline(ticker, nanos, body);
    }

    /** The deadline of the run on whose behalf the calling thread works; {@link #NONE} outside every run. */
    public static Deadline current() {
        Deadline current = Thread.currentThread() instanceof DeadlineThread worker ? worker.deadline : FOREIGN.get();
        return current == null || (current.body != null && current.body.hasEnded()) ? NONE : current;
    }

    /** What it is the deadline of; for the library's own use. */
    public @Nullable Body body() {
        return body;
    }

    /** What is left; zero when it is over, 146 years for {@link #NONE}. Never negative. */
    public Duration remaining() {
        return Duration.ofNanos(ticker == null ? Spans.FOREVER : Math.max(0, nanos - ticker.nanos()));
    }

    /** Whether nothing is left. */
    public boolean expired() {
        return ticker != null && nanos - ticker.nanos() <= 0;
    }

    /**
     * The earlier of this deadline and a reading of {@code clock}, as a reading of {@code clock}. A deadline taken from
     * another ticker is carried over by what is left of it.
     */
    public long earlierOf(Ticker clock, long untilNanos) {
        if (ticker == null) {
            return untilNanos;
        }
        long own = ticker == clock ? nanos : clock.nanos() + Math.max(0, nanos - ticker.nanos());
        return Spans.earlier(own, untilNanos);
    }

    /**
     * Makes this the deadline of the calling thread.
     *
     * @return what it was before, to be given to {@link #restore}
     */
    public Deadline enter() {
        Deadline before = current();
        restore(this);
        return before;
    }

    /** Puts back what {@link #enter()} returned; no thread-local of ours stays behind on a foreign thread. */
    public static void restore(Deadline before) {
        if (Thread.currentThread() instanceof DeadlineThread worker) {
            worker.deadline = before;
        } else if (before == NONE) {
            FOREIGN.remove();
        } else {
            FOREIGN.set(before);
        }
    }

    @Override
    public String toString() {
        return ticker == null ? "Deadline[none]" : "Deadline[" + remaining() + " left]";
    }
}
