package io.degradable.examples.shop.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ProductIdsTest {

    @Test
    void ids_are_known_products_and_a_few_of_them_are_hot() {
        long[] ids = take(100_000, 1);

        assertThat(LongStream.of(ids).min()).hasValue(1);
        assertThat(LongStream.of(ids).max().orElseThrow()).isBetween(9_000L, 10_000L);
        assertThat(LongStream.of(ids).filter(id -> id == 1).count()).isBetween(14_000L, 18_000L);
        assertThat(LongStream.of(ids).filter(id -> id <= 10).count()).isBetween(23_000L, 27_000L);
        assertThat(LongStream.of(ids).filter(id -> id <= 100).count()).isBetween(38_000L, 42_000L);
    }

    @Test
    void same_seed_gives_the_same_ids() {
        assertThat(take(1_000, 5)).isEqualTo(take(1_000, 5)).isNotEqualTo(take(1_000, 6));
    }

    private static long[] take(int howMany, long seed) {
        ProductIds ids = new ProductIds(seed);
        return LongStream.generate(ids::next).limit(howMany).toArray();
    }
}
