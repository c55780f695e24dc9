package io.degradable.examples.shop.http;

import io.degradable.examples.shop.backend.Backends;
import java.util.SplittableRandom;

/**
 * Which products a load asks for: the low ids are hot, so that a cache has something to hold. About a sixth of the requests
 * are for product 1, a quarter for the first ten, and four in ten for the first hundred; the same seed gives the same ids.
 *
 * <p>Threading: one thread.
 */
final class ProductIds {
    private static final double SKEW = 5;

    private final SplittableRandom random;

    ProductIds(long seed) {
        random = new SplittableRandom(seed);
    }

    long next() {
        return 1 + (long) (Backends.PRODUCTS * Math.pow(random.nextDouble(), SKEW));
    }
}
