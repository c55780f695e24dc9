package io.degradable.settings.unlisted;

import io.degradable.settings.Require;

/** Lies in a package that the ladder does not list; the test of the ladder has to find it. */
public final class OnNoList {

    private OnNoList() {}

    static int imports() {
        return Require.positive("field", 1);
    }
}
