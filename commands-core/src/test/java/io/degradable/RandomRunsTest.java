package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The invariants of execution over random lives of containers, see {@link RandomLife}; the oracle is what the test's own
 * callers sent and received, see {@link RandomCall}.
 *
 * <p>A failure names the seed of its life; {@code -Ddegradable.seed=N} begins with that one. {@code -Ddegradable.calls=N}
 * makes more calls.
 */
@Timeout(value = 10, unit = TimeUnit.HOURS) // each life has limits of its own
final class RandomRunsTest {

    private static final int CALLS = 100_000;

    private final Queue<Throwable> undeliverable = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void listen() {
        RxJavaPlugins.setErrorHandler(undeliverable::add);
    }

    @AfterEach
    void listenNoMore() {
        RxJavaPlugins.setErrorHandler(null);
    }

    private void live(int calls) {
        long seed = Long.getLong("degradable.seed", System.nanoTime());
        int letIn = 0;
        for (int life = 0; letIn < calls; life++) {
            try {
                letIn += new RandomLife(seed + life, "r" + life + "-").live();
            } catch (Exception overdue) {
                throw new AssertionError("life of seed " + (seed + life), overdue);
            }
        }
        assertThat(undeliverable).as("seeds from %d on", seed).isEmpty();
    }

    @DisplayName("Invariants 1 to 6, 9, 10: whatever callers, bodies, hands and the close do")
    @Test
    void random_lives_keep_the_invariants() throws Exception {
        live(Integer.getInteger("degradable.calls", CALLS));
    }

    @DisplayName("Invariants 1 to 6, 9, 10, with virtual threads among the bulkheads and for what goes on")
    @Tag("virtual-threads")
    @Test
    void random_lives_with_virtual_threads_keep_them_too() throws Exception {
        live(CALLS / 10);
    }
}
