package io.degradable.redis;

import java.util.Locale;

/** Why what lies under a key is not taken for its copy. */
enum Unreadable {
    /** Not written by this library. */
    FOREIGN,
    /** Written by a version of this library that knows a later layout. */
    NEWER,
    /** It ends too early. */
    TRUNCATED,
    /** The checksum says that it is not what was written. */
    CORRUPT,
    /** A copy of another key, or of another cache. */
    OTHER_KEY,
    /** Written with other codecs. */
    OTHER_FORM,
    /** Whole and of this form, and the codec cannot read it nevertheless. */
    UNDECODABLE;

    /** As it is counted, as {@code other_key}. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
