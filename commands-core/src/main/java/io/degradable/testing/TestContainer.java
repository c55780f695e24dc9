package io.degradable.testing;

import io.degradable.Commands;
import io.degradable.state.PoolView;
import io.degradable.time.Ticker;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/**
 * The container of one test, and what becomes of it.
 *
 * <p>Threading: belongs to the thread of the test.
 */
final class TestContainer {

    private static final long PATIENCE_NANOS = Duration.ofSeconds(2).toNanos();
    private static final long MOMENT_NANOS = Duration.ofMillis(1).toNanos();

    /** How far a ticker that nobody moves any more is moved each moment, so that a grace passes. */
    private static final Duration STEP = Duration.ofMillis(100);

    private final Ticker clock = Ticker.system();
    private final Set<Thread> before = threads();
    private final @Nullable ManualTicker ticker;
    private final @Nullable RecordedEvents events;
    private final Commands commands;

    /**
     * A new one.
     *
     * @param manual whether its time moves only when the test says so
     * @param recorded whether its events are recorded
     */
    TestContainer(String name, boolean manual, boolean recorded) {
        this.ticker = manual ? new ManualTicker() : null;
        this.events = recorded ? new RecordedEvents() : null;
        Commands.Builder builder = Commands.builder().name(name).ticker(ticker == null ? clock : ticker);
        this.commands = (events == null ? builder : builder.inlineListener(events)).build();
    }

    Commands commands() {
        return commands;
    }

    ManualTicker ticker() {
        if (ticker == null) {
            throw new IllegalStateException("the container runs on the JVM's clocks: nobody asked for a ticker before");
        }
        return ticker;
    }

    RecordedEvents events() {
        if (events == null) {
            throw new IllegalStateException(
                    "the events of the container are not recorded: nobody asked for them before");
        }
        return events;
    }

    /**
     * Closes it.
     *
     * @throws AssertionError when threads of it are left
     */
    void close() {
        boolean interrupted = Thread.interrupted(); // what ends the test must not end its tidying up
        try {
            closeCommands();
            Set<String> left = new TreeSet<>();
            waitUntil(() -> {
                left.clear();
                left.addAll(leftBehind());
                return left.isEmpty();
            });
            if (!left.isEmpty()) {
                throw new AssertionError("container " + commands.name() + " was closed, and threads of it go on: "
                        + String.join(", ", left)
                        + "; a body that does not end after an interrupt keeps its thread");
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void closeCommands() {
        ManualTicker manual = ticker;
        if (manual == null) {
            commands.close();
            return;
        }
        Thread closer = new Thread(commands::close, "closes-" + commands.name());
        closer.setDaemon(true);
        closer.start();
        waitUntil(() -> {
            manual.advance(STEP);
            return !closer.isAlive();
        });
    }

    private void waitUntil(BooleanSupplier condition) {
        long untilNanos = clock.nanos() + PATIENCE_NANOS;
        while (!condition.getAsBoolean() && untilNanos - clock.nanos() > 0) {
            clock.await(this, clock.nanos() + MOMENT_NANOS);
        }
    }

    private Set<String> leftBehind() {
        String pools = commands.pools().stream()
                .filter(pool -> pool.threads() > 0)
                .map(PoolView::name)
                .map(Pattern::quote)
                .collect(Collectors.joining("|"));
        String own = Pattern.quote(commands.name());
        Pattern names = Pattern.compile("degradable-(timer-" + own + "|" + own + "-continuation-.*"
                + (pools.isEmpty() ? "" : "|(" + pools + ")-[0-9]+") + ")");
        return threads().stream()
                .filter(thread -> !before.contains(thread))
                .map(Thread::getName)
                .filter(name -> names.matcher(name).matches())
                .collect(Collectors.toSet());
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet();
    }
}
