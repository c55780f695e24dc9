package io.degradable.snapshots;

import io.degradable.time.Spans;
import io.degradable.time.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import javax.annotation.Nullable;

/**
 * Builds a snapshot again and again, never two at once. A run is due one interval after the building of the newest version in
 * the directory began, whoever built it: instances that share a directory take turns. One that fails, or finds somebody else
 * building, is tried again an interval after it began.
 *
 * <pre>
 *   waiting --due--> building --published, failed, or somebody else builds--> waiting
 *   the newest version is older than missedAfter, in either state: an alarm, told again once an interval
 * </pre>
 *
 * <p>Threading: every method may be called from any thread. {@code degradable-snapshot-<name>-schedule} waits and raises the
 * alarm, so that a source which hangs does not hold it up; {@code degradable-snapshot-<name>-build} is there while a run is.
 */
public final class SnapshotSchedule implements AutoCloseable {

    private static final long CLOSE_GRACE_NANOS = 1_000_000_000L;

    private final SnapshotBuilder<?, ?, ?> builder;
    private final String name;
    private final SnapshotDirectory directory;
    private final ScheduleSettings settings;
    private final long everyNanos;
    private final long missedAfterNanos;
    private final Ticker ticker;
    private final Teller teller;
    private final Object lock = new Object();

    private volatile boolean closed;
    private volatile @Nullable Worker worker;

    // Guarded by lock.
    private @Nullable Worker building;
    private long dueNanos;
    private long alarmNanos;

    /** The stamp of the newest version; of the start, while none is known. */
    private long newestNanos;

    private long newestVersion;
    private long newestCreatedAt;
    private boolean looked;

    private boolean missed;
    private long built;
    private long failed;
    private long busy;
    private long alarms;
    private @Nullable Instant lastBuilt;
    private @Nullable String lastFailure;

    /**
     * A schedule at one moment.
     *
     * @param name of the snapshot
     * @param every its interval
     * @param building whether a run is going on
     * @param missed whether the newest version is too old: an alarm
     * @param built runs that published a version
     * @param failed runs that did not
     * @param busy runs that found somebody else building
     * @param alarms how often {@link SnapshotEvent.Missed} was told
     * @param listenerMistakes how often the listener threw, or was so slow that it was not told
     * @param lastBuilt when the last version of this schedule was begun, by the wall clock; null when there is none
     * @param lastFailure what the last run that failed said; null when none did
     */
    public record View(
            String name,
            Duration every,
            boolean building,
            boolean missed,
            long built,
            long failed,
            long busy,
            long alarms,
            long listenerMistakes,
            @Nullable Instant lastBuilt,
            @Nullable String lastFailure) {}

    private SnapshotSchedule(SnapshotBuilder<?, ?, ?> builder, ScheduleSettings settings, SnapshotListener listener) {
        this.builder = Objects.requireNonNull(builder, "builder must not be null");
        this.name = builder.spec().name();
        this.directory = new SnapshotDirectory(builder.spec());
        this.settings = Objects.requireNonNull(settings, "settings must not be null");
        this.everyNanos = Spans.nanos(settings.every());
        this.missedAfterNanos = Spans.nanos(settings.missedAfter());
        this.ticker = builder.ticker();
        this.teller = new Teller(
                "degradable-snapshot-" + name + "-events",
                Objects.requireNonNull(listener, "listener must not be null"));
        this.newestNanos = ticker.nanos();
        this.dueNanos = newestNanos;
        this.alarmNanos = newestNanos + missedAfterNanos;
    }

    /**
     * Starts one. The first run is due at once, or an interval after the newest version that is there already.
     *
     * @param builder its ticker is the schedule's
     * @param listener is told {@link SnapshotEvent.Built}, {@link SnapshotEvent.Failed} and {@link SnapshotEvent.Missed}
     */
    public static SnapshotSchedule start(
            SnapshotBuilder<?, ?, ?> builder, ScheduleSettings settings, SnapshotListener listener) {
        SnapshotSchedule schedule = new SnapshotSchedule(builder, settings, listener);
        synchronized (schedule.lock) { // which it needs before it can begin a run that would have to wake it
            schedule.worker = Worker.start("degradable-snapshot-" + schedule.name + "-schedule", schedule::work);
        }
        return schedule;
    }

    /** What can be looked at. */
    public View view() {
        synchronized (lock) {
            return new View(
                    name,
                    settings.every(),
                    building != null,
                    missed,
                    built,
                    failed,
                    busy,
                    alarms,
                    teller.mistakes(),
                    lastBuilt,
                    lastFailure);
        }
    }

    // ---- the thread that waits ----

    private void work() {
        while (!closed) {
            long nextNanos = next();
            if (ticker.nanos() - nextNanos < 0) {
                ticker.await(this, nextNanos);
                boolean unused = Thread.interrupted(); // or it would never wait again
            } else {
                lookAround();
                act();
            }
        }
    }

    private long next() {
        synchronized (lock) {
            return building == null ? Spans.earlier(dueNanos, alarmNanos) : alarmNanos;
        }
    }

    /** Others may have published a version. */
    private void lookAround() {
        Head newest = null;
        try {
            newest = directory.newestOfItsCodecs();
        } catch (Throwable unreadable) {
            // the run will say so
        }
        synchronized (lock) {
            boolean firstLook = !looked;
            looked = true;
            if (newest == null
                    || (newest.version() == newestVersion && newest.createdAtEpochNanos() == newestCreatedAt)) {
                return;
            }
            long alarmOfStartNanos = alarmNanos;
            seen(newest.version(), newest.createdAtEpochNanos());
            if (firstLook) {
                alarmNanos = alarmOfStartNanos; // it does not answer for the time before it was there
            }
        }
    }

    /** Call with the lock held. */
    private void seen(long version, long createdAtEpochNanos) {
        // One from the future is taken for one of now.
        long stampNanos = ticker.nanos() - Math.max(0, ticker.epochNanos() - createdAtEpochNanos);
        newestVersion = version;
        newestCreatedAt = createdAtEpochNanos;
        newestNanos = stampNanos;
        dueNanos = stampNanos + everyNanos;
        alarmNanos = stampNanos + missedAfterNanos;
        missed = false;
    }

    private void act() {
        long nowNanos = ticker.nanos();
        SnapshotEvent alarm = null;
        synchronized (lock) {
            if (nowNanos - alarmNanos >= 0) {
                missed = true;
                alarms++;
                alarmNanos = nowNanos + everyNanos;
                alarm = new SnapshotEvent.Missed(name, Duration.ofNanos(nowNanos - newestNanos));
            }
            if (building == null && nowNanos - dueNanos >= 0 && !closed) {
                dueNanos = nowNanos + everyNanos;
                begin();
            }
        }
        if (alarm != null) {
            teller.tell(alarm);
        }
    }

    /** Call with the lock held. */
    private void begin() {
        try {
            building = Worker.start("degradable-snapshot-" + name + "-build", this::build);
        } catch (Throwable noThread) { // no memory for one: as any other run that failed
            failed++;
            lastFailure = String.valueOf(noThread);
        }
    }

    // ---- the thread that builds ----

    private void build() {
        SnapshotEvent event = null;
        try {
            BuiltSnapshot result = builder.build(() -> closed);
            event = new SnapshotEvent.Built(name, result);
            synchronized (lock) {
                built++;
                lastBuilt = result.createdAt();
                seen(result.version(), result.createdAt().toEpochMilli() * 1_000_000);
            }
        } catch (Throwable failure) {
            synchronized (lock) {
                if (failure instanceof SnapshotException said && said.isBusy()) {
                    busy++;
                } else {
                    failed++;
                    lastFailure = failure instanceof SnapshotException said ? said.says() : failure.toString();
                    event = new SnapshotEvent.Failed(name, failure);
                }
            }
        } finally {
            synchronized (lock) {
                building = null;
            }
            Worker waiting = worker;
            if (waiting != null) {
                waiting.wake();
            }
        }
        if (event != null && !closed) {
            teller.tell(event);
        }
    }

    /**
     * Ends it, with the run that is going on: within a second, also when the source hangs. A source that does not heed the
     * interrupt keeps its thread, a daemon, until it returns; nothing is published after that.
     */
    @Override
    public void close() {
        closed = true;
        Worker run;
        synchronized (lock) {
            run = building;
        }
        long untilNanos = ticker.nanos() + CLOSE_GRACE_NANOS;
        for (Worker one : new Worker[] {worker, run}) {
            if (one != null) {
                one.interrupt();
                boolean unused = one.isCurrent() || one.awaitEnd(ticker, untilNanos);
            }
        }
        teller.close();
    }
}
