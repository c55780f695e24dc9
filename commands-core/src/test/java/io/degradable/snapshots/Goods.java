package io.degradable.snapshots;

import io.degradable.cache.Codec;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.annotation.Nullable;

/** A shop with products 0, 1, 2 and so on, and what a snapshot keeps of them: their names in one season. */
final class Goods {

    private Goods() {}

    static SnapshotSpec<Long, String> spec(Path directory) {
        return new SnapshotSpec<>("products", directory, Codec.longs(), Codec.strings());
    }

    /** Pages of ids. */
    static PageSource<Long> ids(long count) {
        return (after, size) -> page(after, size, count);
    }

    static List<Long> page(@Nullable Long after, int size, long count) {
        List<Long> page = new ArrayList<>();
        for (long id = after == null ? 0 : after + 1; id < count && page.size() < size; id++) {
            page.add(id);
        }
        return page;
    }

    static String product(long id, String season) {
        return "{\"id\":" + id + ",\"name\":\"Lamp " + id * 31 + "\",\"season\":\"" + season + "\"}";
    }

    static SnapshotBuilder<Long, Long, String> builder(Path directory, long count, String season, ManualTicker ticker) {
        return SnapshotBuilder.of(spec(directory), ids(count), id -> id, id -> product(id, season))
                .ticker(ticker);
    }

    /** A version, opened as a reader opens it. */
    static SnapshotFile<Long, String> opened(Path directory, long version, ManualTicker ticker) throws Exception {
        return opened(directory, version, ticker, SnapshotFile.Opening.standard());
    }

    static SnapshotFile<Long, String> opened(
            Path directory, long version, ManualTicker ticker, SnapshotFile.Opening opening) throws Exception {
        SnapshotDirectory.Version file =
                new SnapshotDirectory.Version(version, new SnapshotDirectory(spec(directory)).file(version));
        return SnapshotFile.open(spec(directory), file, opening, ticker);
    }

    /** The names of all that lies in a directory, but the lock's file, which stays for good. */
    static Set<String> files(Path directory) throws IOException {
        TreeSet<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.list(directory)) {
            files.forEach(file -> names.add(String.valueOf(file.getFileName())));
        }
        names.remove("products.lock");
        return names;
    }
}
