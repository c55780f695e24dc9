package io.degradable.stream;

import java.nio.charset.StandardCharsets;

/** Text as bytes. */
final class Text {

    private Text() {}

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
