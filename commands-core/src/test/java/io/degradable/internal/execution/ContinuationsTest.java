package io.degradable.internal.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.testing.Race;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens as the container takes over from the user's executor. */
@Timeout(60)
final class ContinuationsTest {

    private static final int ROUNDS = 4_000;
    private static final String NAME = "continuations-race";

    private final AtomicIntegerArray runs = new AtomicIntegerArray(ROUNDS);
    private final List<Continuations> all = new ArrayList<>();
    private final List<Runnable> given = new ArrayList<>();

    private Continuations continuations() {
        Continuations made = new Continuations(NAME, given::add, () -> {});
        all.add(made);
        return made;
    }

    private void takeOver(int round) {
        all.get(round).takeOver();
        all.get(round).close(); // lets its thread end what it has, then go
    }

    /** Nothing runs any more when this returns. */
    private static void untilThreadsHaveGone() throws InterruptedException {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("degradable-" + NAME)) {
                thread.join();
            }
        }
    }

    private void assertThatEachRanOnce() throws InterruptedException {
        untilThreadsHaveGone();
        for (int round = 0; round < ROUNDS; round++) {
            assertThat(runs.get(round)).as("runs in round %s", round).isEqualTo(1);
            assertThat(all.get(round).areUnderWay()).isFalse();
        }
    }

    @Test
    void what_an_executor_begins_as_the_container_closes_runs_once() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            int own = round;
            continuations().execute(() -> runs.incrementAndGet(own));
        }

        try (Race race = new Race(2)) {
            race.inStep(ROUNDS, (side, round) -> {
                if (side == 0) {
                    takeOver(round);
                } else {
                    given.get(round).run();
                }
            });
        }

        assertThatEachRanOnce();
    }

    @Test
    void what_an_executor_loses_as_the_container_closes_runs_once() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            continuations();
        }

        try (Race race = new Race(2)) {
            race.inStep(ROUNDS, (side, round) -> {
                if (side == 0) {
                    takeOver(round);
                } else {
                    all.get(round).execute(() -> runs.incrementAndGet(round));
                }
            });
        }

        assertThatEachRanOnce();
    }
}
