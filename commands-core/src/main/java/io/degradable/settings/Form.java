package io.degradable.settings;

import java.util.Locale;

/** How a value is written. What it reads of a text that it wrote is the value again. */
abstract class Form {

    static final Form TRUTH = new Form("true or false") {
        @Override
        Object read(String text) {
            return switch (text.toLowerCase(Locale.ROOT)) {
                case "true" -> true;
                case "false" -> false;
                default -> throw refused();
            };
        }
    };

    private final String range;

    Form(String range) {
        this.range = range;
    }

    /** What is allowed, to follow "must be". */
    final String range() {
        return range;
    }

    /**
     * The value of a text that has no spaces around it.
     *
     * @throws IllegalArgumentException when it has none; the message says what is allowed
     */
    abstract Object read(String text);

    /** The text of a value that this form can read. */
    String text(Object value) {
        return String.valueOf(value);
    }

    final IllegalArgumentException refused() {
        return refused("");
    }

    final IllegalArgumentException refused(String hint) {
        return new IllegalArgumentException("must be " + range + hint);
    }
}
