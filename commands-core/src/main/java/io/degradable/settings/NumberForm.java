package io.degradable.settings;

import java.math.BigDecimal;
import java.util.regex.Pattern;

/** Numbers: digits, a point where parts are allowed, a minus that mostly is out of range. */
final class NumberForm extends Form {

    private static final Pattern WHOLE = Pattern.compile("-?[0-9]{1,40}");
    private static final Pattern DECIMAL = Pattern.compile("-?[0-9]{1,40}(\\.[0-9]{1,40})?");

    private final boolean whole;
    private final boolean zero;
    private final BigDecimal least;
    private final BigDecimal most;

    private NumberForm(String range, boolean whole, boolean zero, BigDecimal least, BigDecimal most) {
        super(range);
        this.whole = whole;
        this.zero = zero;
        this.least = least;
        this.most = most;
    }

    static Form whole(int least, int most) {
        return new NumberForm(
                "a whole number from " + least + " to " + most,
                true,
                false,
                BigDecimal.valueOf(least),
                BigDecimal.valueOf(most));
    }

    /** Parts of a whole are allowed. */
    static Form decimal(String least, String most) {
        return new NumberForm(
                "a number from " + least + " to " + most, false, false, new BigDecimal(least), new BigDecimal(most));
    }

    /** The same, or 0, which means something else. */
    static Form decimalOrZero(String meaning, String least, String most) {
        return new NumberForm(
                "0, " + meaning + ", or a number from " + least + " to " + most,
                false,
                true,
                new BigDecimal(least),
                new BigDecimal(most));
    }

    @Override
    Object read(String text) {
        if (!(whole ? WHOLE : DECIMAL).matcher(text).matches()) {
            throw refused();
        }
        BigDecimal value = new BigDecimal(text);
        boolean inRange = value.compareTo(least) >= 0 && value.compareTo(most) <= 0;
        if (!inRange && !(zero && value.signum() == 0)) {
            throw refused();
        }
        if (whole) {
            return value.intValueExact();
        }
        return value.signum() == 0 ? 0.0 : value.doubleValue();
    }

    @Override
    String text(Object value) {
        return whole
                ? value.toString()
                : BigDecimal.valueOf((Double) value).stripTrailingZeros().toPlainString();
    }
}
