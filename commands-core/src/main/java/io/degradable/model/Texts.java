package io.degradable.model;

import javax.annotation.Nullable;

/** Words for what users hand in. */
final class Texts {

    private Texts() {}

    /** What a failure says of itself; the name of its class when even that fails. */
    static String of(@Nullable Throwable failure) {
        if (failure == null) {
            return "";
        }
        try {
            return failure.toString();
        } catch (Throwable mistake) {
            return failure.getClass().getName();
        }
    }
}
