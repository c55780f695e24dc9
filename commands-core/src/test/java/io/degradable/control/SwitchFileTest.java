package io.degradable.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.control.OverrideStore.Entry;
import io.degradable.testing.Race;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class SwitchFileTest {

    private static final String KEY = "command:GetProduct";
    private static final Entry FIRST = new Entry(100, "position=1&by=anna&because=x");

    @TempDir
    private Path directory;

    private Path path() {
        return directory.resolve("switches.properties");
    }

    private SwitchFile file() {
        return SwitchFile.at(path());
    }

    private List<String> names() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(one -> String.valueOf(one.getFileName())).sorted().toList();
        }
    }

    @Test
    void what_is_saved_is_there_after_a_restart_sorted_and_readable() throws Exception {
        assertThat(file().load()).isEmpty();
        file().save(Map.of("group:catalog", new Entry(7, "position=0&by=bob&because=y"), KEY, FIRST));

        assertThat(file().load())
                .isEqualTo(Map.of("group:catalog", new Entry(7, "position=0&by=bob&because=y"), KEY, FIRST));
        assertThat(Files.readString(path()).lines().skip(1))
                .containsExactly(
                        "command\\:GetProduct=100 position=1&by=anna&because=x",
                        "group\\:catalog=7 position=0&by=bob&because=y");
        assertThat(names()).containsExactly("switches.properties");
        Properties read = new Properties();
        try (Reader reader = Files.newBufferedReader(path())) {
            read.load(reader);
        }
        assertThat(read).hasSize(2).containsEntry(KEY, "100 position=1&by=anna&because=x");
    }

    @Test
    void the_later_stamp_stays_and_of_equal_ones_the_greater_text() throws Exception {
        SwitchFile file = file();
        file.save(Map.of(KEY, FIRST, "all", FIRST));
        file.save(Map.of(KEY, new Entry(99, "z"), "all", new Entry(100, "position=2")));
        assertThat(file.load()).isEqualTo(Map.of(KEY, FIRST, "all", new Entry(100, "position=2")));

        Object key = Files.readAttributes(path(), "unix:ino").get("ino");
        file.save(Map.of("all", new Entry(100, "position=1"))); // nothing to write
        assertThat(Files.readAttributes(path(), "unix:ino").get("ino")).isEqualTo(key);
        file.save(Map.of(KEY, new Entry(101, "a")));
        assertThat(file.load()).containsEntry(KEY, new Entry(101, "a"));
    }

    @Test
    void texts_of_any_kind_come_back() throws Exception {
        Map<String, Entry> all = new HashMap<>();
        for (String text : List.of(
                "",
                " ",
                "  a  ",
                "a=b:c#d!e\\",
                "two\nlines\r\t\f",
                "日本 \uD83D\uDE00 \uD800",
                "\\u0041",
                "\u007f\u0000")) {
            all.put("k e=y:" + text, new Entry(all.size() + 1, text));
        }
        all.put("", new Entry(5, "of the empty key"));

        file().save(all);

        assertThat(file().load()).isEqualTo(all);
    }

    @Test
    void a_file_left_beside_by_a_crash_is_never_taken_and_goes_with_the_next_save() throws Exception {
        file().save(Map.of(KEY, FIRST));
        Files.writeString(directory.resolve("switches.properties.tmp"), "command\\:GetProduct=500 half a li");

        assertThat(file().load()).isEqualTo(Map.of(KEY, FIRST));
        file().save(Map.of("all", FIRST));

        assertThat(file().load()).isEqualTo(Map.of(KEY, FIRST, "all", FIRST));
        assertThat(names()).containsExactly("switches.properties");
    }

    @Test
    void a_save_that_fails_leaves_the_file_as_it_was() throws Exception {
        file().save(Map.of(KEY, FIRST));
        Path inTheWay = Files.createDirectory(directory.resolve("switches.properties.tmp"));

        assertThatThrownBy(() -> file().save(Map.of("all", FIRST))).isInstanceOf(FileSystemException.class);
        assertThat(file().load()).isEqualTo(Map.of(KEY, FIRST));

        Files.delete(inTheWay);
        file().save(Map.of("all", FIRST));
        assertThat(file().load()).hasSize(2);
    }

    @Test
    void a_file_that_cannot_be_understood_is_reported_once_and_kept_before_it_is_overwritten() throws Exception {
        byte[] noText = {'a', '=', (byte) 0xff};
        Files.write(path(), noText);
        SwitchFile file = file();
        assertThatThrownBy(file::load)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("switches.properties cannot be understood and counts as empty")
                .hasMessageContaining("it is not in UTF-8");
        assertThat(file.load()).isEmpty();
        assertThat(names()).containsExactly("switches.properties");

        file.save(Map.of(KEY, FIRST));

        assertThat(file.load()).isEqualTo(Map.of(KEY, FIRST));
        assertThat(names()).hasSize(2);
        assertThat(names().get(1)).matches("switches\\.properties\\.unreadable-\\d{13}");
        assertThat(Files.readAllBytes(directory.resolve(names().get(1)))).isEqualTo(noText);

        Files.writeString(path(), "a=\\u00zz");
        assertThatThrownBy(file::load).hasMessageContaining("Malformed");
        file.save(Map.of(KEY, FIRST));
        assertThat(names()).hasSize(3);
    }

    @Test
    void a_line_that_cannot_be_understood_stays_as_it_is_until_its_target_is_set() throws Exception {
        Files.writeString(path(), "all=by anna\ncommand\\:GetProduct=soon position=1\nx=\n", UTF_8);
        SwitchFile file = file();
        assertThat(file.load())
                .isEqualTo(Map.of(
                        "all", new Entry(0, "by anna"), KEY, new Entry(0, "soon position=1"), "x", new Entry(0, "")));

        file.save(Map.of(KEY, FIRST));

        assertThat(Files.readString(path()).lines().skip(1))
                .containsExactly("all=by anna", "command\\:GetProduct=100 position=1&by=anna&because=x", "x=");
    }

    @Test
    void two_of_one_file_lose_nothing_of_each_other() throws Exception {
        int rounds = 200;
        try (Race race = new Race(2)) {
            List<SwitchFile> files = List.of(file(), file());
            race.inStep(
                    rounds,
                    (side, round) ->
                            files.get(side).save(Map.of("command:C" + side + "-" + round, new Entry(round + 1, "x"))));
        }

        assertThat(file().load()).hasSize(2 * rounds);
        assertThat(names()).containsExactly("switches.properties");
    }

    @Test
    void links_and_permissions_stay() throws Exception {
        Path real = Files.createDirectory(directory.resolve("real")).resolve("kept");
        Files.writeString(real, "", UTF_8);
        Files.setPosixFilePermissions(real, PosixFilePermissions.fromString("rw-------"));
        Files.createSymbolicLink(path(), real);

        file().save(Map.of(KEY, FIRST));

        assertThat(path()).isSymbolicLink();
        assertThat(Files.readString(real)).contains("by=anna");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(real)))
                .isEqualTo("rw-------");
    }

    @Test
    void a_directory_that_is_not_there_and_a_path_that_is_one_are_refused() {
        assertThatThrownBy(() -> SwitchFile.at(directory.resolve("no/switches")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("directory of switch file")
                .hasMessageContaining("is not there: make it before");
        assertThatThrownBy(() -> SwitchFile.at(directory))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is a directory");
    }

    @Test
    void there_is_nothing_to_watch() throws Exception {
        file().watch(() -> {
                    throw new AssertionError("nobody else writes it");
                })
                .close();
        assertThat(file().name()).isEqualTo("file");
    }
}
