package io.degradable.snapshots;

import io.degradable.cache.Codec;
import io.degradable.settings.Require;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;

/**
 * What the one who builds a snapshot and the one who reads it agree on.
 *
 * <p>Its versions are files {@code <name>-<version>.snapshot} in the directory. Several snapshots may share a directory.
 *
 * @param name 1 to 120 letters, digits and {@code . _ -}
 * @param directory where its files lie, on a local disk; the builder makes it when it is missing
 * @param keys how keys are written: all of a key, so that no two have the same bytes
 * @param values how records are written
 * @param <K> the key
 * @param <T> the record
 */
public record SnapshotSpec<K, T>(String name, Path directory, Codec<K> keys, Codec<T> values) {

    private static final int CODEC_NAME_BYTES = 300;

    public SnapshotSpec {
        Require.name("snapshot name", name);
        Require.that(
                name.indexOf('/') < 0, "snapshot name must not have a /, since files are named by it, was " + name);
        Objects.requireNonNull(directory, () -> "directory of snapshot " + name + " must not be null");
        Objects.requireNonNull(keys, () -> "codec for the keys of snapshot " + name + " must not be null");
        Objects.requireNonNull(values, () -> "codec for the records of snapshot " + name + " must not be null");
        fits(name, keys.name());
        fits(name, values.name());
    }

    private static void fits(String name, String codec) {
        int bytes = codec.getBytes(StandardCharsets.UTF_8).length;
        Require.that(
                bytes <= CODEC_NAME_BYTES,
                "name of a codec of snapshot " + name + " must have at most " + CODEC_NAME_BYTES + " bytes, has "
                        + bytes + ": " + codec);
    }
}
