package io.degradable.bench;

import io.degradable.CallableCommand;
import io.degradable.Commands;
import io.degradable.micrometer.DegradableMeters;
import io.degradable.time.Deadline;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;

/** What this library is asked for beside the plain answer, on the caller's thread. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class OursOnly {

    /** A container, warm when it is measured. */
    @State(Scope.Benchmark)
    public abstract static class Kept {

        final Ours ours;

        Kept(Commands commands) {
            ours = new Ours(commands);
        }

        @Setup
        public void warm(BenchmarkParams run) throws Exception {
            Warm.up(run, new OursOnly(), this);
        }

        @TearDown
        public void close() {
            ours.close();
        }
    }

    /** A container that nobody looks at. */
    public static class Plain extends Kept {

        final CallableCommand<String> asking = ours.command(ours.successSpec, Plain::ask);

        public Plain() {
            super(Commands.create());
        }

        @CompilerControl(CompilerControl.Mode.DONT_INLINE)
        private static String ask() {
            return Deadline.current() == Deadline.NONE ? Work.TEMPLATE : Work.ANSWER;
        }
    }

    /** A container with a listener that does nothing. */
    public static class Listened extends Kept {

        public Listened() {
            super(Commands.builder().listener(event -> {}).build());
        }
    }

    /** A container whose meters are read ten times a second, a hundred times as often as in production. */
    public static class Scraped extends Kept {

        private final ScheduledExecutorService reader = Executors.newSingleThreadScheduledExecutor();

        public Scraped() {
            super(Commands.create());
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            new DegradableMeters(ours.commands).bindTo(registry);
            reader.scheduleAtFixedRate(
                    () -> {
                        registry.getMeters().forEach(meter -> meter.measure().forEach(measured -> measured.getValue()));
                        ours.commands.commands().forEach(command -> command.recentEvents());
                    },
                    0,
                    100,
                    TimeUnit.MILLISECONDS);
        }

        @Override
        public void close() {
            reader.shutdownNow();
            super.close();
        }
    }

    @Benchmark
    public Object success(Plain plain) {
        return plain.ours.success.execute();
    }

    /** The command is made for the call, as users write it. */
    @Benchmark
    public Object successOfNew(Plain plain) {
        return plain.ours.command(plain.ours.successSpec, Work.ANSWERS).execute();
    }

    /** The body asks how long it may take. */
    @Benchmark
    public Object successWithDeadline(Plain plain) {
        return plain.asking.execute();
    }

    @Benchmark
    public Object successForResult(Plain plain) {
        return plain.ours.success.executeForResult();
    }

    @Benchmark
    public Object failureForResult(Plain plain) {
        return plain.ours.failure.executeForResult();
    }

    @Benchmark
    public Object openForResult(Plain plain) {
        return plain.ours.open.executeForResult();
    }

    @Benchmark
    public Object successListened(Listened listened) {
        return listened.ours.success.execute();
    }

    @Benchmark
    public Object successScraped(Scraped scraped) {
        return scraped.ours.success.execute();
    }
}
