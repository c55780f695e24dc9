package io.degradable.snapshots;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.testing.ManualTicker;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A file that is cut off in place while it is mapped, as by a copy onto it: the pages behind its end are a fault of the
 * processor, which ends the process when native code that does not expect it meets it. So this is tried in another one.
 */
@Timeout(120)
final class SnapshotCutOffTest {

    private static final int PAGE = 4_096;

    @TempDir
    Path directory;

    /** Opens a file with a record of many pages, cuts it off behind the first one, and reads on. */
    static final class Program {

        private static final int LARGE = 100 << 10;

        public static void main(String[] arguments) throws Exception {
            Path directory = Path.of(arguments[1]);
            ManualTicker ticker = new ManualTicker();
            byte[] noise = new byte[LARGE];
            new Random(1).nextBytes(noise);
            String record = new String(noise, StandardCharsets.ISO_8859_1);
            PageSource<Long> one = (after, size) -> after == null ? List.of(7L) : List.of();
            Path file = SnapshotBuilder.of(Goods.spec(directory), one, id -> id, id -> record)
                    .ticker(ticker)
                    .build()
                    .file();
            try {
                read(arguments[0], file, Goods.opened(directory, 1, ticker));
            } catch (SnapshotException | InternalError said) {
                System.out.println("said so");
                return;
            }
            System.out.println("noticed nothing");
        }

        private static void read(String how, Path file, SnapshotFile<Long, String> opened) throws Exception {
            if (how.equals("records")) {
                cutOff(file);
                opened.forEach((key, value) -> {});
            } else {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                    long length = channel.size();
                    Mapping mapping = new Mapping(channel, length, PAGE, Mapping.PIECE_BITS);
                    cutOff(file);
                    int unused = mapping.crc(Head.BYTES, length);
                }
            }
        }

        private static void cutOff(Path file) throws IOException {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(PAGE);
            }
        }
    }

    @DisplayName(
            "D3: a file that is cut off while it is read, or checked, is an exception and not the end of the process")
    @ParameterizedTest
    @ValueSource(strings = {"records", "checksum"})
    void a_file_that_is_cut_off_under_its_reader_does_not_end_the_process(String read) throws Exception {
        File said = directory.resolve("said").toFile();
        Process program = new ProcessBuilder(
                        System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                        "-XX:+UseSerialGC",
                        "-XX:+SuppressFatalErrorMessage",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName(),
                        read,
                        directory.toString())
                .redirectErrorStream(true)
                .redirectOutput(said)
                .start();
        boolean ended = program.waitFor(60, TimeUnit.SECONDS);
        program.destroyForcibly();

        assertThat(ended).isTrue();
        assertThat(program.exitValue()).isZero();
        assertThat(said).content().startsWith("said so");
    }
}
