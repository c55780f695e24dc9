package io.degradable.internal.breaker;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.model.CircuitState;
import io.degradable.settings.BreakerSettings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The number of probes changes while somebody looks. */
@Timeout(60)
final class ProbesChangedRaceTest {

    private static BreakerSettings probes(int probes) {
        return with(probes, List.of());
    }

    private static BreakerSettings with(int probes, List<Integer> shares) {
        return new BreakerSettings(
                true,
                1,
                50,
                0,
                0,
                0,
                Duration.ofSeconds(10),
                10,
                0,
                Duration.ofSeconds(5),
                Duration.ofSeconds(30),
                probes,
                80,
                shares,
                20);
    }

    @Test
    void no_other_number_of_probes_decides_a_round_in_which_none_has_ended() throws Exception {
        BreakerSettings few = probes(1);
        BreakerSettings many = probes(100);
        CircuitBreaker breaker = new CircuitBreaker(few, 1_000_000_000L, Long.MAX_VALUE / 2, 0);
        breaker.forceOpen("anna", 0);
        breaker.release("anna", 0);
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> looks = CompletableFuture.runAsync(() -> {
            while (!over.get() && breaker.opened() == 0) {
                breaker.wouldPermit(1);
            }
        });

        for (int change = 0; change < 3_000_000 && breaker.opened() == 0; change++) {
            breaker.configure(change % 2 == 0 ? many : few, 1_000_000_000L, Long.MAX_VALUE / 2, 1);
        }
        over.set(true);
        looks.get(10, TimeUnit.SECONDS);

        assertThat(breaker.explain(1).toString()).isNotEmpty();
        assertThat(breaker.state(1)).isEqualTo(CircuitState.HALF_OPEN);
    }

    @Test
    void a_ramp_that_is_taken_away_while_it_begins_lets_calls_be_asked_for() throws Exception {
        BreakerSettings ramp = with(1, List.of(10));
        BreakerSettings none = with(1, List.of());
        CircuitBreaker breaker = new CircuitBreaker(ramp, 1_000_000_000L, Long.MAX_VALUE / 2, 0);
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> changes = CompletableFuture.runAsync(() -> {
            for (long change = 0; !over.get(); change++) {
                breaker.configure(change % 2 == 0 ? none : ramp, 1_000_000_000L, Long.MAX_VALUE / 2, 1);
            }
        });

        try {
            for (int round = 0; round < 3_000_000; round++) {
                breaker.forceOpen("anna", 1);
                breaker.release("anna", 1);
                Permit probe = breaker.tryAcquire(1);
                if (probe != null) {
                    probe.settle(null, Verdict.GOOD, 1, 1);
                }
                breaker.tryAcquire(1); // throws nothing
            }
        } finally {
            over.set(true);
            changes.get(10, TimeUnit.SECONDS);
        }

        assertThat(breaker.opened()).isZero();
    }
}
