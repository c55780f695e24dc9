package io.degradable.internal.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.control.Change;
import io.degradable.control.ChangeListener;
import io.degradable.control.OverrideStore;
import io.degradable.control.Position;
import io.degradable.control.Target;
import io.degradable.testing.ManualTicker;
import io.degradable.time.Timer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.annotation.Nullable;

/** The overrides of one process. What is done aside waits for {@link #settle()}, unless threads are asked for. */
final class Engine implements Effects {

    final ManualTicker ticker;
    final ChangeLog log;
    final Overrides overrides;
    final List<Move> moves = new CopyOnWriteArrayList<>();
    final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    final AtomicInteger alarms = new AtomicInteger();
    final AtomicInteger atRest = new AtomicInteger();
    final Set<Target> unknown = ConcurrentHashMap.newKeySet();
    final Map<Target, String> refusals = new ConcurrentHashMap<>();
    volatile boolean asideRefuses;
    volatile Runnable onChange = () -> {};

    Engine(ManualTicker ticker) {
        this(ticker, null);
    }

    Engine(ManualTicker ticker, @Nullable OverrideStore store, ChangeListener... listeners) {
        this.ticker = ticker;
        this.log = new ChangeLog(ticker, this::aside, List.of(listeners));
        this.overrides = new Overrides(
                ticker, counted(ticker.newTimer("test")), this::aside, log, this, store, atRest::incrementAndGet);
    }

    private boolean aside(Runnable work) {
        return !asideRefuses && waiting.add(work);
    }

    /** Does what waits to be done aside, and what comes of that. */
    void settle() {
        int steps = 0;
        for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
            next.run();
            assertThat(++steps).as("steps without an end").isLessThan(10_000);
        }
    }

    /** Counts the alarms that have neither rung nor been cancelled. */
    private Timer counted(Timer timer) {
        return new Timer() {
            @Override
            public Alarm schedule(Runnable task, long atNanos) {
                AtomicInteger left = new AtomicInteger(1);
                alarms.incrementAndGet();
                Alarm alarm = timer.schedule(
                        () -> {
                            alarms.addAndGet(-left.getAndSet(0));
                            task.run();
                        },
                        atNanos);
                return () -> {
                    alarms.addAndGet(-left.getAndSet(0));
                    alarm.cancel();
                };
            }

            @Override
            public void close() {
                timer.close();
            }
        };
    }

    @Override
    public void changed(List<Move> more) {
        moves.addAll(more);
        onChange.run();
    }

    @Override
    public @Nullable String refusal(Target target, Position position) {
        return refusals.get(target);
    }

    @Override
    public boolean isKnown(Target target) {
        return !unknown.contains(target);
    }

    @Override
    public String notServed(Target target, Position position) {
        return "";
    }

    /** Where everything is held, by the targets' texts. */
    Map<String, Position> held() {
        Map<String, Position> held = new HashMap<>();
        overrides.all().forEach(one -> held.putIfAbsent(one.target().text(), one.position()));
        return held;
    }

    /** The changes as {@code kind subject from>to author}. */
    List<String> changes() {
        return log.changes().stream()
                .map(one -> one.kind() + " " + one.subject() + " " + one.from() + ">" + one.to() + " " + one.author())
                .toList();
    }

    /** Each change of a target begins where the one before has ended; the last one ends where it is held now. */
    void assertChain() {
        Map<String, String> at = new HashMap<>();
        for (Change change : log.changes()) {
            String before = at.put(change.subject(), change.to());
            if (before != null || log.changes().get(0).id() == 1) {
                assertThat(change.from()).as("%s", change).isEqualTo(before == null ? "" : before);
            }
        }
        Map<String, String> held = new HashMap<>();
        held().forEach((target, position) -> held.put(target, position.text()));
        at.values().removeIf(String::isEmpty);
        if (log.changes().isEmpty() || log.changes().get(0).id() == 1) {
            assertThat(at).isEqualTo(held);
        }
    }
}
