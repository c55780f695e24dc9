package io.degradable.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Set;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The layout of a copy outside: what was put in comes out, and nothing else ever does. */
final class EnvelopeTest {

    private static final long STAMP = 1_796_000_000_123_456_789L;
    private static final byte[] KEY = "42".getBytes(UTF_8);
    private static final byte[] VALUE = "a copy".getBytes(UTF_8);

    private final Envelope envelope = new Envelope("products", "utf-8 -> utf-8");
    private final byte[] sealed = envelope.seal(KEY, VALUE, STAMP);

    @ParameterizedTest
    @ValueSource(longs = {STAMP, 0, -1, Long.MIN_VALUE, Long.MAX_VALUE})
    void what_was_put_in_comes_out(long stamp) {
        Envelope.Opened copy = envelope.open(KEY, envelope.seal(KEY, VALUE, stamp));
        Envelope.Opened empty = envelope.open(KEY, envelope.seal(KEY, new byte[0], stamp));
        Envelope.Opened mark = envelope.open(KEY, envelope.seal(KEY, null, stamp));

        assertThat(copy.unreadable()).isNull();
        assertThat(copy.value()).isEqualTo(VALUE);
        assertThat(copy.stampEpochNanos()).isEqualTo(stamp);
        assertThat(empty.value()).isEmpty();
        assertThat(mark.unreadable()).isNull();
        assertThat(mark.value()).isNull();
        assertThat(mark.stampEpochNanos()).isEqualTo(stamp);
    }

    @Test
    void the_layout_of_version_1_stays_as_it_is() {
        assertThat(sealed).hasSize(18 + 4 + 8 + 4 + 2 + 4 + 14 + 4 + 6 + 4).startsWith(0xD6, 'D', 'G', 'R', 1, 0);
        assertThat(ByteBuffer.wrap(sealed).getLong(6)).isEqualTo(STAMP);
        assertThat(ByteBuffer.wrap(sealed).getInt(14)).isEqualTo(sealed.length);
        assertThat(Arrays.copyOfRange(sealed, 22, 30)).isEqualTo("products".getBytes(UTF_8));
        assertThat(Arrays.copyOfRange(sealed, 34, 36)).isEqualTo(KEY);
        assertThat(Arrays.copyOfRange(sealed, 40, 54)).isEqualTo("utf-8 -> utf-8".getBytes(UTF_8));
        assertThat(Arrays.copyOfRange(sealed, 58, 64)).isEqualTo(VALUE);
    }

    @Test
    void whichever_bit_is_flipped_it_is_not_read() {
        for (int position = 0; position < sealed.length; position++) {
            for (int bit = 0; bit < 8; bit++) {
                byte[] spoilt = sealed.clone();
                spoilt[position] ^= (byte) (1 << bit);

                Envelope.Opened opened = envelope.open(KEY, spoilt);

                Set<Unreadable> expected = position < 4
                        ? Set.of(Unreadable.FOREIGN)
                        : position == 4
                                ? Set.of(Unreadable.NEWER, Unreadable.CORRUPT)
                                : Set.of(Unreadable.CORRUPT, Unreadable.TRUNCATED);
                assertThat(opened.unreadable())
                        .as("bit %s of byte %s", bit, position)
                        .isIn(expected);
                assertThat(opened.value()).isNull();
            }
        }
    }

    @Test
    void wherever_it_is_cut_off_it_is_not_read() {
        for (int length = 0; length < sealed.length; length++) {
            Envelope.Opened opened = envelope.open(KEY, Arrays.copyOf(sealed, length));

            assertThat(opened.unreadable())
                    .as("cut to %s bytes", length)
                    .isEqualTo(length < 4 ? Unreadable.FOREIGN : Unreadable.TRUNCATED);
            assertThat(opened.value()).isNull();
        }
    }

    @Test
    void with_something_behind_its_end_it_is_not_read() {
        assertThat(envelope.open(KEY, Arrays.copyOf(sealed, sealed.length + 1)).unreadable())
                .isEqualTo(Unreadable.CORRUPT);
    }

    @Test
    void another_cache_another_key_and_other_codecs_are_told_apart() {
        // The parts are measured, so moving their border does not make the same bytes.
        Envelope otherBorder = new Envelope("product", "utf-8 -> utf-8");

        assertThat(envelope.open("43".getBytes(UTF_8), sealed).unreadable()).isEqualTo(Unreadable.OTHER_KEY);
        assertThat(envelope.open(new byte[0], sealed).unreadable()).isEqualTo(Unreadable.OTHER_KEY);
        assertThat(otherBorder.open("s42".getBytes(UTF_8), sealed).unreadable()).isEqualTo(Unreadable.OTHER_KEY);
        assertThat(new Envelope("products", "utf-8 -> json:Product")
                        .open(KEY, sealed)
                        .unreadable())
                .isEqualTo(Unreadable.OTHER_FORM);
    }

    @Test
    void a_later_version_is_left_alone_whatever_follows() {
        byte[] later = Arrays.copyOf(sealed, 9);
        later[4] = 2;

        assertThat(envelope.open(KEY, later).unreadable()).isEqualTo(Unreadable.NEWER);
    }

    @Test
    void lengths_that_lie_under_a_right_checksum_are_not_believed() {
        for (int at : new int[] {18, 30, 36, 54}) {
            for (int length : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1_000}) {
                byte[] made = sealed.clone();
                ByteBuffer.wrap(made).putInt(at, length);
                CRC32C checksum = new CRC32C();
                checksum.update(made, 0, made.length - 4);
                ByteBuffer.wrap(made).putInt(made.length - 4, (int) checksum.getValue());

                assertThat(envelope.open(KEY, made).unreadable()).isEqualTo(Unreadable.CORRUPT);
            }
        }
    }

    @Test
    void the_reply_to_another_request_is_seen_from_its_first_bytes() {
        assertThat(envelope.answers(KEY, sealed)).isTrue();
        assertThat(envelope.answers(KEY, envelope.seal("43".getBytes(UTF_8), VALUE, STAMP)))
                .isFalse();
        assertThat(envelope.answers(KEY, new Envelope("prices", "utf-8 -> utf-8").seal(KEY, VALUE, STAMP)))
                .isFalse();
        for (int length = 5; length < sealed.length; length++) {
            assertThat(envelope.answers(KEY, Arrays.copyOf(sealed, length))).isFalse();
        }
        assertThat(envelope.answers(KEY, "OK".getBytes(UTF_8))).isFalse();
    }
}
