package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.degradable.internal.bulkhead.VirtualThreads;
import io.degradable.model.CallOutcome;
import io.degradable.model.CommandException;
import io.degradable.model.EventType;
import io.degradable.model.StageReason;
import io.degradable.state.CallKind;
import io.degradable.state.Circuit;
import io.degradable.state.CommandView;
import io.degradable.time.Deadline;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.annotation.Nullable;

/**
 * The life of one container out of a seed: commands of random shapes, callers who call them at random in every way, a hand
 * that forces breakers and moves limits, and a close at the end or in the middle. Afterwards the callers' own tallies are
 * held against the container.
 */
final class RandomLife {

    /** What a call may take beyond its deadline on a machine that is busy with other things. */
    static final long CONSTANT_NANOS = TimeUnit.SECONDS.toNanos(5);

    static final int KEYS = 40;

    private static final int CALLERS = 6;
    private static final int UNDER_WAY = 6;
    private static final int CALLS_EACH = 400;
    private static final int NUMBERS_EACH = 1_000_000;

    final boolean closes;
    final Commands commands;
    private final long seed;
    private final String prefix;
    private final Random random;
    private final List<RandomCommand> kinds = new ArrayList<>();
    private final Map<String, RandomCommand.Gate> gates = new LinkedHashMap<>();
    private final Map<Integer, RandomCall> calls = new ConcurrentHashMap<>();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final AtomicInteger looks = new AtomicInteger();
    private final CountDownLatch filled = new CountDownLatch(1);
    private final ScheduledExecutorService interrupter = Executors.newSingleThreadScheduledExecutor();
    private volatile boolean over;

    RandomLife(long seed, String prefix) {
        this.seed = seed;
        this.prefix = prefix;
        this.random = randomOf(0);
        this.closes = random.nextInt(4) == 0;
        this.commands = Commands.builder()
                .name(prefix + "life")
                .closeGrace(Duration.ofMillis(20))
                .build();
        makeCommands();
    }

    /** One for each who draws. Seeds that are neighbours would draw alike at first, so they are spread. */
    private Random randomOf(int who) {
        return new Random((seed + ((long) who << 32)) * 0x9E3779B97F4A7C15L);
    }

    private void makeCommands() {
        List<RandomCommand.Pool> pools = List.of(
                RandomCommand.Pool.random(prefix + "one", random), RandomCommand.Pool.random(prefix + "two", random));
        RandomCommand spare =
                make("spare", RandomCommand.Kind.SPARE, RandomCommand.Pool.random(prefix + "spares", random), null);
        make(
                "patient",
                RandomCommand.Kind.PATIENT,
                RandomCommand.Pool.random(prefix + "patient", random).patient(),
                null);
        for (int number = 0; number < 5; number++) {
            RandomCommand.Kind kind =
                    switch (random.nextInt(VirtualThreads.areThere() ? 9 : 6)) {
                        case 0, 1 -> RandomCommand.Kind.SEMAPHORE;
                        case 2 -> RandomCommand.Kind.FAIL_CLOSED;
                        case 6, 7, 8 -> RandomCommand.Kind.VIRTUAL;
                        default -> RandomCommand.Kind.POOL;
                    };
            boolean pooled = kind == RandomCommand.Kind.POOL || kind == RandomCommand.Kind.FAIL_CLOSED;
            make("c" + number, kind, pooled ? pools.get(random.nextInt(2)) : null, spare);
        }
        kinds.forEach(kind -> commands.register(kind.spec()));
    }

    private RandomCommand make(
            String name, RandomCommand.Kind kind, @Nullable RandomCommand.Pool pool, @Nullable RandomCommand spare) {
        String gateName = pool == null ? prefix + name : pool.name();
        int callers = pool == null ? 0 : pool.callerRuns();
        RandomCommand.Gate gate = gates.computeIfAbsent(
                gateName, any -> new RandomCommand.Gate(gateName, pool, RandomCommand.LARGEST + callers));
        RandomCommand made = new RandomCommand(prefix + name, random, gate, kind, spare, prefix);
        kinds.add(made);
        return made;
    }

    // ---- what calls ask of it ----

    void wrong(RandomCall call, String what) {
        wrong.add(what + ": " + call.told());
    }

    String closedMessage() {
        return commands.name() + " is closed";
    }

    boolean isContinuation(Thread thread) {
        return closes || thread.getName().startsWith("degradable-" + commands.name() + "-continuation-");
    }

    /** Whether a value can be a copy that this reader may get: what a body answered under the same key. */
    boolean isCopyFor(String value, RandomCall reader) {
        RandomCall writer = value.startsWith("live ") ? calls.get(Integer.valueOf(value.substring(5))) : null;
        return writer != null && writer.mayBeCopiedFor(reader);
    }

    void fill() throws InterruptedException {
        boolean interrupted = false;
        while (true) {
            try {
                if (!filled.await(20, TimeUnit.SECONDS)) {
                    wrong.add("the life was never over");
                }
                break;
            } catch (InterruptedException ignoredFor) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Now and then, whether the calling thread holds a lock while it is in user code. */
    void mayLookAtLocks(RandomCall call) {
        int look = looks.incrementAndGet();
        if (look % 500 == 0) {
            boolean closely = look % 2_500 == 0; // this walks the heap
            ThreadInfo[] here = ManagementFactory.getThreadMXBean()
                    .getThreadInfo(new long[] {Thread.currentThread().getId()}, true, closely);
            if (here[0] != null) {
                List<LockInfo> held = new ArrayList<>(List.of(here[0].getLockedMonitors()));
                held.addAll(Arrays.asList(here[0].getLockedSynchronizers()));
                held.removeIf(lock -> lock.getClassName().endsWith("ThreadPoolExecutor$Worker")); // marks it busy
                if (!held.isEmpty()) {
                    wrong(call, "user code under " + held);
                }
            }
        }
    }

    // ---- the life ----

    /** Lives it, and returns how many calls were let in. */
    int live() throws Exception {
        int letIn;
        try (Callers callers = new Callers()) {
            List<FutureTask<Boolean>> done = new ArrayList<>();
            for (int caller = 0; caller < CALLERS; caller++) {
                Caller one = new Caller(caller);
                done.add(callers.start(one::callAll));
            }
            FutureTask<Boolean> hand = callers.start(this::moveLimitsAndBreakers);
            if (closes) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20 + random.nextInt(100)));
                commands.close();
            }
            for (FutureTask<Boolean> caller : done) {
                caller.get(60, TimeUnit.SECONDS);
            }
            over = true;
            hand.get(60, TimeUnit.SECONDS);
            untilAtRest();
            letIn = check();
            try {
                if (!closes) {
                    fillEverything(callers);
                }
            } finally {
                filled.countDown();
            }
        } finally {
            interrupter.shutdownNow();
            commands.close();
        }
        assertThat(wrong).as("life of seed %d", seed).isEmpty();
        LibraryThreads.assertThatAllEnd(prefix);
        return letIn;
    }

    /** A thread that calls, in a row and with a few under way at once. */
    private final class Caller {

        private record UnderWay(RandomCall call, Runnable leave) {}

        private final int firstNumber;
        private final Random dice;
        private final Deque<UnderWay> underWay = new ArrayDeque<>();
        private int drawn;
        private Thread thread = Thread.currentThread(); // whom to interrupt
        private int inside = -1; // guarded by this: which call may be interrupted

        Caller(int number) {
            this.firstNumber = number * NUMBERS_EACH;
            this.dice = randomOf(number + 1);
        }

        private RandomCall draw(RandomCommand kind, RandomScript script, boolean nested) {
            RandomCall inner = null;
            if (script.act() == RandomCall.Act.NEST) {
                RandomCommand other = kinds.get(dice.nextInt(kinds.size()));
                inner = other == kind ? null : draw(other, RandomScript.draw(other, dice, true), true);
            }
            RandomCall call = new RandomCall(RandomLife.this, kind, firstNumber + drawn++, script, inner, nested);
            calls.put(call.number, call);
            return call;
        }

        boolean callAll() throws InterruptedException {
            thread = Thread.currentThread();
            boolean refused = false;
            for (int call = 0; call < CALLS_EACH && !refused; call++) {
                RandomCommand kind = kinds.get(dice.nextInt(kinds.size()));
                RandomScript script = RandomScript.draw(kind, dice, false);
                RandomCall next = draw(kind, script, false);
                if (next.isSynchronous()) {
                    callAndWait(next, script.interrupts());
                } else {
                    begin(next);
                }
                refused = next.wasRefused();
            }
            while (!underWay.isEmpty()) {
                endOldest();
            }
            if (Deadline.current() != Deadline.NONE) {
                wrong.add("a deadline was left behind on a caller");
            }
            return true;
        }

        private void callAndWait(RandomCall call, boolean interrupted) {
            synchronized (this) {
                inside = call.number;
            }
            if (interrupted) {
                int delay = dice.nextInt(3_000);
                var unused = interrupter.schedule(() -> interrupt(call.number), delay, TimeUnit.MICROSECONDS);
            }
            var unused = call.begin();
            synchronized (this) {
                inside = -1;
            }
            Thread.interrupted();
        }

        private synchronized void interrupt(int call) {
            if (inside == call) {
                thread.interrupt();
            }
        }

        private void begin(RandomCall call) throws InterruptedException {
            Runnable leave = call.begin();
            boolean leaves = call.leaving != RandomCall.Leaving.STAY;
            boolean atOnce = dice.nextInt(3) == 0; // maybe before a worker has it
            if (leaves && (atOnce || call.kind.patient)) {
                LockSupport.parkNanos(atOnce ? 0 : dice.nextInt(1_000_000));
                leave.run(); // a body that is held until then must not wait for what its caller does next
                leaves = false;
            }
            underWay.add(new UnderWay(call, leaves ? leave : () -> {}));
            if (underWay.size() > dice.nextInt(UNDER_WAY)) {
                endOldest();
            }
        }

        private void endOldest() throws InterruptedException {
            UnderWay oldest = underWay.remove();
            oldest.leave.run();
            if (!oldest.call.isEnded() && !oldest.call.awaitEnd(20)) {
                wrong(oldest.call, "never ended");
            }
        }
    }

    /** One hand for all of it: breakers are held open or closed for a while, limits go up and down. */
    private boolean moveLimitsAndBreakers() {
        Random dice = randomOf(CALLERS + 1);
        while (!over && !commands.isClosed()) {
            RandomCommand kind = kinds.get(dice.nextInt(kinds.size()));
            if (kind.patient) {
                continue;
            }
            RandomCommand.Pool pool = kind.gate.pool;
            if (pool != null) {
                commands.resizePool(pool.name(), 1 + dice.nextInt(RandomCommand.LARGEST), dice.nextInt(4));
            } else {
                commands.resize(kind.name, 1 + dice.nextInt(RandomCommand.LARGEST));
            }
            if (dice.nextInt(8) == 0) {
                holdAWhile(kind, dice);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        return true;
    }

    private void holdAWhile(RandomCommand kind, Random dice) {
        Circuit breaker = commands.circuit(kind.name);
        try {
            if (dice.nextBoolean()) {
                breaker.forceOpen("hand");
                kind.heldOpen();
            } else {
                breaker.forceClosed("hand");
                kind.heldClosed();
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1 + dice.nextInt(8)));
            kind.letGo();
            if (!breaker.release("hand")) {
                wrong.add(kind.name + " was not held any more");
            }
        } catch (IllegalStateException closed) { // hands can do nothing any more
            if (!String.valueOf(closed.getMessage()).endsWith(" is closed")) {
                throw closed;
            }
        }
    }

    private void untilAtRest() {
        await().atMost(Duration.ofSeconds(20))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> gates.values().stream().allMatch(gate -> gate.inside() == 0)
                        && commands.commands().stream().allMatch(view -> view.inFlight() == 0)
                        && commands.commands().stream()
                                .flatMap(view -> view.stages().stream())
                                .allMatch(stage -> stage.active() + stage.queued() + stage.orphans() == 0));
    }

    // ---- what must be true of it ----

    private int check() {
        calls.values().forEach(RandomCall::check);
        for (RandomCommand.Gate gate : gates.values()) {
            if (!gate.wasKept()) {
                wrong.add("more bodies at once than allowed: " + gate);
            }
        }
        int letIn = 0;
        for (RandomCommand kind : kinds) {
            letIn += checkBooks(kind);
        }
        assertThat(commands.commands()).as("names, seed %d", seed).hasSize(kinds.size());
        if (!closes) {
            checkCopies();
        }
        return letIn;
    }

    private List<RandomCall> callsOf(RandomCommand kind) {
        return calls.values().stream()
                .filter(call -> call.kind == kind && !call.wasRefused() && call.wasBegun())
                .toList();
    }

    /** Every call is booked once, as what its caller saw; of one whose caller left, only where he could know it. */
    private int checkBooks(RandomCommand kind) {
        CommandView view = commands.commands().stream()
                .filter(any -> any.key().name().equals(kind.name))
                .findFirst()
                .orElseThrow();
        Map<RandomCall.Seen, Long> seen = new HashMap<>();
        List<RandomCall> own = callsOf(kind);
        long left = 0;
        long inVain = 0;
        for (RandomCall call : own) {
            boolean isShared = view.settings().shortCut() != null && call.mayShareAFailure();
            if ((call.hasLeft() && !kind.patient) || isShared) {
                left++;
                continue;
            }
            RandomCall.Seen one = call.hasLeft() ? new RandomCall.Seen(CallOutcome.CANCELLED, null, null) : call.seen();
            seen.merge(known(kind, one), 1L, Long::sum);
            inVain += call.askedTheChainInVain() ? 1 : 0;
        }
        Map<RandomCall.Seen, Long> more = booked(kind, view);
        seen.forEach((one, count) -> more.merge(one, -count, Long::sum));
        more.values().removeIf(count -> count == 0);
        long unseen = more.values().stream().mapToLong(Long::longValue).sum();
        boolean tooFew = more.values().stream().anyMatch(count -> count < 0);
        if (tooFew || unseen != left || view.received() != own.size()) {
            wrong.add(kind.name + ": booked beyond what callers saw " + more + ", who left " + left + ", received "
                    + view.received() + " of " + own.size() + ", seen " + seen);
        }
        if (left == 0) {
            checkEvents(kind, view, seen, inVain);
        }
        return own.size();
    }

    private static RandomCall.Seen known(RandomCommand kind, RandomCall.Seen seen) {
        boolean untold =
                !kind.tellsAll || seen.outcome() == CallOutcome.BAD_REQUEST || seen.outcome() == CallOutcome.CANCELLED;
        return new RandomCall.Seen(seen.outcome(), seen.source(), untold ? null : seen.trigger());
    }

    private static Map<RandomCall.Seen, Long> booked(RandomCommand kind, CommandView view) {
        Map<RandomCall.Seen, Long> booked = new HashMap<>();
        for (CallKind cell : view.possibleCalls()) {
            RandomCall.Seen as = new RandomCall.Seen(cell.outcome(), cell.source(), cell.trigger());
            booked.merge(known(kind, as), view.calls(cell), Long::sum);
        }
        return booked;
    }

    private void checkEvents(RandomCommand kind, CommandView view, Map<RandomCall.Seen, Long> seen, long inVain) {
        Map<CallOutcome, Long> outcomes = new HashMap<>();
        seen.forEach((one, count) -> outcomes.merge(one.outcome(), count, Long::sum));
        Map<EventType, Long> expected = Map.of(
                EventType.SUCCESS, outcomes.getOrDefault(CallOutcome.NORMAL, 0L),
                EventType.BAD_REQUEST, outcomes.getOrDefault(CallOutcome.BAD_REQUEST, 0L),
                EventType.CANCELLED, outcomes.getOrDefault(CallOutcome.CANCELLED, 0L));
        expected.forEach((event, count) -> {
            if (view.events(event) != count) {
                wrong.add(kind.name + ": " + event + " moved " + view.events(event) + " times, not " + count);
            }
        });
        long answered = view.events(EventType.FALLBACK_SUCCESS) + view.events(EventType.RESPONSE_FROM_CACHE);
        if (answered != outcomes.getOrDefault(CallOutcome.DEGRADED, 0L)) {
            wrong.add(kind.name + ": " + answered + " answers of others, callers saw " + outcomes);
        }
        long booked = view.events(EventType.FALLBACK_FAILURE)
                + view.events(EventType.FALLBACK_REJECTION)
                + view.events(EventType.FALLBACK_MISSING);
        if (booked != inVain) {
            wrong.add(kind.name + ": " + booked + " chains in vain, callers saw " + inVain);
        }
    }

    /** Invariant 6: whatever is kept is what a body of a primary answered. */
    private void checkCopies() {
        var cache = commands.cache(RandomCommand.copies(prefix));
        for (int key = 0; key < KEYS; key++) {
            String copy = cache.read("key " + key, Duration.ofDays(1)).value();
            int number = key;
            if (copy != null
                    && calls.values().stream()
                            .filter(call -> call.number % KEYS == number)
                            .limit(1)
                            .noneMatch(reader -> isCopyFor(copy, reader))) {
                wrong.add("kept as a copy under key " + key + ": " + copy);
            }
        }
    }

    // ---- free and used make the limit ----

    /** Fills each bulkhead to its limit, and finds that exactly so many get in. */
    private void fillEverything(Callers callers) throws Exception {
        for (RandomCommand.Gate gate : gates.values()) {
            if (gate.pool != null) {
                fillPool(gate.pool);
            }
        }
        for (RandomCommand kind : kinds) {
            if (kind.limit > 0) {
                fillLimit(kind, callers);
            }
        }
    }

    private void fillPool(RandomCommand.Pool pool) throws Exception {
        commands.resizePool(pool.name(), pool.size(), pool.queue());
        CommandSpec<Call, String> filler = Call.declared()
                .name(pool.name() + "-filler")
                .threadPool(pool::in)
                .noTimeout()
                .noCircuitBreaker()
                .build();
        HeldCall held = new HeldCall();
        try {
            List<CompletableFuture<String>> inside = new ArrayList<>();
            for (int body = 1; body <= pool.size(); body++) {
                inside.add(started(new Call(commands, filler, "1", held), held, body));
            }
            if (!pool.impatient()) {
                for (int waiting = 0; waiting < pool.queue(); waiting++) {
                    inside.add(new Call(commands, filler, "2", () -> "waited").queue());
                }
                int byCallers = climb(filler, 0);
                if (byCallers != pool.callerRuns()) {
                    wrong.add(pool + ": full, and " + byCallers + " callers helped out");
                }
            }
            held.letGo();
            for (CompletableFuture<String> one : inside) {
                one.handle((answer, failure) -> answer).get(20, TimeUnit.SECONDS);
            }
        } finally {
            held.letGo();
        }
    }

    /** A call whose body has started: a free thread may take longer to come than an impatient pool lets a call wait. */
    private CompletableFuture<String> started(Call call, HeldCall held, int starts) {
        CompletableFuture<String> future = call.queue();
        for (int tries = 1; tries < 1_000; tries++) {
            CompletableFuture<String> one = future;
            await().atMost(Duration.ofSeconds(20))
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> held.starts() == starts || one.isDone());
            if (held.starts() == starts) {
                return one;
            }
            Throwable refused = one.handle((answer, failure) -> failure).join();
            if (!(refused instanceof CommandException full)
                    || full.trail().get(0).reason() != StageReason.QUEUE_TIMEOUT) {
                wrong.add("body " + starts + " did not get in: " + refused);
                return one;
            }
            future = call.queue();
        }
        wrong.add("body " + starts + " never got its thread");
        return future;
    }

    /** How many runs inside each other a full pool leaves to their callers. */
    private int climb(CommandSpec<Call, String> filler, int height) {
        int[] reached = {height};
        try {
            new Call(commands, filler, "3", () -> {
                        reached[0] = climb(filler, height + 1);
                        return "helped out";
                    })
                    .execute();
        } catch (CommandException full) {
            if (full.trail().get(0).reason() != StageReason.THREAD_POOL_FULL) {
                wrong.add(filler + ": no room, but " + full.getMessage());
            }
        }
        return reached[0];
    }

    private void fillLimit(RandomCommand kind, Callers callers) throws Exception {
        commands.resize(kind.name, kind.limit);
        commands.circuit(kind.name).forceClosed("filler");
        Queue<RandomCall> fillers = new ArrayDeque<>();
        AtomicInteger drawn = new AtomicInteger();
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(1))
                .until(() -> {
                    // One whose virtual thread came too late for its limit never was inside.
                    fillers.removeIf(filler -> filler.isEnded() && filler.bodies.get() == 0);
                    while (fillers.size() < kind.limit) {
                        RandomCall filler = filler(kind, drawn.getAndIncrement());
                        fillers.add(filler);
                        var unused = callers.start(filler::begin);
                    }
                    return kind.gate.inside() == kind.limit;
                });
        RandomCall oneMore = filler(kind, drawn.get());
        var unused = oneMore.begin();
        if (oneMore.bodies.get() > 0) {
            wrong(oneMore, "got in above the limit");
        }
    }

    private RandomCall filler(RandomCommand kind, int body) {
        RandomScript script = new RandomScript(
                EntryPoint.EXECUTE,
                RandomCall.Act.FILL,
                RandomCall.Spare.ANSWER,
                RandomCall.Leaving.STAY,
                false,
                false,
                false);
        return new RandomCall(this, kind, -1 - body, script, null, false);
    }
}
