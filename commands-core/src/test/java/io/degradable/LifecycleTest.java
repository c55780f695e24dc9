package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.degradable.cache.CacheSpec;
import io.degradable.model.CommandResult;
import io.degradable.testing.ManualTicker;
import io.degradable.testing.Race;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A container from its first call to its close. */
@Timeout(30)
final class LifecycleTest {

    private static long workers(String pool) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("degradable-" + pool + "-"))
                .count();
    }

    @Test
    void a_command_that_names_no_container_runs_in_the_shared_one_and_after_a_close_in_a_new_one() {
        CommandSpec<Call, String> spec =
                Call.declared().name("LifecycleTest/shared").build();
        Commands first = Commands.shared();
        assertThat(first.execute(new Call(first, spec, "1", () -> "a"))).isEqualTo("a");

        first.close();

        assertThat(Commands.shared()).isNotSameAs(first).isSameAs(Commands.shared());
        assertThat(Commands.shared().execute(new Call(first, spec, "1", () -> "b")))
                .isEqualTo("b");
        assertThat(Commands.shared().commands())
                .singleElement()
                .satisfies(command -> assertThat(command.received()).isEqualTo(1));
        Commands.shared().close();
    }

    @Test
    void a_closed_container_refuses_by_name() {
        Commands commands = Commands.builder().name("orders").build();
        CommandSpec<Call, String> spec = Call.declared().build();
        commands.register(spec);
        commands.close();

        assertThatThrownBy(new Call(commands, spec, "1", () -> "a")::execute)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("orders is closed");
        assertThatThrownBy(() -> commands.cache(CacheSpec.<String, String>named("copies")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("orders is closed");
    }

    @Test
    void close_lets_a_body_that_is_under_way_end_within_the_grace() throws Exception {
        Commands commands =
                Commands.builder().closeGrace(Duration.ofSeconds(20)).build();
        CommandSpec<Call, String> spec = Call.declared()
                .threadPool(pool -> pool.named("grace").size(1))
                .noTimeout()
                .build();
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        try (Callers callers = new Callers()) {
            FutureTask<CommandResult<String>> answer = callers.call(new Call(commands, spec, "1", () -> {
                entered.countDown();
                release.await();
                return "in time";
            }));
            entered.await();
            FutureTask<Boolean> closed = callers.start(() -> {
                commands.close();
                return true;
            });
            while (!commands.isClosed()) {
                Thread.onSpinWait();
            }

            release.countDown();

            assertThat(answer.get().value()).isEqualTo("in time");
            assertThat(closed.get()).isTrue();
        }
    }

    @Test
    void close_interrupts_what_outlasts_the_grace_and_leaves_no_thread() throws Exception { // B142
        Commands commands = Commands.builder().closeGrace(Duration.ofMillis(1)).build();
        CommandSpec<Call, String> spec = Call.declared()
                .threadPool(pool -> pool.named("leftover").size(1).queue(1))
                .noTimeout()
                .build();
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        try (Callers callers = new Callers()) {
            FutureTask<CommandResult<String>> running = callers.call(new Call(commands, spec, "1", () -> {
                entered.countDown();
                never.await();
                return "never";
            }));
            entered.await();
            FutureTask<CommandResult<String>> waiting = callers.call(new Call(commands, spec, "2", () -> "never"));
            while (commands.pools().get(0).queued() == 0) {
                Thread.onSpinWait();
            }

            commands.close();
            commands.close();

            assertThatThrownBy(running::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(CancellationException.class);
            assertThatThrownBy(waiting::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(CancellationException.class);
        }
        await().until(() -> workers("leftover") == 0);
    }

    @Test
    void virtual_threads_below_java_21_are_refused_when_the_command_becomes_known() {
        try (Commands commands = Commands.create()) {
            CommandSpec<Call, String> spec = Call.declared().virtualThreads(10).build();

            if (Runtime.version().feature() < 21) {
                assertThatThrownBy(() -> commands.register(spec))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("virtual threads need Java 21 or newer, this is Java "
                                + Runtime.version().feature());
            } else {
                assertThat(new Call(commands, spec, "1", () -> "live").execute())
                        .isEqualTo("live");
            }
        }
    }

    @Test
    void registering_makes_a_command_and_its_spares_known_and_tells_observers() {
        try (Commands commands = Commands.create()) {
            List<String> told = new ArrayList<>();
            CommandSpec<Call, String> spare = Call.declared()
                    .name("Spare")
                    .threadPool(pool -> pool.named("other"))
                    .build();
            commands.watch(command -> told.add(command.key().name()));

            commands.register(Call.declared()
                    .fallback(chain -> chain.spare(spare, call -> call))
                    .build());

            assertThat(told).containsExactly("Spare", "Call");
            assertThat(commands.pools()).extracting("name").containsExactly("other", "test");
        }
    }

    @Test
    void calls_that_come_as_the_container_closes_never_hold_it_up() throws Exception {
        int rounds = 200;
        CommandSpec<Call, String> spec = Call.declared().semaphore().build();
        List<Commands> all = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            Commands one = Commands.builder().ticker(new ManualTicker()).build(); // nobody moves it: a grace never ends
            one.register(spec);
            all.add(one);
        }
        AtomicInteger answered = new AtomicInteger();
        AtomicInteger closed = new AtomicInteger();

        try (Race race = new Race(2)) {
            race.inStep(rounds, (side, round) -> {
                if (side == 0) {
                    all.get(round).close();
                    closed.incrementAndGet();
                    return;
                }
                for (int late = 0; late < 500 && closed.get() <= round; late++) {
                    try {
                        new Call(all.get(round), spec, "1", () -> "live").execute();
                        answered.incrementAndGet();
                        late = 0;
                    } catch (IllegalStateException refused) {
                        assertThat(refused).hasMessageContaining("is closed");
                    }
                }
            });
        }

        assertThat(answered.get()).as("calls before the doors closed").isPositive();
        assertThat(all)
                .allSatisfy(one ->
                        assertThat(one.commands().iterator().next().inFlight()).isZero());
    }
}
