package io.degradable.time;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
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
    public static final Deadline NONE = new Deadline(null, 0, null, null);

    private static final ThreadLocal<Deadline> FOREIGN = new ThreadLocal<>();

    /** How many threads have one there; most often none, and nobody needs to look. */
    private static final AtomicInteger FOREIGN_THREADS = new AtomicInteger();

    private static final VarHandle OPEN_CHECKS;

    static {
        try {
            OPEN_CHECKS = MethodHandles.lookup().findVarHandle(Deadline.class, "openChecks", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final @Nullable Ticker ticker;
    private final long nanos;

    // Of a deadline that a body has: what that is a part of, and what the library keeps for it.
    private final @Nullable Deadline around;
    private final @Nullable Object carried;
    private volatile int openChecks;

    /** A bare field, for who is at the end of its stack; it may then not have let go of the deadline either. */
    public volatile boolean bodyHasEnded;

    private Deadline(@Nullable Ticker ticker, long nanos, @Nullable Deadline around, @Nullable Object carried) {
        this.ticker = ticker;
        this.nanos = nanos;
        this.around = around;
        this.carried = carried;
    }

    /** The deadline at a reading of {@code ticker}. */
    public static Deadline at(Ticker ticker, long nanos) {
        return new Deadline(ticker, nanos, NONE, null);
    }

    /** The deadline of the run on whose behalf the calling thread works; {@link #NONE} outside every run. */
    public static Deadline current() {
        Deadline current = onThread(Thread.currentThread());
        return current == null || current.bodyHasEnded ? NONE : current;
    }

    private static @Nullable Deadline onThread(Thread thread) {
        if (thread instanceof DeadlineThread worker) {
            return worker.deadline;
        }
        Lane lane = Lane.of(thread);
        return lane != null ? lane.deadline() : foreign();
    }

    /** Whether a thread that holds no lane is inside a run, or may be. */
    static boolean isInside(Thread thread) {
        return thread instanceof DeadlineThread || foreign() != null;
    }

    private static @Nullable Deadline foreign() {
        return FOREIGN_THREADS.get() == 0 ? null : FOREIGN.get();
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
        Thread thread = Thread.currentThread();
        if (thread instanceof DeadlineThread worker) {
            worker.deadline = before;
            return;
        }
        Lane lane = Lane.of(thread);
        if (lane != null) {
            lane.deadline(before);
        } else {
            foreign(before);
        }
    }

    private static void foreign(Deadline next) {
        Deadline held = foreign();
        if (held == null && next != NONE) {
            FOREIGN_THREADS.incrementAndGet(); // before it is there: nobody may miss it
            FOREIGN.set(next);
        } else if (held != null && next == NONE) {
            FOREIGN.remove();
            FOREIGN_THREADS.decrementAndGet();
        } else if (held != null) {
            FOREIGN.set(next);
        }
    }

    // ---- for the library's own use: the deadline of a body stands for the body ----

    /**
     * The deadline of a body.
     *
     * @param around that of the body it is a part of; {@link #NONE} when it is a part of none
     * @param carried what the library keeps for it
     */
    public static Deadline ofBody(Ticker ticker, long nanos, Deadline around, @Nullable Object carried) {
        return new Deadline(ticker, nanos, around, carried);
    }

    /** What is kept for the innermost body that something is kept for; null when there is none. */
    public @Nullable Object carried() {
        for (Deadline body = this; body != null; body = body.around) {
            if (body.carried != null) {
                return body.carried;
            }
        }
        return null;
    }

    /** A check that fails closed begins inside the body. No page around it may answer until it is answered. */
    public void checkBegins() {
        addChecks(1);
    }

    /** It has been answered. One that is not stays open: its failure may still be on its way out of the body. */
    public void checkAnswered() {
        addChecks(-1);
    }

    private void addChecks(int more) {
        for (Deadline body = this; body != null && body != NONE; body = body.around) {
            OPEN_CHECKS.getAndAdd(body, more);
        }
    }

    /** Whether a check that fails closed was begun inside the body and not answered: no stage may speak for it then. */
    public boolean hasOpenChecks() {
        return openChecks > 0;
    }

    @Override
    public String toString() {
        return ticker == null ? "Deadline[none]" : "Deadline[" + remaining() + " left]";
    }
}
