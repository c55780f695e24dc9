package io.degradable.control;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.degradable.settings.Require;
import io.degradable.time.Ticker;
import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import javax.annotation.Nullable;

/**
 * Keeps overrides in a file of one process, so that they survive a restart. It is written as a whole beside its place,
 * forced to the disk, and then moved there, so whoever reads it, and a process that is started after a crash, finds the old
 * content or the new one. It is a properties file in UTF-8, in the order of its keys; a line is a target, the stamp and what
 * is said of it:
 *
 * <pre>
 * command\:GetProduct=1767225600000 position=1&amp;by=anna&amp;because=the+replica+is+rebuilt&amp;until=1767227400000
 * </pre>
 *
 * <p>A file that cannot be understood is reported by a failure, once for each content; from then on it counts as empty, and
 * before it is overwritten a copy is kept as {@code <name>.unreadable-<milliseconds since 1970>}. Lines that cannot be
 * understood stay as they are. What is changed in the file while the process runs is seen with the next change made in the
 * process. Two processes need two files.
 *
 * <p>Threading: every method may be called from any thread.
 */
public final class SwitchFile implements OverrideStore {

    private static final String HEAD = "# What is held by hand: target=stamp entry. Written by the running process.\n";

    /** Held from reading to moving, for all files: two of these may be of the same one. No code of a user runs under it. */
    private static final ReentrantLock WRITING = new ReentrantLock();

    private final Path path;

    /** The content that was reported last; null for none. */
    private volatile @Nullable byte[] reported;

    private SwitchFile(Path path) {
        this.path = path;
    }

    /**
     * The store in a file, which need not be there yet.
     *
     * @throws IllegalArgumentException when its directory is not there, or it is a directory itself
     */
    public static SwitchFile at(Path path) {
        Path absolute = Objects.requireNonNull(path, "path must not be null").toAbsolutePath();
        Path directory = absolute.getParent();
        Require.that(
                directory != null && Files.isDirectory(directory),
                "directory of switch file " + absolute + " is not there: make it before");
        Require.that(!Files.isDirectory(absolute), "switch file " + absolute + " is a directory");
        return new SwitchFile(absolute);
    }

    @Override
    public String name() {
        return "file";
    }

    @Override
    public Map<String, Entry> load() throws IOException {
        byte[] content = content(path);
        SortedMap<String, String> lines;
        try {
            lines = parsed(content);
        } catch (IOException | IllegalArgumentException bad) {
            if (Arrays.equals(content, reported)) {
                return Map.of();
            }
            reported = content;
            throw new IOException("switch file " + path + " cannot be understood and counts as empty: " + bad, bad);
        }
        Map<String, Entry> entries = new HashMap<>();
        lines.forEach((key, line) -> entries.put(key, entry(line)));
        return entries;
    }

    @Override
    public void save(Map<String, Entry> entries) throws IOException, InterruptedException {
        WRITING.lockInterruptibly();
        try {
            Path real = Files.exists(path) ? path.toRealPath() : path; // where a link leads to
            byte[] content = content(real);
            SortedMap<String, String> lines;
            try {
                lines = parsed(content);
            } catch (IOException | IllegalArgumentException bad) {
                keepAside(real, content);
                lines = new TreeMap<>();
            }
            if (add(lines, entries)) {
                write(real, text(lines).getBytes(UTF_8));
            }
        } finally {
            WRITING.unlock();
        }
    }

    /** Adds what is later; whether that is anything. */
    private static boolean add(Map<String, String> lines, Map<String, Entry> entries) {
        boolean changed = false;
        for (Map.Entry<String, Entry> one : entries.entrySet()) {
            String line = lines.get(one.getKey());
            if (line == null || isLater(one.getValue(), entry(line))) {
                lines.put(
                        one.getKey(),
                        one.getValue().stamp() + " " + one.getValue().text());
                changed = true;
            }
        }
        return changed;
    }

    private static boolean isLater(Entry one, Entry other) {
        return one.stamp() != other.stamp()
                ? one.stamp() > other.stamp()
                : one.text().compareTo(other.text()) > 0;
    }

    @Override
    public AutoCloseable watch(Runnable changed) {
        return () -> {}; // nobody else writes it
    }

    @Override
    public String toString() {
        return "SwitchFile[" + path + "]";
    }

    // ---- what is in it ----

    private static byte[] content(Path file) throws IOException {
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException notYet) {
            return new byte[0];
        }
    }

    private static SortedMap<String, String> parsed(byte[] content) throws IOException {
        String text;
        try {
            text = UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
        } catch (CharacterCodingException bad) {
            throw new IOException("it is not in UTF-8", bad);
        }
        Properties properties = new Properties();
        properties.load(new StringReader(text));
        SortedMap<String, String> lines = new TreeMap<>();
        properties.stringPropertyNames().forEach(key -> lines.put(key, properties.getProperty(key)));
        return lines;
    }

    /** What a line says; of one without a stamp the whole of it, at a moment before all others. */
    private static Entry entry(String line) {
        int end = line.indexOf(' ');
        try {
            return new Entry(Long.parseLong(line.substring(0, Math.max(0, end))), line.substring(end + 1));
        } catch (NumberFormatException noStamp) {
            return new Entry(0, line);
        }
    }

    private static String text(SortedMap<String, String> lines) {
        StringBuilder text = new StringBuilder(HEAD);
        lines.forEach((key, line) -> {
            escape(text, key, " :=#!");
            text.append('=');
            escape(text, line, "");
            text.append('\n');
        });
        return text.toString();
    }

    /** As {@link Properties#load} reads it. */
    private static void escape(StringBuilder to, String text, String marks) {
        for (int i = 0; i < text.length(); i++) {
            char one = text.charAt(i);
            if (one < ' ' || one == 127 || Character.isSurrogate(one)) {
                to.append(String.format("\\u%04x", (int) one));
            } else if (one == '\\' || marks.indexOf(one) >= 0 || (one == ' ' && i == 0)) {
                to.append('\\').append(one);
            } else {
                to.append(one);
            }
        }
    }

    // ---- the file ----

    private static Path beside(Path file, String suffix) {
        return file.resolveSibling(file.getFileName() + suffix);
    }

    private static void keepAside(Path file, byte[] content) throws IOException {
        long millis = Ticker.system().epochMillis();
        Path copy = beside(file, ".unreadable-" + millis);
        while (Files.exists(copy)) {
            copy = beside(file, ".unreadable-" + ++millis);
        }
        forced(copy, content);
    }

    private static void write(Path file, byte[] content) throws IOException {
        Path next = beside(file, ".tmp"); // always the same one: what a crash leaves behind is overwritten
        forced(next, content);
        keepPermissions(file, next);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        forceMove(file);
    }

    private static void forced(Path file, byte[] content) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer left = ByteBuffer.wrap(content);
            while (left.hasRemaining()) {
                channel.write(left);
            }
            channel.force(true);
        }
    }

    /** The operator may have taken the file away from others. */
    private static void keepPermissions(Path from, Path to) throws IOException {
        PosixFileAttributeView target = Files.getFileAttributeView(to, PosixFileAttributeView.class);
        if (target != null && Files.exists(from)) {
            target.setPermissions(Files.getPosixFilePermissions(from));
        }
    }

    /** The move itself is kept in the directory. */
    private static void forceMove(Path file) {
        Path directory = file.getParent();
        if (directory != null) {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            } catch (IOException cannot) {
                // Not every system lets a directory be opened; the content is on the disk in any case.
            }
        }
    }
}
