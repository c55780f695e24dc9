package io.degradable.internal.control;

import io.degradable.control.ManualOverride.Origin;
import io.degradable.control.OverrideStore.Entry;
import io.degradable.control.Position;
import io.degradable.control.Target;
import io.degradable.time.Spans;
import io.degradable.time.Ticker;
import java.time.Duration;
import java.time.Instant;
import javax.annotation.Nullable;

/**
 * What a hand has said last about a target: to hold it, or to let go. It stays when it has ended, so that nothing older
 * takes its place.
 *
 * <pre>
 *   holds --its time is over--> ended --a week--> forgotten
 *   let go, or over when it was loaded --> ended
 * </pre>
 *
 * <p>Threading: what changes is guarded by the ledger.
 */
final class HandEntry {

    static final Duration REMEMBERED = Duration.ofDays(7);

    final Entry entry;
    final EntryText text;

    /** What it holds; null when it never did in this process. */
    final @Nullable Held held;

    private boolean holds;
    private long endedNanos;

    /** Whether the store has it; looked at without the lock, too. */
    volatile boolean stored;

    private HandEntry(Entry entry, EntryText text, @Nullable Held held, long nowNanos) {
        this.entry = entry;
        this.text = text;
        this.held = held;
        this.holds = held != null;
        this.endedNanos = nowNanos;
    }

    /** One that was made here and now. */
    static HandEntry made(Target target, long stamp, EntryText text, @Nullable Duration expiresIn, Ticker ticker) {
        long now = ticker.nanos();
        long expires = now + (expiresIn == null ? Spans.FOREVER : Spans.nanos(expiresIn));
        return new HandEntry(
                new Entry(stamp, text.encoded()),
                text,
                held(target, text, Origin.HAND, now, Instant.ofEpochMilli(ticker.epochMillis()), expires),
                now);
    }

    /** One that comes from the store. Only from its stamps it can be said how long ago that was, and how long it goes on. */
    static HandEntry loaded(Target target, Entry entry, EntryText text, Ticker ticker) {
        long now = ticker.nanos();
        Instant wall = Instant.ofEpochMilli(ticker.epochMillis());
        Instant since = Instant.ofEpochMilli(entry.stamp());
        long left = text.until()
                .map(until -> Spans.nanos(Duration.between(wall, until)))
                .orElse(Spans.FOREVER);
        long ago = Math.max(0, Spans.nanos(Duration.between(since, wall)));
        HandEntry made = new HandEntry(
                entry, text, left > 0 ? held(target, text, Origin.STORE, now - ago, since, now + left) : null, now);
        made.stored = true;
        return made;
    }

    private static @Nullable Held held(
            Target target, EntryText text, Origin origin, long sinceNanos, Instant since, long expiresNanos) {
        Position position = text.position();
        return position == null
                ? null
                : new Held(
                        target,
                        position,
                        text.author(),
                        text.reason(),
                        origin,
                        sinceNanos,
                        since,
                        expiresNanos,
                        text.until());
    }

    /** What it holds at the moment. */
    @Nullable
    Held holds() {
        return holds ? held : null;
    }

    boolean isDue(long nowNanos) {
        return holds && held != null && held.expires() && held.expiresNanos() - nowNanos <= 0;
    }

    void end(long nowNanos) {
        holds = false;
        endedNanos = nowNanos;
    }

    /** Whether nobody needs to know of it any more. */
    boolean isForgotten(long nowNanos) {
        return !holds && nowNanos - endedNanos >= Spans.nanos(REMEMBERED);
    }

    /** Whether one that comes from a store was over so long ago that nobody needs to know. */
    static boolean isForgotten(Entry entry, EntryText text, long nowMillis) {
        if (text.position() != null && text.until().isEmpty()) {
            return false;
        }
        long over = text.position() == null
                ? entry.stamp()
                : text.until().map(Instant::toEpochMilli).orElseThrow();
        return over < nowMillis - REMEMBERED.toMillis();
    }

    /** The order that all agree on: the later stamp, of equal ones the greater text. */
    static boolean isLater(Entry one, Entry other) {
        return one.stamp() != other.stamp()
                ? one.stamp() > other.stamp()
                : one.text().compareTo(other.text()) > 0;
    }
}
