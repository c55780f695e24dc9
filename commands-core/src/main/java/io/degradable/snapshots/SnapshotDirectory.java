package io.degradable.snapshots;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.annotation.Nullable;

/** The files of one snapshot, by their names. */
final class SnapshotDirectory {

    /** The largest with as many digits as a name may have. */
    static final long LAST_VERSION = 999_999_999_999_999_999L;

    private static final String TEMPORARY = ".tmp";

    private final Path directory;
    private final String name;
    private final String keys;
    private final String values;
    private final Pattern published;
    private final Pattern temporary;

    /** A file and the version in its name. */
    record Version(long number, Path file) {}

    SnapshotDirectory(SnapshotSpec<?, ?> spec) {
        this.directory = spec.directory();
        this.name = spec.name();
        this.keys = spec.keys().name();
        this.values = spec.values().name();
        String file = Pattern.quote(name) + "-(\\d{10,18})\\.snapshot";
        this.published = Pattern.compile(file);
        this.temporary = Pattern.compile(file + Pattern.quote(TEMPORARY));
    }

    Path lock() {
        return directory.resolve(name + ".lock");
    }

    Path file(long version) {
        return directory.resolve("%s-%010d.snapshot".formatted(name, version));
    }

    Path temporary(long version) {
        return directory.resolve(file(version).getFileName() + TEMPORARY);
    }

    /** What is published, the newest first; nothing when the directory is not there yet. */
    List<Version> versions() throws IOException {
        return matching(published);
    }

    /** What builders that were killed have left behind; to be asked by who holds the lock only. */
    List<Version> leftovers() throws IOException {
        return matching(temporary);
    }

    private List<Version> matching(Pattern pattern) throws IOException {
        List<Version> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                Path fileName = file.getFileName();
                Matcher matcher = pattern.matcher(fileName == null ? "" : fileName.toString());
                if (matcher.matches()) {
                    found.add(new Version(Long.parseLong(matcher.group(1)), file));
                }
            }
        } catch (NoSuchFileException notYet) {
            return found;
        }
        found.sort(Comparator.comparingLong(Version::number).reversed());
        return found;
    }

    /** The head of the newest version that has one, without a look at its records; null when there is none. */
    @Nullable
    Head newest() throws IOException {
        return newest(any -> true);
    }

    /** As the other one, among those that a reader of this snapshot would not refuse for their codecs. */
    @Nullable
    Head newestOfItsCodecs() throws IOException {
        return newest(head -> head.keys().equals(keys) && head.values().equals(values));
    }

    private @Nullable Head newest(Predicate<Head> wanted) throws IOException {
        for (Version version : versions()) {
            try {
                Head head = Head.of(version.file());
                if (wanted.test(head)) {
                    return head;
                }
            } catch (SnapshotException | IOException notThisOne) {
                // the one before it, then: a file that cannot be read must not keep others from being built
            }
        }
        return null;
    }
}
