package io.degradable.template;

import io.degradable.settings.Require;
import java.lang.reflect.Type;
import java.util.Objects;
import javax.annotation.Nullable;

/**
 * Where a version of a template comes from, as whoever loads templates says it.
 *
 * @param kind the same object for all versions that may take each other's place
 * @param type of the answer, with its parameters
 * @param version what this version is called; 1 to 120 letters, digits and {@code . _ - /}
 * @param loadedFrom where it was found, as people say it: {@code resource /templates/unknown-product.json}
 * @param checksum equal when two answers are; null when that is for the answers themselves to say
 * @param again loads what is there later; null when it cannot be loaded again
 */
public record TemplateOrigin<T>(
        Object kind,
        Type type,
        String version,
        String loadedFrom,
        @Nullable String checksum,
        @Nullable TemplateLoader<T> again) {

    public TemplateOrigin {
        Objects.requireNonNull(kind, "kind must not be null");
        Objects.requireNonNull(type, "type must not be null");
        Objects.requireNonNull(loadedFrom, "loadedFrom must not be null");
        Require.name("version of a template from " + loadedFrom, version);
    }

    TemplateOrigin<T> versioned(String other) {
        return new TemplateOrigin<>(kind, type, other, loadedFrom, checksum, again);
    }
}
