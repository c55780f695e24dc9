package io.degradable.snapshots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.degradable.cache.Codec;
import io.degradable.testing.Caller;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class SnapshotBuilderTest {

    private static final long OLD_COUNT = 10;

    private final ManualTicker ticker = new ManualTicker();

    @TempDir
    Path directory;

    private SnapshotBuilder<Long, Long, String> of(PageSource<Long> source) {
        return SnapshotBuilder.of(Goods.spec(directory), source, id -> id, id -> Goods.product(id, "summer"))
                .ticker(ticker);
    }

    private void oldOne() throws Exception {
        Goods.builder(directory, OLD_COUNT, "winter", ticker).build();
    }

    private void assertThatTheOldOneStays() throws Exception {
        assertThat(Goods.files(directory)).containsExactly("products-0000000001.snapshot");
        SnapshotFile<Long, String> old = Goods.opened(directory, 1, ticker);
        assertThat(old.head().records()).isEqualTo(OLD_COUNT);
        assertThat(old.find(0L)).isEqualTo(Goods.product(0, "winter"));
    }

    @DisplayName("D3: pages of 5,000, progress after each, and a result that says what it is")
    @Test
    void it_pages_through_its_source_and_tells_how_far_it_is() throws Exception {
        List<Long> asked = new ArrayList<>();
        List<BuildProgress> told = new ArrayList<>();
        Instant begin = Instant.ofEpochMilli(ticker.epochMillis());

        BuiltSnapshot built = of((after, size) -> {
                    asked.add(after);
                    asked.add((long) size);
                    ticker.advance(Duration.ofSeconds(2));
                    return Goods.page(after, size, 12_000);
                })
                .onProgress(told::add)
                .build();

        assertThat(asked).containsExactly(null, 5_000L, 4_999L, 5_000L, 9_999L, 5_000L, 11_999L, 5_000L);
        assertThat(told)
                .extracting(BuildProgress::pages, BuildProgress::records, BuildProgress::elapsed)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(1L, 5_000L, Duration.ofSeconds(2)),
                        org.assertj.core.groups.Tuple.tuple(2L, 10_000L, Duration.ofSeconds(4)),
                        org.assertj.core.groups.Tuple.tuple(3L, 12_000L, Duration.ofSeconds(6)));
        assertThat(told).extracting(BuildProgress::bytes).isSorted().doesNotHaveDuplicates();
        assertThat(built)
                .isEqualTo(new BuiltSnapshot(
                        "products",
                        1,
                        directory.resolve("products-0000000001.snapshot"),
                        begin,
                        12_000,
                        Files.size(built.file()),
                        Duration.ofSeconds(8)));
    }

    @Test
    void a_listener_of_the_progress_that_throws_is_counted_and_changes_nothing() throws Exception {
        SnapshotBuilder<Long, Long, String> builder = of(Goods.ids(3)).onProgress(progress -> {
            throw new AssertionError("a mistake");
        });

        assertThat(builder.build().records()).isEqualTo(3);
        assertThat(builder.progressMistakes()).isEqualTo(1);
    }

    @DisplayName("S8: a rate of records per second is kept to by the ticker")
    @Test
    void it_asks_no_faster_than_its_rate() throws Exception {
        List<Duration> pages = new ArrayList<>();
        long began = ticker.nanos();
        Caller<BuiltSnapshot> build = Caller.calls(() -> of((after, size) -> {
                    pages.add(Duration.ofNanos(ticker.nanos() - began));
                    return Goods.page(after, size, 3_000);
                })
                .with(BuildSettings.defaults().pageSize(1_000).recordsPerSecond(100))
                .build());

        for (int page = 0; page < 3; page++) {
            ticker.untilWaiting(1);
            ticker.advance(Duration.ofMillis(9_989)); // one hundredth of a second is made up for
            ticker.advance(Duration.ofMillis(11));
        }

        assertThat(build.result().elapsed()).isEqualTo(Duration.ofSeconds(30));
        assertThat(pages)
                .containsExactly(Duration.ZERO, Duration.ofSeconds(10), Duration.ofSeconds(20), Duration.ofSeconds(30));
    }

    // ---- what is not believed ----

    static Stream<Arguments> refusedSources() {
        PageSource<Long> throwing = (after, size) -> {
            if (after != null) {
                throw new IOException("connection reset");
            }
            return Goods.page(null, 6, 6);
        };
        return Stream.of(
                Arguments.of(
                        throwing, "the source failed: java.io.IOException: connection reset (page 2, after 6 records"),
                Arguments.of(Goods.ids(0), "it would have 0 records, at least 1 are asked for"),
                Arguments.of(
                        Goods.ids(4),
                        "it would have 4 records, the version before has 10, and it may lose at most 50 % of them"),
                Arguments.of(pages(List.of(1L, 2L), List.of(3L, 1L)), "the source has the key 1 twice (page 2"),
                Arguments.of(
                        pages(Arrays.asList(1L, null)), "the source returned an item that is null (page 1, after 1"),
                Arguments.of((PageSource<Long>) (after, size) -> nothing(), "the source returned null in the place"));
    }

    @SafeVarargs
    private static PageSource<Long> pages(List<Long>... pages) {
        int[] next = {0};
        return (after, size) -> next[0] < pages.length ? pages[next[0]++] : List.of();
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // what users may do all the same
    private static <V> V nothing() {
        return (V) null;
    }

    @DisplayName("D3: a source that fails, repeats a key, has gaps, or has suddenly little leaves the old snapshot")
    @ParameterizedTest(name = "{1}")
    @MethodSource("refusedSources")
    void what_a_source_gets_wrong_leaves_the_old_one(PageSource<Long> source, String says) throws Exception {
        oldOne();

        assertThatThrownBy(() -> of(source).build())
                .isInstanceOf(SnapshotException.class)
                .hasMessageStartingWith("snapshot products was not built, version 1 stays: ")
                .hasMessageContaining(says)
                .hasMessageContaining(directory.toString());

        assertThatTheOldOneStays();
    }

    @Test
    void half_of_the_old_one_is_just_enough() throws Exception {
        oldOne();

        assertThat(of(Goods.ids(5)).build().version()).isEqualTo(2);
    }

    @Test
    void functions_and_codecs_that_give_null_or_throw_are_named_with_the_key() throws Exception {
        oldOne();
        Codec<String> lazy = new Codec<>() {
            @Override
            public String name() {
                return "lazy";
            }

            @Override
            public byte[] encode(String value) {
                return nothing();
            }

            @Override
            public String decode(byte[] bytes) {
                return "";
            }
        };
        SnapshotSpec<Long, String> lazySpec = new SnapshotSpec<>("products", directory, Codec.longs(), lazy);
        Function<Long, String> throwing = id -> {
            throw new IllegalStateException("no name");
        };

        assertThatThrownBy(() -> SnapshotBuilder.of(Goods.spec(directory), Goods.ids(8), id -> id, id -> nothing())
                        .build())
                .hasMessageContaining("the record of key 0 is null");
        assertThatThrownBy(() -> SnapshotBuilder.of(Goods.spec(directory), Goods.ids(8), id -> nothing(), id -> "")
                        .build())
                .hasMessageContaining("the key of 0 is null");
        assertThatThrownBy(() -> SnapshotBuilder.of(Goods.spec(directory), Goods.ids(8), id -> id, throwing)
                        .build())
                .hasMessageContaining("the record of key 0 failed: java.lang.IllegalStateException: no name");
        assertThatThrownBy(() -> SnapshotBuilder.of(lazySpec, Goods.ids(8), id -> id, id -> "")
                        .build())
                .hasMessageContaining("the written record of key 0 is null");
        assertThatTheOldOneStays();
    }

    @Test
    void an_error_passes_unchanged_and_leaves_nothing_behind() throws Exception {
        oldOne();
        OutOfMemoryError error = new OutOfMemoryError("for the test");

        Throwable thrown = catchThrowable(() -> of((after, size) -> {
                    throw error;
                })
                .build());

        assertThat(thrown).isSameAs(error);
        assertThatTheOldOneStays();
    }

    // ---- the disk ----

    /** A disk on which one step fails, and that looks at the directory, as a reader does, at every step before. */
    private static final class Faulty extends Disk {

        private final int failing;
        private final Look look;
        private int steps;

        interface Look {
            void at(int step) throws Exception;
        }

        Faulty(int failing, Look look) {
            this.failing = failing;
            this.look = look;
        }

        private void step() throws IOException {
            try {
                look.at(steps);
            } catch (Exception mistake) {
                throw new AssertionError(mistake);
            }
            if (steps++ == failing) {
                throw new IOException("No space left on device");
            }
        }

        @Override
        FileChannel create(Path file) throws IOException {
            step();
            return super.create(file);
        }

        @Override
        void write(FileChannel channel, ByteBuffer bytes, long position) throws IOException {
            super.write(channel, bytes.duplicate().limit(bytes.remaining() / 2), position); // as a full disk does
            step();
            super.write(channel, bytes, position);
        }

        @Override
        void force(FileChannel channel) throws IOException {
            step();
            super.force(channel);
        }

        @Override
        void publish(Path from, Path to) throws IOException {
            step();
            super.publish(from, to);
        }

        @Override
        void forceDirectory(Path where) throws IOException {
            step();
            super.forceDirectory(where);
        }
    }

    /** Create, three writes of records and index, one of the head, force, rename. */
    private static final int STEPS_BEFORE_IT_IS_THERE = 7;

    private SnapshotBuilder<Long, Long, String> large() {
        return of(Goods.ids(20_000));
    }

    @DisplayName("D3: a disk that is full at any step leaves the old snapshot and no temporary file")
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
    void a_disk_that_fails_at_any_step_leaves_the_old_one_alone(int step) throws Exception {
        oldOne();

        assertThatThrownBy(() -> large().on(new Faulty(step, unseen -> {})).build())
                .isInstanceOf(SnapshotException.class)
                .hasMessageStartingWith("snapshot products was not built, version 1 stays: ")
                .hasMessageContaining("No space left on device")
                .hasMessageContaining("products-0000000002.snapshot.tmp");

        assertThatTheOldOneStays();
        assertThat(large().build().version()).isEqualTo(2);
    }

    @DisplayName(
            "D3: a half-written file is never visible: at every step of a building there is the old or the new one")
    @Test
    void at_every_step_a_reader_finds_the_old_or_the_new_one() throws Exception {
        oldOne();
        List<Long> versions = new ArrayList<>();

        large().on(new Faulty(Integer.MAX_VALUE, step -> {
                    try (SnapshotReader<Long, String> reader = SnapshotReader.open(Goods.spec(directory), ticker)) {
                        assertThat(reader.view().refused()).isZero();
                        versions.add(reader.view().version());
                    }
                }))
                .build();

        assertThat(versions).hasSize(STEPS_BEFORE_IT_IS_THERE + 1).endsWith(1L, 2L);
        assertThat(versions.subList(0, STEPS_BEFORE_IT_IS_THERE)).containsOnly(1L);
    }

    @Test
    void a_name_that_may_not_survive_a_power_cut_is_said_although_it_is_there() throws Exception {
        assertThatThrownBy(() -> large().on(new Faulty(STEPS_BEFORE_IT_IS_THERE, unseen -> {}))
                        .build())
                .hasMessageStartingWith(
                        "version 1 of snapshot products is published, but its name might not survive a power cut: ")
                .hasMessageContaining("No space left on device");

        assertThat(Goods.opened(directory, 1, ticker).find(19_999L)).isNotNull();
    }

    // ---- leftovers, locks, old files ----

    @DisplayName("D3: a leftover of a killed run never blocks the next, and is removed")
    @Test
    void leftovers_of_killed_runs_are_removed_and_files_of_others_are_not() throws Exception {
        oldOne();
        Files.writeString(directory.resolve("products-0000000002.snapshot.tmp"), "half of it");
        Files.writeString(directory.resolve("products-0000000007.snapshot.tmp"), "half of another");
        Files.writeString(directory.resolve("prices-0000000002.snapshot.tmp"), "somebody else's");

        long version = of(Goods.ids(12)).build().version();

        assertThat(version).isEqualTo(2);
        assertThat(Goods.files(directory))
                .containsExactly(
                        "prices-0000000002.snapshot.tmp",
                        "products-0000000001.snapshot",
                        "products-0000000002.snapshot");
    }

    @Test
    void of_old_versions_as_many_are_kept_as_is_said() throws Exception {
        for (int i = 0; i < 5; i++) {
            of(Goods.ids(3)).with(BuildSettings.defaults().keptVersions(3)).build();
        }

        assertThat(Goods.files(directory))
                .containsExactly(
                        "products-0000000003.snapshot", "products-0000000004.snapshot", "products-0000000005.snapshot");
    }

    @Test
    void a_second_builder_in_the_process_is_refused_and_disturbs_nobody() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch on = new CountDownLatch(1);
        Caller<BuiltSnapshot> first = Caller.calls(() -> of((after, size) -> {
                    begun.countDown();
                    on.await();
                    return Goods.page(after, size, 3);
                })
                .build());
        begun.await();

        for (int i = 0; i < 2; i++) { // a lock that the first refusal has taken away would be noticed by the second
            assertThatThrownBy(() -> of(Goods.ids(3)).build())
                    .isInstanceOf(SnapshotException.class)
                    .hasMessageContaining("there is no version yet: somebody else is building it and holds")
                    .hasMessageContaining("products.lock");
        }
        on.countDown();

        assertThat(first.result().version()).isEqualTo(1);
        assertThat(of(Goods.ids(3)).build().version()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void an_interrupted_building_ends_and_leaves_the_old_one(boolean sourceHeedsIt) throws Exception {
        oldOne();
        CountDownLatch begun = new CountDownLatch(1);
        Caller<Throwable> build = Caller.calls(() -> catchThrowable(() -> of((after, size) -> {
                    if (after != null) {
                        begun.countDown();
                        while (!Thread.currentThread().isInterrupted()) {
                            Thread.onSpinWait();
                        }
                        if (sourceHeedsIt) {
                            throw new IOException("interrupted while reading");
                        }
                    }
                    return Goods.page(after, 8, 1_000);
                })
                .build()));
        begun.await();

        build.interrupt();

        assertThat(build.result())
                .isInstanceOf(InterruptedException.class)
                .hasMessageStartingWith("snapshot products was not built, version 1 stays: interrupted (page ");
        assertThatTheOldOneStays();
    }

    @Test
    void settings_that_make_no_sense_are_refused_with_their_value() {
        BuildSettings defaults = BuildSettings.defaults();

        assertThat(defaults).isEqualTo(new BuildSettings(5_000, Double.POSITIVE_INFINITY, 1, 50, 2));
        assertThatThrownBy(() -> defaults.pageSize(0)).hasMessage("pageSize must be positive, was 0");
        assertThatThrownBy(() -> defaults.recordsPerSecond(0)).hasMessageContaining("was 0.0");
        assertThatThrownBy(() -> defaults.recordsPerSecond(Double.NaN)).hasMessageContaining("was NaN");
        assertThatThrownBy(() -> defaults.minimumRecords(-1)).hasMessageContaining("was -1");
        assertThatThrownBy(() -> defaults.maximumShrinkPercentage(101)).hasMessageContaining("was 101");
        assertThatThrownBy(() -> defaults.keptVersions(0)).hasMessageContaining("was 0");
        assertThatThrownBy(() -> new SnapshotSpec<>("../x", directory, Codec.longs(), Codec.longs()))
                .hasMessageContaining("must not have a /");
        assertThatThrownBy(() -> ScheduleSettings.hourly().missedAfter(Duration.ofMinutes(59)))
                .hasMessage("missedAfter must be at least the interval of 3600000 ms, was 3540000 ms");
        assertThatThrownBy(() -> ReaderSettings.defaults().clockSkew(Duration.ofMillis(-1)))
                .hasMessageContaining("was -1 ms");
    }

    @DisplayName("D3: what has the name of a version and cannot be read keeps nobody from building the next one")
    @Test
    void what_only_has_the_name_of_a_version_blocks_nobody() throws Exception {
        oldOne();
        Files.createDirectory(directory.resolve("products-0000000002.snapshot"));
        Path link = directory.resolve("products-0000000003.snapshot");
        Files.createSymbolicLink(link, link);

        assertThatThrownBy(() -> of(Goods.ids(4)).build()).hasMessageContaining("the version before has 10");
        assertThat(of(Goods.ids(12)).build().version()).isEqualTo(4);
    }

    @Test
    void a_version_that_no_name_can_say_is_refused_and_not_written_where_nobody_looks() throws Exception {
        oldOne();
        Path last = Files.createFile(directory.resolve("products-999999999999999999.snapshot"));

        assertThatThrownBy(() -> of(Goods.ids(12)).build())
                .isInstanceOf(SnapshotException.class)
                .hasMessageContaining("no version can follow " + last + ": remove it");

        Files.delete(last);
        assertThatTheOldOneStays();
    }
}
