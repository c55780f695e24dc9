package io.degradable.internal.control;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.degradable.control.Position;
import io.degradable.control.Target;
import io.degradable.settings.Require;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import javax.annotation.Nullable;

/**
 * What an entry of a store says, as {@code position=1&by=anna&because=the+replica+is+rebuilt&until=1700000000000}. Fields
 * that are not known are passed over: another process may be newer.
 *
 * @param position where the target is held; null when it was let go of
 * @param until when that ends; empty for not before it is cleared
 * @param atOnce whether calls that return to a primary by it do so without a ramp
 */
record EntryText(@Nullable Position position, String author, String reason, Optional<Instant> until, boolean atOnce) {

    private static final String CLEARED = "cleared";

    String encoded() {
        return "position=" + (position == null ? CLEARED : position.text())
                + "&by=" + URLEncoder.encode(author, UTF_8)
                + "&because=" + URLEncoder.encode(reason, UTF_8)
                + until.map(end -> "&until=" + end.toEpochMilli()).orElse("")
                + (atOnce ? "&atOnce=true" : "");
    }

    /**
     * Reads it.
     *
     * @throws IllegalArgumentException when that cannot be done; the message says why
     */
    static EntryText decoded(Target target, String text) {
        Map<String, String> fields = new HashMap<>();
        for (String field : text.split("&", -1)) {
            int end = field.indexOf('=');
            Require.that(end > 0, "\"" + shortened(field) + "\" is no field");
            fields.putIfAbsent(field.substring(0, end), URLDecoder.decode(field.substring(end + 1), UTF_8));
        }
        String position = said(fields, "position");
        return new EntryText(
                position.equals(CLEARED) ? null : Position.parse(target.kind(), position),
                said(fields, "by"),
                said(fields, "because"),
                Optional.ofNullable(fields.get("until")).map(EntryText::moment),
                Boolean.parseBoolean(fields.get("atOnce")));
    }

    private static String said(Map<String, String> fields, String name) {
        return Require.notNull(name, fields.get(name), "every entry says it");
    }

    private static Instant moment(String text) {
        try {
            return Instant.ofEpochMilli(Long.parseLong(text));
        } catch (NumberFormatException noNumber) {
            throw new IllegalArgumentException(
                    "until must be milliseconds since 1970, was \"" + shortened(text) + "\"", noNumber);
        }
    }

    private static String shortened(String text) {
        return text.length() > 40 ? text.substring(0, 40) + "..." : text;
    }
}
