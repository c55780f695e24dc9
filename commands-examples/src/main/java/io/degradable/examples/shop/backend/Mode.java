package io.degradable.examples.shop.backend;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/** How a backend behaves towards every request, until it is told otherwise. */
public enum Mode {
    /** Answers at once. */
    UP,
    /** Cuts every connection without a byte of an answer. */
    DOWN,
    /** Answers, but only after the latency. */
    SLOW,
    /** Accepts a request and never answers it. */
    HANG,
    /** Answers a share of the requests with HTTP 500, after the latency if there is one. */
    ERRORS;

    /** The mode as it is written in JSON, such as {@code up}. */
    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    @Nullable
    static Mode find(String word) {
        for (Mode mode : values()) {
            if (mode.word().equals(word)) {
                return mode;
            }
        }
        return null;
    }

    /** All modes as one reads them in a message: {@code up, down, slow, hang, errors}. */
    static String words() {
        return Arrays.stream(values()).map(Mode::word).collect(Collectors.joining(", "));
    }
}
