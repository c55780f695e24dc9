package io.degradable.internal.control;

import io.degradable.control.Change;
import io.degradable.control.ManualOverride.Origin;
import io.degradable.control.Order;
import io.degradable.control.OverrideStore.Entry;
import io.degradable.control.Position;
import io.degradable.control.Target;
import io.degradable.settings.Require;
import io.degradable.time.Spans;
import io.degradable.time.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import javax.annotation.Nullable;

/**
 * Who holds what. Each change is one step under the lock: what is known of the targets, the table that readers see, and the
 * record of changes go together, so that the record has no gaps. Whoever made the step then tells of it.
 *
 * <p>Threading: every method may be called from any thread, and none blocks. No code of others runs under the lock.
 */
final class Ledger {

    /** The end of the year 9999. A stamp beyond is no moment, and nothing could be set later. */
    static final long LATEST_STAMP = 253_402_300_799_999L;

    private static final Comparator<Target> BY_TEXT = Comparator.comparing(Target::text);
    private static final String EXPIRY = "expiry";
    private static final int UNREADABLE_SHOWN = 100;

    private final Ticker ticker;
    private final ChangeLog log;
    private final boolean hasStore;

    // Guarded by this.
    private final TreeMap<Target, Slot> slots = new TreeMap<>(BY_TEXT);
    private final TreeMap<String, Unreadable> unreadable = new TreeMap<>();
    private boolean hasConfiguration;
    private boolean closed;

    private volatile Table table = Table.EMPTY;

    /** An entry of the store that cannot be read. */
    private record Unreadable(long stamp, String why) {}

    /** What a hand has done: what it moves, and its entry; null when there was nothing to let go of. */
    record Step(List<Move> moves, @Nullable HandEntry entry) {}

    /** What a look into the store has brought: what it moves, and what the store does not have. */
    record Merge(List<Move> moves, Map<String, HandEntry> missing) {}

    Ledger(Ticker ticker, ChangeLog log, boolean hasStore) {
        this.ticker = ticker;
        this.log = log;
        this.hasStore = hasStore;
    }

    /** What readers see. */
    Table table() {
        return table;
    }

    // ---- by hand ----

    /**
     * A hand holds a target.
     *
     * @throws IllegalStateException when this is closed
     */
    synchronized Step set(Target target, Position position, Order order) {
        requireOpen();
        Slot slot = slots.computeIfAbsent(target, known -> new Slot());
        Duration expiresIn = order.expiresIn();
        Optional<Instant> until = expiresIn == null ? Optional.empty() : Optional.of(until(expiresIn));
        EntryText text = new EntryText(position, order.author(), order.reason(), until, order.immediately());
        return byHand(Change.Kind.SET, target, slot, text, expiresIn);
    }

    /** The end for other processes, not before the one here. */
    private Instant until(Duration expiresIn) {
        long nanos = Spans.nanos(expiresIn);
        return Instant.ofEpochMilli(ticker.epochMillis() + nanos / 1_000_000 + (nanos % 1_000_000 == 0 ? 0 : 1));
    }

    /**
     * A hand lets go of a target.
     *
     * @param always also when it is not known to be held, since the store may know of it
     * @throws IllegalStateException when this is closed
     */
    synchronized Step clear(Target target, Order order, boolean always) {
        requireOpen();
        Slot slot = slots.get(target);
        boolean held = slot != null && slot.isHeldByHand();
        if (!held && !always) {
            return new Step(List.of(), null);
        }
        if (slot == null) {
            slot = new Slot();
            slots.put(target, slot);
        }
        EntryText text = new EntryText(null, order.author(), order.reason(), Optional.empty(), order.immediately());
        Step step = byHand(Change.Kind.CLEARED, target, slot, text, null);
        return held ? step : new Step(step.moves(), null);
    }

    private Step byHand(Change.Kind kind, Target target, Slot slot, EntryText text, @Nullable Duration expiresIn) {
        long stamp = slot.nextStamp(ticker.epochMillis());
        Unreadable stored = unreadable.get(target.text());
        if (stored != null) {
            stamp = Math.max(stamp, Math.min(stored.stamp, LATEST_STAMP) + 1);
        }
        HandEntry made = HandEntry.made(target, stamp, text, expiresIn, ticker);
        made.stored = !hasStore;
        List<Move> moves = new ArrayList<>();
        Held before = slot.winner();
        slot.hand = made;
        moved(moves, target, before, slot.winner(), text.atOnce());
        record(kind, target, before, slot.winner(), text);
        publish();
        return new Step(moves, made);
    }

    /** A hand was refused. */
    synchronized void refused(Target target, Position position, Order order, String why) {
        Slot slot = slots.get(target);
        log.record(
                Change.Kind.REFUSED,
                target.text(),
                text(slot == null ? null : slot.winner()),
                position.text(),
                order.author(),
                why,
                Optional.empty());
    }

    // ---- from configuration ----

    /** What the configuration says now, all of it. What it has said before is not later than what a hand has done since. */
    synchronized List<Move> configured(Supplier<Map<Target, FromConfiguration>> configuration) {
        List<Move> moves = new ArrayList<>();
        if (!closed) {
            Map<Target, FromConfiguration> all = configuration.get();
            all.forEach((target, said) -> Require.that(
                    said.position().isFor(target.kind()), target + " cannot be held at " + said.position()));
            TreeSet<Target> targets = new TreeSet<>(BY_TEXT);
            targets.addAll(slots.keySet());
            targets.addAll(all.keySet());
            for (Target target : targets) {
                Slot slot = slots.computeIfAbsent(target, known -> new Slot());
                FromConfiguration said = all.get(target);
                if (said == null) {
                    unset(moves, target, slot);
                } else {
                    configure(moves, target, slot, said);
                }
            }
            hasConfiguration = true;
            publish();
        }
        return moves;
    }

    private void unset(List<Move> moves, Target target, Slot slot) {
        FromConfiguration said = slot.said;
        if (said != null) {
            Held before = slot.winner();
            slot.configured = null;
            slot.said = null;
            moved(moves, target, before, slot.winner(), false);
            record(Change.Kind.CLEARED, target, before, slot.winner(), said);
        }
    }

    private void configure(List<Move> moves, Target target, Slot slot, FromConfiguration said) {
        FromConfiguration earlier = slot.said;
        if (said.equals(earlier)) {
            return;
        }
        Held before = slot.winner();
        boolean isNew = earlier == null || earlier.position() != said.position();
        Held held = slot.configured;
        if (isNew || held == null) {
            // Of what was there when this process began nobody knows since when: what a hand has set goes first.
            slot.configuredStamp = hasConfiguration ? slot.nextStamp(ticker.epochMillis()) : Slot.FROM_THE_START;
            slot.configured = held(target, said, ticker.nanos(), Instant.ofEpochMilli(ticker.epochMillis()));
        } else {
            slot.configured = held(target, said, held.sinceNanos(), held.since()); // another property says the same
        }
        slot.said = said;
        moved(moves, target, before, slot.winner(), false);
        if (isNew) {
            record(Change.Kind.SET, target, before, slot.winner(), said);
        }
    }

    private static Held held(Target target, FromConfiguration said, long sinceNanos, Instant since) {
        return new Held(
                target,
                said.position(),
                said.property() + " of " + said.source(),
                "configuration",
                Origin.CONFIGURATION,
                sinceNanos,
                since,
                sinceNanos,
                Optional.empty());
    }

    // ---- by time ----

    /** Ends what is over. */
    synchronized List<Move> expire() {
        List<Move> moves = new ArrayList<>();
        if (!closed) {
            long now = ticker.nanos();
            slots.forEach((target, slot) -> {
                HandEntry hand = slot.hand;
                if (hand != null && hand.isDue(now)) {
                    Held before = slot.winner();
                    hand.end(now);
                    moved(moves, target, before, slot.winner(), false);
                    recordExpired(target, before, slot.winner(), hand.text);
                }
            });
            publish();
        }
        return moves;
    }

    // ---- by the store ----

    /** Takes over what is later in the store. */
    synchronized Merge merge(Map<String, Entry> loaded) {
        Merge merge = new Merge(new ArrayList<>(), new TreeMap<>());
        if (!closed) {
            unreadable.clear();
            forget(); // before it is missed in the store
            loaded.forEach((key, entry) -> merge(merge, key, entry));
            slots.forEach((target, slot) -> {
                if (slot.hand != null && !loaded.containsKey(target.text())) {
                    miss(merge, target.text(), slot.hand);
                }
            });
            publish();
        }
        return merge;
    }

    private void merge(Merge merge, String key, Entry entry) {
        try {
            Target target = Target.parse(key);
            Slot slot = slots.computeIfAbsent(target, known -> new Slot());
            merge(merge, target, slot, entry);
        } catch (IllegalArgumentException bad) {
            unreadable.put(key, new Unreadable(entry.stamp(), String.valueOf(bad.getMessage())));
        }
    }

    private void merge(Merge merge, Target target, Slot slot, Entry entry) {
        HandEntry known = slot.hand;
        EntryText text;
        try {
            Require.that(
                    entry.stamp() > 0 && entry.stamp() <= LATEST_STAMP,
                    "its stamp must be milliseconds since 1970, was " + entry.stamp());
            text = EntryText.decoded(target, entry.text());
        } catch (IllegalArgumentException bad) {
            if (known != null && !known.stored && HandEntry.isLater(known.entry, entry)) {
                miss(merge, target.text(), known); // somebody has set it here since
            }
            throw bad;
        }
        if (known == null && HandEntry.isForgotten(entry, text, ticker.epochMillis())) {
            return;
        }
        if (known == null || HandEntry.isLater(entry, known.entry)) {
            takeOver(merge.moves, target, slot, HandEntry.loaded(target, entry, text, ticker));
        } else if (known.entry.equals(entry)) {
            known.stored = true;
        } else {
            miss(merge, target.text(), known);
        }
    }

    private static void miss(Merge merge, String key, HandEntry entry) {
        entry.stored = false;
        merge.missing.put(key, entry);
    }

    private void takeOver(List<Move> moves, Target target, Slot slot, HandEntry next) {
        boolean wasHeld = slot.isHeldByHand();
        Held before = slot.winner();
        slot.hand = next;
        moved(moves, target, before, slot.winner(), next.text.atOnce());
        if (next.holds() != null) {
            record(Change.Kind.SET, target, before, slot.winner(), next.text);
        } else if (wasHeld && next.text.position() == null) {
            record(Change.Kind.CLEARED, target, before, slot.winner(), next.text);
        } else if (wasHeld) {
            recordExpired(target, before, slot.winner(), next.text);
        }
    }

    /** Entries that the store has got. */
    void saved(Iterable<HandEntry> entries) {
        entries.forEach(entry -> entry.stored = true);
    }

    /** How many entries the store does not have. */
    synchronized int waiting() {
        return (int) slots.values().stream()
                .filter(slot -> slot.hand != null && !slot.hand.stored)
                .count();
    }

    /** What cannot be read in the store, by its key. */
    synchronized List<String> unreadable() {
        return unreadable.entrySet().stream()
                .limit(UNREADABLE_SHOWN)
                .map(one -> one.getKey() + ": " + one.getValue().why)
                .toList();
    }

    /** Whether the store has what a hold comes from; true of one that is of no entry, or has gone meanwhile. */
    synchronized boolean isStored(Held held) {
        Slot slot = slots.get(held.target());
        return slot == null || slot.hand == null || slot.hand.held != held || slot.hand.stored;
    }

    // ---- for all ----

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the container is closed");
        }
    }

    /** Nothing changes any more. */
    synchronized void close() {
        closed = true;
    }

    private void publish() {
        forget();
        table = new Table(slots.values());
    }

    private void forget() {
        long now = ticker.nanos();
        slots.values().removeIf(slot -> {
            if (slot.hand != null && slot.hand.isForgotten(now)) {
                slot.hand = null;
            }
            return slot.isEmpty();
        });
    }

    private static void moved(
            List<Move> moves, Target target, @Nullable Held before, @Nullable Held after, boolean atOnce) {
        if (before != after) {
            moves.add(new Move(target, before, after, atOnce));
        }
    }

    private void record(Change.Kind kind, Target target, @Nullable Held before, @Nullable Held after, EntryText text) {
        record(kind, target, before, after, text.author(), text.reason(), text.until());
    }

    private void record(
            Change.Kind kind, Target target, @Nullable Held before, @Nullable Held after, FromConfiguration said) {
        record(kind, target, before, after, said.source(), said.property(), Optional.empty());
    }

    private void recordExpired(Target target, @Nullable Held before, @Nullable Held after, EntryText text) {
        String reason = "set by " + text.author() + ": " + text.reason();
        record(Change.Kind.EXPIRED, target, before, after, EXPIRY, reason, text.until());
    }

    private void record(
            Change.Kind kind,
            Target target,
            @Nullable Held before,
            @Nullable Held after,
            String author,
            String reason,
            Optional<Instant> expiresAt) {
        log.record(kind, target.text(), text(before), text(after), author, reason, expiresAt);
    }

    private static String text(@Nullable Held held) {
        return held == null ? "" : held.position().text();
    }
}
