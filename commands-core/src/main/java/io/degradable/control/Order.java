package io.degradable.control;

import io.degradable.settings.Require;
import io.degradable.time.Spans;
import java.time.Duration;
import javax.annotation.Nullable;

/**
 * Who wants something changed by hand, why, and for how long: {@code Order.by("anna", "the replica is rebuilt")}.
 *
 * @param author who, 1 to 120 characters
 * @param reason why, 1 to 500 characters
 * @param expiresIn after which time it ends by itself, more than nothing; null for not before it is cleared. Default 30 min
 * @param immediately when clearing: all calls return to the primary at once, without a recovery ramp
 */
public record Order(String author, String reason, @Nullable Duration expiresIn, boolean immediately) {

    public static final Duration DEFAULT_EXPIRY = Duration.ofMinutes(30);

    private static final int LONGEST_AUTHOR = 120;
    private static final int LONGEST_REASON = 500;

    public Order {
        requireText("author", author, LONGEST_AUTHOR);
        requireText("reason", reason, LONGEST_REASON);
        if (expiresIn != null) {
            Require.positive("expiry", expiresIn);
            Require.that(
                    Spans.nanos(expiresIn) < Spans.FOREVER,
                    "expiry must be below 146 years, was " + expiresIn + ": untilCleared() is for no expiry");
        }
    }

    private static void requireText(String field, @Nullable String text, int longest) {
        Require.that(
                text != null && !text.isBlank() && text.length() <= longest,
                field + " must be 1 to " + longest + " characters, was "
                        + (text == null ? "null" : text.length() > longest ? text.length() + " characters" : "blank"));
    }

    /** An order that ends after 30 min. */
    public static Order by(String author, String reason) {
        return new Order(author, reason, DEFAULT_EXPIRY, false);
    }

    /** The same for so long. */
    public Order expiresIn(Duration time) {
        return new Order(author, reason, Require.positive("expiry", time), immediately);
    }

    /** The same, until somebody clears it. */
    public Order untilCleared() {
        return new Order(author, reason, null, immediately);
    }

    /** The same, and when it clears something, without a recovery ramp. */
    public Order atOnce() {
        return new Order(author, reason, expiresIn, true);
    }
}
