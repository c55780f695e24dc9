package io.degradable.settings;

import io.degradable.time.Spans;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.annotation.Nullable;

/** Spans of time: a whole number and its unit, or as ISO 8601 has them. */
final class SpanForm extends Form {

    private static final String NONE = "none";
    private static final String SPAN = "a span above 0 and below 146 years, such as 150 ms, 2 s, 1 m, 1 h or PT0.15S";
    private static final Pattern WITH_UNIT = Pattern.compile("(-?[0-9]{1,18})\\s*([a-z]*)");
    private static final Map<String, ChronoUnit> UNITS = Map.of(
            "ns", ChronoUnit.NANOS,
            "us", ChronoUnit.MICROS,
            "ms", ChronoUnit.MILLIS,
            "s", ChronoUnit.SECONDS,
            "m", ChronoUnit.MINUTES,
            "h", ChronoUnit.HOURS);

    private final boolean none;
    private final @Nullable ChronoUnit bare;

    private SpanForm(String range, boolean none, @Nullable ChronoUnit bare) {
        super(range);
        this.none = none;
        this.bare = bare;
    }

    /** A number without a unit is refused: nobody can tell which was meant. */
    static Form span() {
        return new SpanForm(SPAN, false, null);
    }

    /** A span, or {@code none}: {@link GuardSettings#NO_TIMEOUT}. */
    static Form spanOrNone() {
        return new SpanForm(SPAN + ", or none", true, null);
    }

    /** As Hystrix has them: a number without a unit is milliseconds. */
    static Form millis() {
        return new SpanForm("a whole number of milliseconds above 0 and below 146 years", false, ChronoUnit.MILLIS);
    }

    @Override
    Object read(String text) {
        if (none && text.equals(NONE)) {
            return GuardSettings.NO_TIMEOUT;
        }
        Duration span;
        try {
            span = text.startsWith("P") || text.startsWith("p") ? Duration.parse(text) : withUnit(text);
        } catch (DateTimeException | ArithmeticException unreadable) {
            throw refused();
        }
        if (span.isNegative() || span.isZero() || Spans.nanos(span) >= Spans.FOREVER) {
            throw refused();
        }
        return span;
    }

    private Duration withUnit(String text) {
        Matcher parts = WITH_UNIT.matcher(text);
        if (!parts.matches()) {
            throw refused();
        }
        ChronoUnit unit = parts.group(2).isEmpty() ? bare : UNITS.get(parts.group(2));
        if (unit == null) {
            throw refused(
                    parts.group(2).isEmpty()
                            ? "; a number needs its unit, as in " + parts.group(1) + " ms"
                            : "; units are ns, us, ms, s, m and h");
        }
        return Duration.of(Long.parseLong(parts.group(1)), unit);
    }

    @Override
    String text(Object value) {
        Duration span = (Duration) value;
        long nanos = Spans.nanos(span);
        if (nanos >= Spans.FOREVER) {
            return NONE;
        }
        for (String unit : new String[] {"h", "m", "s", "ms", "us"}) {
            long one =
                    Duration.of(1, UNITS.getOrDefault(unit, ChronoUnit.NANOS)).toNanos();
            if (nanos % one == 0) {
                return nanos / one + " " + unit;
            }
        }
        return nanos + " ns";
    }
}
