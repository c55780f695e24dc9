package io.degradable.model;

import java.util.HexFormat;

/** A call's id as text. */
public final class CallId {

    private CallId() {}

    /** Sixteen hexadecimal digits. */
    public static String text(long callId) {
        return HexFormat.of().toHexDigits(callId);
    }
}
