package io.degradable;

import io.degradable.model.BadRequestException;
import io.degradable.model.CallOutcome;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.FallbackContext;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.Trigger;
import io.degradable.time.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/**
 * One call of a random life: the script of its body and stages, and everything that its caller sent and received. What it
 * keeps is the whole oracle of {@link RandomRunsTest}.
 *
 * <p>Threading: the script is fixed before the call begins; what was seen is written by bodies and by the one end.
 */
final class RandomCall extends DegradableCommand<String> {

    /** What the body does. */
    enum Act {
        ANSWER,
        NULL,
        UNAVAILABLE,
        BAD_REQUEST,
        IGNORED,
        FATAL_ERROR,
        FATAL_BY_RULE,
        UNCLASSED,
        OVERLOADED,
        /** Longer than its limit, but it heeds interrupts. */
        SLOW,
        /** Longer than its limit, whatever comes. */
        STUBBORN,
        /** Until it is interrupted: its caller goes away. */
        HELD,
        /** Until the life says that all may go, to fill what has room. */
        FILL,
        NEST
    }

    /** What a spare does. */
    enum Spare {
        ANSWER,
        NULL,
        UNAVAILABLE,
        BAD_REQUEST,
        FATAL,
        SLOW
    }

    /** How a caller goes away from what it was given. */
    enum Leaving {
        STAY,
        CANCEL,
        COMPLETE,
        FAIL,
        OR_TIMEOUT,
        DISPOSE
    }

    /** A failure that commands ignore. */
    static final class Ignored extends Exception {
        private static final long serialVersionUID = 1;
    }

    /** A failure that commands call fatal. */
    static final class FatalByRule extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static final class FromOutside extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** What a caller can tell of the kind of its call; null is what it cannot tell. */
    record Seen(
            CallOutcome outcome,
            @Nullable Source source,
            @Nullable Trigger trigger) {}

    private static final String OUTSIDE = "from outside";

    final RandomLife life;
    final RandomCommand kind;
    final int number;
    final EntryPoint entry;
    final Act act;
    final Spare spare;
    final Leaving leaving;
    final boolean fillThrows;
    final boolean keyThrows;
    final @Nullable RandomCall nested;
    private final boolean isNested;

    /** The call that this is the spare command of. */
    private final @Nullable RandomCall spareOf;

    final AtomicInteger bodies = new AtomicInteger();
    final AtomicInteger spares = new AtomicInteger();
    final AtomicInteger fills = new AtomicInteger();
    final AtomicInteger ends = new AtomicInteger();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean bodyAnswered;
    private volatile boolean disposed;
    private volatile @Nullable Thread bodyThread;

    // Written by the begin of the call.
    private @Nullable Thread caller;
    private @Nullable RandomCall parent;
    private Duration leftOfParent = Duration.ZERO;
    private int handBefore;
    private long begunNanos;
    private volatile boolean refused;

    // Written by the end of the call, before the latch.
    private @Nullable String value;
    private @Nullable CommandResult<String> result;
    private @Nullable Throwable failure;
    private int handAfter;
    private long endedNanos;

    RandomCall(
            RandomLife life,
            RandomCommand kind,
            int number,
            RandomScript script,
            @Nullable RandomCall nested,
            boolean isNested) {
        super(life.commands, kind.spec());
        this.life = life;
        this.kind = kind;
        this.number = number;
        this.entry = script.entry();
        this.act = script.act();
        this.spare = script.spare();
        this.leaving = script.leaving();
        this.fillThrows = script.fillThrows();
        this.keyThrows = script.keyThrows();
        this.nested = nested;
        this.isNested = isNested;
        this.spareOf = null;
    }

    private RandomCall(RandomCommand kind, RandomCall spareOf) {
        super(spareOf.life.commands, kind.spec());
        this.life = spareOf.life;
        this.kind = kind;
        this.number = spareOf.number;
        this.entry = EntryPoint.EXECUTE;
        this.act = Act.ANSWER;
        this.spare = spareOf.spare;
        this.leaving = Leaving.STAY;
        this.fillThrows = false;
        this.keyThrows = false;
        this.nested = null;
        this.isNested = false;
        this.spareOf = spareOf;
    }

    /** The command that serves as its spare. */
    RandomCall asSpare(RandomCommand spareKind) {
        return new RandomCall(spareKind, this);
    }

    // ---- the caller ----

    /** Begins the call, and for a synchronous entry point ends it. The answer goes away from it, if it can. */
    Runnable begin() {
        caller = Thread.currentThread();
        handBefore = kind.hand;
        begunNanos = System.nanoTime();
        try {
            switch (entry) {
                case EXECUTE -> answered(execute());
                case EXECUTE_FOR_RESULT -> resulted(executeForResult());
                case QUEUE -> {
                    return follow(queue(), this::answered, OUTSIDE);
                }
                case QUEUE_FOR_RESULT -> {
                    return follow(queueForResult(), this::resulted, null);
                }
                case TO_MAYBE -> {
                    var subscription = toMaybe().subscribe(this::answered, this::failed, () -> answered(null));
                    return () -> {
                        disposed = true;
                        subscription.dispose();
                    };
                }
                case OBSERVE -> {
                    var hot = observe();
                    var unused = hot.subscribe(this::answered, this::failed, () -> answered(null));
                    hot.subscribe(any -> {}, any -> {}, () -> {}).dispose(); // a guest who leaves ends nothing
                }
                case TO_RESULT_SINGLE -> {
                    var subscription = toResultSingle().subscribe(this::resulted, this::failed);
                    return () -> {
                        disposed = true;
                        subscription.dispose();
                    };
                }
            }
        } catch (Throwable thrown) {
            failed(thrown);
        }
        return () -> {};
    }

    private <T> Runnable follow(CompletableFuture<T> future, Consumer<T> answer, @Nullable T outside) {
        var unused = future.whenComplete((got, thrown) -> {
            if (thrown == null) {
                answer.accept(got);
            } else {
                failed(thrown);
            }
        });
        return switch (leaving) {
            case COMPLETE -> () -> future.complete(outside);
            case FAIL -> () -> future.completeExceptionally(new FromOutside());
            case OR_TIMEOUT -> () -> future.orTimeout(1, TimeUnit.MICROSECONDS);
            default -> () -> future.cancel(true);
        };
    }

    /** Whether its caller can go away from it. */
    static boolean canLeave(EntryPoint entry) {
        return entry == EntryPoint.QUEUE
                || entry == EntryPoint.QUEUE_FOR_RESULT
                || entry == EntryPoint.TO_MAYBE
                || entry == EntryPoint.TO_RESULT_SINGLE;
    }

    boolean isSynchronous() {
        return entry == EntryPoint.EXECUTE || entry == EntryPoint.EXECUTE_FOR_RESULT;
    }

    private boolean tellsSource() {
        return entry == EntryPoint.EXECUTE_FOR_RESULT
                || entry == EntryPoint.QUEUE_FOR_RESULT
                || entry == EntryPoint.TO_RESULT_SINGLE;
    }

    private void answered(@Nullable String got) {
        end(got, null, null);
    }

    private void resulted(@Nullable CommandResult<String> got) {
        end(got == null ? OUTSIDE : got.value(), got, null);
    }

    private void failed(Throwable thrown) {
        end(null, null, thrown);
    }

    private void end(@Nullable String got, @Nullable CommandResult<String> told, @Nullable Throwable thrown) {
        if (ends.incrementAndGet() > 1) {
            life.wrong(this, "ended again");
            return;
        }
        endedNanos = System.nanoTime();
        handAfter = kind.hand;
        value = got;
        result = told;
        failure = thrown;
        refused =
                thrown instanceof IllegalStateException && life.closedMessage().equals(thrown.getMessage());
        Thread here = Thread.currentThread();
        // Whoever ends a future from outside may run its dependents, even when the run was faster.
        if (here != caller && leaving == Leaving.STAY && !life.isContinuation(here)) {
            life.wrong(this, "a dependent ran on " + here);
        }
        if (isOwnCancellation(thrown) && here == caller && isSynchronous() && !here.isInterrupted() && !life.closes) {
            life.wrong(this, "cancelled without an interrupt");
        }
        ended.countDown();
    }

    boolean awaitEnd(long seconds) throws InterruptedException {
        return ended.await(seconds, TimeUnit.SECONDS);
    }

    boolean isEnded() {
        return ended.getCount() == 0 || disposed;
    }

    // ---- the body and the stages ----

    @Override
    protected @Nullable String run() throws Exception {
        RandomCall main = spareOf;
        if (main != null) {
            kind.gate.enter();
            try {
                return main.spare(null);
            } finally {
                kind.gate.leave();
            }
        }
        if (bodies.incrementAndGet() > 1) {
            life.wrong(this, "its body ran again");
        }
        Thread here = Thread.currentThread();
        bodyThread = here;
        userCode();
        if (isNested && Deadline.current().remaining().compareTo(leftOfParent) > 0) {
            life.wrong(this, "has more time than the run around it");
        }
        RandomCall outer = parent;
        boolean inTheWorkersSlot = outer != null && outer.bodyThread == here && outer.kind.gate == kind.gate;
        if (inTheWorkersSlot) {
            return acted();
        }
        kind.gate.enter();
        try {
            return acted();
        } finally {
            kind.gate.leave();
        }
    }

    private @Nullable String acted() throws Exception {
        String answer = act();
        bodyAnswered = true;
        return answer;
    }

    private @Nullable String act() throws Exception {
        switch (act) {
            case NULL -> {
                return null;
            }
            case UNAVAILABLE -> throw new IOException("down");
            case BAD_REQUEST -> throw new BadRequestException("wrong");
            case IGNORED -> throw new Ignored();
            case FATAL_ERROR -> throw new AssertionError("fatal primary " + number);
            case FATAL_BY_RULE -> throw new FatalByRule();
            case UNCLASSED -> throw new IllegalCallerException("of no class");
            case OVERLOADED -> throw new UnsupportedOperationException("busy");
            case SLOW -> pass(kind.longerThanLimitNanos(), true);
            case STUBBORN -> pass(kind.longerThanLimitNanos(), false);
            case HELD -> pass(TimeUnit.SECONDS.toNanos(20), true);
            case FILL -> life.fill();
            case NEST -> nest();
            case ANSWER -> {
                // at once
            }
        }
        return "live " + number;
    }

    private void nest() throws Exception {
        RandomCall inner = nested;
        if (inner == null) {
            return;
        }
        inner.parent = this;
        inner.leftOfParent = Deadline.current().remaining();
        var unused = inner.begin();
        if (!inner.awaitEnd(20)) {
            life.wrong(inner, "nested, and never ended");
        }
        Throwable thrown = inner.failure;
        if (inner.refused) {
            throw new IOException("closed");
        }
        if (thrown instanceof Exception exception) {
            throw exception;
        }
        if (thrown instanceof Error error) {
            throw error;
        }
    }

    private static void pass(long nanos, boolean heedsInterrupts) throws InterruptedException {
        long from = System.nanoTime();
        boolean interrupted = false;
        while (System.nanoTime() - from < nanos) {
            LockSupport.parkNanos(nanos - (System.nanoTime() - from));
            if (Thread.interrupted()) {
                if (heedsInterrupts) {
                    throw new InterruptedException();
                }
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The spare of this call: a function, or the body of a spare command. */
    @Nullable
    String spare(@Nullable FallbackContext context) throws Exception {
        if (spares.incrementAndGet() > 1) {
            life.wrong(this, "its spare ran again");
        }
        userCode();
        String told = context == null ? "" : " " + context.trigger();
        switch (spare) {
            case NULL -> {
                return null;
            }
            case UNAVAILABLE -> throw new IOException("spare down");
            case BAD_REQUEST -> throw new BadRequestException("not here either");
            case FATAL -> throw new AssertionError("fatal spare " + number + told);
            case SLOW -> pass(kind.longerThanLimitNanos(), true);
            case ANSWER -> {
                // at once
            }
        }
        return "spare " + number + told;
    }

    /** What tells answers apart. A caller who is not told the source must never meet its own answer in the cache. */
    String key() {
        userCode();
        if (keyThrows || (bodyAnswered && !tellsSource())) {
            throw new IllegalStateException("no key");
        }
        return "key " + number % RandomLife.KEYS;
    }

    String fill() {
        if (fills.incrementAndGet() > 1) {
            life.wrong(this, "its template was filled again");
        }
        userCode();
        if (fillThrows) {
            throw new IllegalStateException("fill");
        }
        return "template " + number;
    }

    private void userCode() {
        if (Thread.currentThread().getName().startsWith("degradable-timer")) {
            life.wrong(this, "user code on a timer");
        }
        life.mayLookAtLocks(this);
    }

    // ---- what came of it, once everything is at rest ----

    /** Whether the container was closed before it was let in. */
    boolean wasRefused() {
        return refused;
    }

    /** Whether anybody called it: a nested one is not when the body around it never ran. */
    boolean wasBegun() {
        return caller != null;
    }

    /**
     * Whether its caller cannot know how it is booked: a spare was fatal, and no body of its own began, but one whose failure
     * it shares may have.
     */
    boolean mayShareAFailure() {
        return bodies.get() == 0
                && failure instanceof AssertionError
                && String.valueOf(failure.getMessage()).matches("fatal spare " + number + "( .*)?");
    }

    /** Whether its caller went away before anything came. */
    boolean hasLeft() {
        return (disposed && ends.get() == 0)
                || OUTSIDE.equals(value)
                || failure instanceof FromOutside
                || failure instanceof TimeoutException
                || (failure instanceof CancellationException && failure.getMessage() == null);
    }

    private boolean isOwnCancellation(@Nullable Throwable thrown) {
        return thrown instanceof CancellationException && (kind.name + " was cancelled").equals(thrown.getMessage());
    }

    /** What its caller saw. */
    Seen seen() {
        Throwable thrown = failure;
        if (thrown != null) {
            return seenIn(thrown);
        }
        CommandResult<String> told = result;
        if (told != null) {
            return new Seen(outcomeOf(told.source()), told.source(), told.trigger());
        }
        String got = value;
        Source source = got == null || got.equals("live " + number)
                ? Source.PRIMARY
                : got.startsWith("live") ? Source.CACHE : got.startsWith("spare") ? Source.SPARE : Source.STATIC;
        return new Seen(outcomeOf(source), source, source == Source.PRIMARY ? Trigger.NONE : null);
    }

    private static CallOutcome outcomeOf(Source source) {
        return source == Source.PRIMARY ? CallOutcome.NORMAL : CallOutcome.DEGRADED;
    }

    private Seen seenIn(Throwable thrown) {
        if (thrown instanceof CommandException own && own.key().name().equals(kind.name)) {
            return new Seen(own.outcome(), null, own.trigger());
        }
        if (thrown instanceof BadRequestException || thrown instanceof Ignored) {
            return new Seen(CallOutcome.BAD_REQUEST, null, null);
        }
        if (isOwnCancellation(thrown)) {
            return new Seen(CallOutcome.CANCELLED, null, null);
        }
        String spares = "fatal spare " + number;
        String message = String.valueOf(thrown.getMessage());
        if (thrown instanceof AssertionError && message.startsWith(spares + " ")) {
            Trigger trigger = Trigger.valueOf(message.substring(spares.length() + 1));
            return new Seen(bodies.get() > 0 ? CallOutcome.FAILED : CallOutcome.REJECTED, null, trigger);
        }
        if (thrown instanceof AssertionError && message.equals(spares)) {
            return new Seen(bodies.get() > 0 ? CallOutcome.FAILED : CallOutcome.REJECTED, null, null);
        }
        return new Seen(CallOutcome.FAILED, null, Trigger.FAILURE);
    }

    /** Whether it went through its chain in vain, which is one FALLBACK_* that is not a success. */
    boolean askedTheChainInVain() {
        if (failure instanceof AssertionError fatal
                && String.valueOf(fatal.getMessage()).matches("fatal spare " + number + "( .*)?")) {
            return true;
        }
        if (!(failure instanceof CommandException own) || !own.key().name().equals(kind.name)) {
            return false;
        }
        StageReason primary = own.trail().get(0).reason();
        return own.outcome() != CallOutcome.BAD_REQUEST
                && primary != StageReason.FATAL
                && primary != StageReason.UNCLASSED
                && primary != StageReason.FAILED_CLOSED;
    }

    /** Checks what one caller can check alone. */
    void check() {
        if (!wasBegun()) {
            return;
        }
        if (refused) {
            if (bodies.get() + spares.get() + fills.get() > 0) {
                life.wrong(this, "ran in a closed container");
            }
            return;
        }
        if (ends.get() == 0 && !disposed) {
            life.wrong(this, "never ended");
            return;
        }
        if (ends.get() == 0) {
            return;
        }
        long tookNanos = endedNanos - begunNanos;
        if (tookNanos > kind.deadlineNanos + RandomLife.CONSTANT_NANOS) {
            life.wrong(this, "took " + tookNanos + " ns");
        }
        if (!hasLeft()) {
            checkAnswer();
            checkHand();
        }
    }

    private void checkAnswer() {
        if (failure != null) {
            return;
        }
        Seen seen = seen();
        String got = value;
        boolean right =
                switch (Objects.requireNonNull(seen.source())) {
                    case PRIMARY -> bodyAnswered && (got == null ? act == Act.NULL : got.equals("live " + number));
                    case CACHE -> got != null && life.isCopyFor(got, this);
                    case SPARE ->
                        got != null
                                && (got.equals("spare " + number)
                                        || got.equals("spare " + number + " " + seen.trigger())
                                        || (seen.trigger() == null && got.startsWith("spare " + number + " ")));
                    case STATIC -> ("template " + number).equals(got);
                };
        if (!right) {
            life.wrong(this, "got " + got + " as " + seen);
        }
    }

    /** Whether it may be kept as a copy: a good answer of the primary, and nothing else. */
    boolean mayBeCopiedFor(RandomCall reader) {
        return bodyAnswered
                && act != Act.NULL
                && tellsSource()
                && !keyThrows
                && kind.cached
                && number % RandomLife.KEYS == reader.number % RandomLife.KEYS;
    }

    /** While a hand held the breaker the whole time, the call went by it. */
    private void checkHand() {
        if (handBefore != handAfter) {
            return;
        }
        if (RandomCommand.isHeldOpen(handBefore) && bodies.get() > 0) {
            life.wrong(this, "ran while its breaker was held open");
        }
        if (RandomCommand.isHeldClosed(handBefore) && seen().trigger() == Trigger.SHORT_CIRCUITED) {
            life.wrong(this, "was refused by a breaker that was held closed");
        }
    }

    /** The call and all that is known of it. */
    String told() {
        return kind.name + " #" + number + " " + entry + " " + act + "/" + spare + "/" + leaving
                + (isNested ? " nested" : "") + ": bodies " + bodies + ", value " + value + ", failure " + failure;
    }
}
