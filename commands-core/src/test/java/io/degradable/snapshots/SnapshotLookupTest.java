package io.degradable.snapshots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.cache.Codec;
import io.degradable.template.StaticSnapshot;
import io.degradable.testing.ManualTicker;
import io.degradable.testing.Race;
import io.degradable.time.Ticker;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import javax.annotation.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class SnapshotLookupTest {

    private final ManualTicker ticker = new ManualTicker();

    @TempDir
    Path directory;

    @DisplayName("D3: of 100,000 products each is found under its key, and no other key finds anything")
    @Test
    void each_of_a_hundred_thousand_products_is_found_under_its_key_alone() throws Exception {
        long count = 100_000;
        BuiltSnapshot built = Goods.builder(directory, count, "winter", ticker).build();

        try (SnapshotReader<Long, String> reader = SnapshotReader.open(Goods.spec(directory), ticker)) {
            long wrong = 0;
            for (long id = 0; id < count; id++) {
                var found = reader.find(id);
                wrong += found != null && found.value().equals(Goods.product(id, "winter")) ? 0 : 1;
                wrong += reader.find(count + id) == null && reader.find(-1 - id) == null ? 0 : 1;
            }
            assertThat(wrong).isZero();
        }
        assertThat(built.records()).isEqualTo(count);
        assertThat(built.bytes())
                .isLessThan(count * Goods.product(count, "winter").length());
    }

    @Test
    void keys_of_one_hash_keep_their_own_records() throws Exception {
        KeyHash two = key -> key[key.length - 1] & 1;
        Goods.builder(directory, 150, "winter", ticker).hashedBy(two).build();

        SnapshotFile<Long, String> file = Goods.opened(
                directory, 1, ticker, new SnapshotFile.Opening(two, Mapping.PIECE_BITS, new Unpacker.Pool()));

        for (long id = 0; id < 150; id++) {
            assertThat(file.find(id)).isEqualTo(Goods.product(id, "winter"));
        }
        assertThat(file.find(150L)).isNull();
    }

    @Test
    void a_key_that_comes_again_is_known_from_one_that_only_has_its_hash() {
        PageSource<Long> repeating = (after, size) -> after == null ? Goods.page(null, 100, 100) : List.of(2L);
        SnapshotBuilder<Long, Long, String> builder = SnapshotBuilder.of(
                        Goods.spec(directory), repeating, id -> id, id -> Goods.product(id, "winter"))
                .hashedBy(key -> 7);

        assertThatThrownBy(builder::build)
                .isInstanceOf(SnapshotException.class)
                .hasMessageContaining("the source has the key 2 twice (page 2, after 100 records");
    }

    @Test
    void a_file_that_lies_in_pieces_is_read_over_their_seams() throws Exception {
        Goods.builder(directory, 20_000, "winter", ticker).build();

        // 4 KB each: every other block lies over a seam, as one in a million does with pieces of 1 GB.
        SnapshotFile<Long, String> file =
                Goods.opened(directory, 1, ticker, new SnapshotFile.Opening(KeyHash.STANDARD, 12, new Unpacker.Pool()));

        for (long id = 0; id < 20_000; id++) {
            assertThat(file.find(id)).isEqualTo(Goods.product(id, "winter"));
        }
    }

    @Test
    void records_of_every_length_come_back_as_they_were() throws Exception {
        Random random = new Random(3);
        int[] lengths = {0, 1, 127, 128, 2_047, 2_048, 2_049, 16_383, 16_384, 100_000, 3_000_000, 0, 5};
        List<byte[]> values = new ArrayList<>();
        for (int length : lengths) {
            byte[] value = new byte[length];
            random.nextBytes(value); // does not compress at all
            values.add(value);
        }
        SnapshotSpec<Long, byte[]> spec = new SnapshotSpec<>("blobs", directory, Codec.longs(), Codec.bytes());
        SnapshotBuilder.of(spec, Goods.ids(lengths.length), id -> id, id -> values.get(id.intValue()))
                .build();

        try (SnapshotReader<Long, byte[]> reader = SnapshotReader.open(spec, Ticker.system())) {
            for (int i = 0; i < lengths.length; i++) {
                var found = reader.find((long) i);
                assertThat(found).isNotNull();
                assertThat(found.value()).as("value of %d bytes", lengths[i]).isEqualTo(values.get(i));
            }
        }
    }

    @DisplayName("S5: an answer is as old as its snapshot: since the moment its building began, by the reader's ticker")
    @Test
    void an_answer_is_as_old_as_the_building_of_its_snapshot() throws Exception {
        PageSource<Long> slow = (after, size) -> {
            ticker.advance(Duration.ofSeconds(10)); // for the page, and for the end
            return Goods.page(after, size, 3);
        };
        SnapshotBuilder.of(Goods.spec(directory), slow, id -> id, id -> Goods.product(id, "winter"))
                .ticker(ticker)
                .build();
        ticker.advance(Duration.ofMinutes(5));

        try (SnapshotReader<Long, String> reader = SnapshotReader.open(Goods.spec(directory), ticker)) {
            ticker.stepWallClock(Duration.ofDays(-3));
            ticker.advance(Duration.ofSeconds(1));

            var found = reader.find(2L);

            long age = Duration.ofSeconds(321).toNanos();
            assertThat(found).isNotNull();
            assertThat(found.ageNanos()).isEqualTo(age);
            assertThat(reader.view().ageNanos()).isEqualTo(age);
        }
    }

    @Test
    void a_record_that_was_changed_after_it_was_checked_is_an_exception_and_no_answer() throws Exception {
        BuiltSnapshot built = Goods.builder(directory, 40, "winter", ticker).build();
        try (SnapshotReader<Long, String> reader = SnapshotReader.open(Goods.spec(directory), ticker);
                FileChannel channel = FileChannel.open(built.file(), StandardOpenOption.WRITE)) {

            channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5}), Head.BYTES + 100);

            assertThatThrownBy(() -> reader.find(3L))
                    .isInstanceOf(SnapshotException.class)
                    .hasMessageContaining("version 1 of snapshot products is broken");
            assertThat(reader.brokenRecords()).isEqualTo(1);
        }
    }

    @Test
    void callers_that_are_interrupted_and_callers_at_once_read_on() throws Exception {
        Goods.builder(directory, 5_000, "winter", ticker).build();

        try (SnapshotReader<Long, String> reader = SnapshotReader.open(Goods.spec(directory), ticker);
                Race race = new Race(4)) {
            List<Long> right = race.round(side -> {
                long found = 0;
                Random random = new Random(side);
                for (int i = 0; i < 3_000; i++) {
                    long id = random.nextInt(5_000);
                    if (side == 0) {
                        Thread.currentThread().interrupt();
                    }
                    var answer = reader.find(id);
                    found += answer != null && answer.value().equals(Goods.product(id, "winter")) ? 1 : 0;
                }
                return found;
            });

            assertThat(right).containsOnly(3_000L);
        }
    }

    @DisplayName("D3: one flipped bit in the index of an open file may hide a record and never shows another one")
    @Test
    void an_index_that_was_changed_after_it_was_checked_shows_no_wrong_record() throws Exception {
        SnapshotSpec<String, String> spec = new SnapshotSpec<>("products", directory, Codec.strings(), Codec.strings());
        List<String> ids = List.of("", "a", "b", "c", "d");
        PageSource<String> source = (after, size) -> after == null ? ids : List.of();
        Function<String, String> record = id -> id.isEmpty() ? "nobody's" : "\u0000 \u0001a 1 \u0001b 2 of " + id;
        Path file = SnapshotBuilder.of(spec, source, id -> id, record)
                .ticker(ticker)
                .build()
                .file();
        byte[] whole = Files.readAllBytes(file);

        try (SnapshotReader<String, String> reader = SnapshotReader.open(spec, ticker);
                FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            int indexAt = (int) Head.of(file).indexOffset();
            for (int at = indexAt; at < whole.length; at++) {
                int slotAt = at - (at - indexAt) % Head.SLOT_BYTES;
                boolean taken = ByteBuffer.wrap(whole).getLong(slotAt + Long.BYTES) != 0;
                for (int bit = 0; taken && bit < Byte.SIZE; bit++) {
                    channel.write(ByteBuffer.wrap(new byte[] {(byte) (whole[at] ^ 1 << bit)}), at);
                    for (String id : ids) {
                        assertThat(found(reader, id))
                                .as("bit %d of byte %d", bit, at)
                                .isIn(null, record.apply(id));
                    }
                }
                channel.write(ByteBuffer.wrap(whole, at, 1), at);
            }
        }
    }

    private static @Nullable String found(SnapshotReader<String, String> reader, String id) throws Exception {
        try {
            StaticSnapshot.Found<String> found = reader.find(id);
            return found == null ? null : found.value();
        } catch (SnapshotException noticed) {
            return null;
        }
    }
}
