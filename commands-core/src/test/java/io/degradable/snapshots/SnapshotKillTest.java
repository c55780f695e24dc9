package io.degradable.snapshots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.testing.Caller;
import io.degradable.testing.ManualTicker;
import io.degradable.time.Ticker;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
final class SnapshotKillTest {

    private static final int RECORDS = 20_000;
    private static final int KILLS = 10;

    @TempDir
    Path directory;

    /**
     * Builds one version after the other until it is killed, and says each step of the disk with a dot before it does it. Ends
     * with a B when somebody else is building.
     */
    static final class Program extends Disk {

        private final boolean hangs;

        private Program(boolean hangs) {
            this.hangs = hangs;
        }

        public static void main(String[] arguments) throws Exception {
            Path directory = Path.of(arguments[0]);
            boolean hangs = arguments[1].equals("hang");
            while (true) {
                Head newest = new SnapshotDirectory(Goods.spec(directory)).newest();
                String season = "season " + (newest == null ? 1 : newest.version() + 1);
                SnapshotBuilder<Long, Long, String> builder = SnapshotBuilder.of(
                                Goods.spec(directory), Goods.ids(RECORDS), id -> id, id -> Goods.product(id, season))
                        .on(new Program(hangs));
                try {
                    builder.build();
                } catch (SnapshotException refused) {
                    System.out.print(refused.isBusy() ? 'B' : 'F');
                    System.out.flush();
                    return;
                }
            }
        }

        private static void dot() {
            System.out.print('.');
            System.out.flush();
        }

        @Override
        FileChannel create(Path file) throws IOException {
            dot();
            while (hangs) {
                LockSupport.park();
            }
            return super.create(file);
        }

        @Override
        void write(FileChannel channel, ByteBuffer bytes, long position) throws IOException {
            dot();
            super.write(channel, bytes, position);
        }

        @Override
        void force(FileChannel channel) throws IOException {
            dot();
            super.force(channel);
        }

        @Override
        void publish(Path from, Path to) throws IOException {
            dot();
            super.publish(from, to);
        }

        @Override
        void forceDirectory(Path where) throws IOException {
            dot();
            super.forceDirectory(where);
        }
    }

    @DisplayName("D3: a process that is killed at any moment of a building leaves one whole version, and blocks nobody")
    @Test
    void whoever_is_killed_while_building_leaves_one_whole_version() throws Exception {
        long seed = Long.getLong("degradable.seed", System.nanoTime());
        Random random = new Random(seed);
        long version = 0;
        for (int kill = 0; kill < KILLS; kill++) {
            // The first steps of a process are of one version; two versions on, there must have been one that it
            // published.
            killAfter(1 + random.nextInt(30));

            long found = wholeVersion("seed " + seed + ", kill " + kill);

            assertThat(found).isGreaterThanOrEqualTo(version);
            version = found;
        }

        ManualTicker now = new ManualTicker(0, System.currentTimeMillis());
        assertThat(Goods.builder(directory, RECORDS, "last", now).build().version())
                .isEqualTo(version + 1);
        assertThat(Goods.files(directory)).noneMatch(name -> name.endsWith(".tmp"));
    }

    @DisplayName("D3: a builder in another process is left alone, and its lock ends with it, however it ends")
    @Test
    void the_lock_of_another_process_holds_until_it_is_killed() throws Exception {
        ManualTicker now = new ManualTicker(0, System.currentTimeMillis());
        SnapshotBuilder<Long, Long, String> builder = Goods.builder(directory, 3, "ours", now);
        Process program = start("hang");
        try (InputStream dots = program.getInputStream()) {
            assertThat(dots.read()).isEqualTo('.'); // it has the lock, and goes no further

            assertThatThrownBy(builder::build)
                    .isInstanceOf(SnapshotException.class)
                    .hasMessageContaining("somebody else is building it");
        } finally {
            program.destroyForcibly();
            assertThat(program.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }

        assertThat(builder.build().version()).isEqualTo(1);
    }

    @Test
    void a_builder_that_is_refused_does_not_give_away_the_lock_of_its_process() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch on = new CountDownLatch(1);
        PageSource<Long> slow = (after, size) -> {
            begun.countDown();
            on.await();
            return Goods.page(after, size, 3);
        };
        SnapshotBuilder<Long, Long, String> builder =
                SnapshotBuilder.of(Goods.spec(directory), slow, id -> id, id -> Goods.product(id, "ours"));
        Caller<BuiltSnapshot> first = Caller.calls(builder::build);
        begun.await();
        assertThatThrownBy(builder::build).hasMessageContaining("somebody else is building it");

        Process program = start("build");
        try (InputStream said = program.getInputStream()) {
            assertThat(said.read())
                    .as("what comes first, a step or the refusal")
                    .isEqualTo('B');
        } finally {
            program.destroyForcibly();
            assertThat(program.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
        on.countDown();

        assertThat(first.result().version()).isEqualTo(1);
    }

    private Process start(String how) throws IOException {
        return new ProcessBuilder(
                        System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName(),
                        directory.toString(),
                        how)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private void killAfter(int steps) throws Exception {
        Process program = start("build");
        try (InputStream dots = program.getInputStream()) {
            int seen = 0;
            while (seen < steps && dots.read() == '.') {
                seen++;
            }
            assertThat(seen).as("steps before it ended by itself").isEqualTo(steps);
        } finally {
            program.destroyForcibly();
            assertThat(program.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** The version that a reader takes, of which every record is of the same season. 0 before there is one. */
    private long wholeVersion(String when) throws Exception {
        try (SnapshotReader<Long, String> reader = SnapshotReader.open(Goods.spec(directory), Ticker.system())) {
            long version = reader.view().version();
            assertThat(reader.view().refused()).as(when).isZero();
            assertThat(reader.view().records()).as(when).isEqualTo(version == 0 ? 0 : RECORDS);
            long wrong = 0;
            for (long id = 0; version > 0 && id < RECORDS; id++) {
                var found = reader.find(id);
                wrong += found != null && found.value().equals(Goods.product(id, "season " + version)) ? 0 : 1;
            }
            assertThat(wrong).as(when).isZero();
            return version;
        }
    }
}
