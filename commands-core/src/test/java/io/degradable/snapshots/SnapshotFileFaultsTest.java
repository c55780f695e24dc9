package io.degradable.snapshots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.degradable.cache.Codec;
import io.degradable.testing.ManualTicker;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is no whole snapshot of its kind is refused when it is opened, and says why. */
@Timeout(120)
final class SnapshotFileFaultsTest {

    private final ManualTicker ticker = new ManualTicker();

    @TempDir
    Path directory;

    private Path file = Path.of("");
    private byte[] whole = {};

    @BeforeEach
    void build() throws Exception {
        file = Goods.builder(directory, 200, "winter", ticker).build().file();
        whole = Files.readAllBytes(file);
    }

    private Throwable refusal() {
        return catchThrowable(() -> Goods.opened(directory, 1, ticker));
    }

    @DisplayName("D3: one flipped bit anywhere in the file, and it is refused")
    @Test
    void one_flipped_bit_anywhere_is_found() throws Exception {
        long seed = Long.getLong("degradable.seed", System.nanoTime());
        Random random = new Random(seed);
        int indexAt = (int) Head.of(file).indexOffset();
        IntStream head = IntStream.range(0, Head.BYTES);
        IntStream data = random.ints(1_500, Head.BYTES, indexAt);
        IntStream index = random.ints(1_500, indexAt, whole.length);
        int[] all = IntStream.concat(head, IntStream.concat(data, index)).toArray();

        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            for (int position : all) {
                int flipped = whole[position] ^ 1 << random.nextInt(8);
                channel.write(ByteBuffer.wrap(new byte[] {(byte) flipped}), position);
                assertThat(refusal()).as("byte %d, seed %d", position, seed).isInstanceOf(SnapshotException.class);
                channel.write(ByteBuffer.wrap(whole, position, 1), position);
            }
        }

        assertThat(refusal()).isNull();
    }

    @Test
    void a_file_that_is_cut_off_anywhere_or_longer_is_found() throws Exception {
        Random random = new Random(11);
        int[] lengths = IntStream.concat(
                        IntStream.of(0, 1, 8, 11, 12, Head.BYTES - 1, Head.BYTES, whole.length - 1, whole.length + 1),
                        random.ints(200, 0, whole.length))
                .toArray();

        for (int length : lengths) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertThat(refusal()).as("%d bytes", length).isInstanceOf(SnapshotException.class);
        }
    }

    @Test
    void a_newer_format_is_refused_by_name() throws Exception {
        ByteBuffer head = ByteBuffer.wrap(whole);
        head.putInt(8, 3);
        Files.write(file, whole);

        assertThat(refusal()).hasMessage(file + " has the format 3, this library reads up to 1");
    }

    @Test
    void what_is_something_else_says_so() throws Exception {
        Files.writeString(file, "id;name\n1;Lamp\n".repeat(1_000));
        assertThat(refusal()).hasMessage(file + " is not a snapshot: it does not begin as one");

        Files.write(file, whole);
        Path renamed = directory.resolve("products-0000000009.snapshot");
        Files.copy(file, renamed);
        assertThatThrownBy(() -> Goods.opened(directory, 9, ticker))
                .hasMessage(renamed + " has another version: 1, wanted is 9");

        Path others = directory.resolve("prices-0000000001.snapshot");
        Files.copy(file, others);
        assertThatThrownBy(() -> SnapshotFile.open(
                        new SnapshotSpec<>("prices", directory, Codec.longs(), Codec.strings()),
                        new SnapshotDirectory.Version(1, others),
                        SnapshotFile.Opening.standard(),
                        ticker))
                .hasMessage(others + " has another snapshot: products, wanted is prices");
    }

    @Test
    void records_of_another_codec_are_refused_by_both_names() {
        assertThatThrownBy(() -> SnapshotFile.open(
                        new SnapshotSpec<>("products", directory, Codec.longs(), Codec.longs()),
                        new SnapshotDirectory.Version(1, file),
                        SnapshotFile.Opening.standard(),
                        ticker))
                .hasMessage(file + " has another codec of the records: utf-8, wanted is int64");
        assertThatThrownBy(() -> SnapshotFile.open(
                        new SnapshotSpec<>("products", directory, Codec.strings(), Codec.strings()),
                        new SnapshotDirectory.Version(1, file),
                        SnapshotFile.Opening.standard(),
                        ticker))
                .hasMessage(file + " has another codec of the keys: int64, wanted is utf-8");
    }
}
