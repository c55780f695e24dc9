package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.degradable.model.CallOutcome;
import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.model.Trigger;
import io.degradable.state.CallKind;
import io.degradable.state.CommandView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What containers leave behind elsewhere: threads, programs that do not end, calls that nobody ends. */
@Timeout(30)
final class LifecycleFaultsTest {

    private static final Duration GRACE = Duration.ofSeconds(1);

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands =
            Commands.builder().name("b142").ticker(ticker).closeGrace(GRACE).build();

    private static CommandSpec.Builder<Call, String> pooled(String name) {
        return Call.declared()
                .name(name)
                .noTimeout()
                .threadPool(pool -> pool.named("b142-" + name).size(1));
    }

    private Call hold(String name, HeldCall held) {
        return new Call(commands, pooled(name).build(), "held", held);
    }

    private CommandView view(String name) {
        return commands.commands().stream()
                .filter(command -> command.key().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Begins to close; the container lets nothing in any more when this returns. */
    private FutureTask<Boolean> beginToClose(Callers callers) {
        FutureTask<Boolean> closed = callers.start(() -> {
            commands.close();
            return true;
        });
        await().until(commands::isClosed);
        return closed;
    }

    @DisplayName("B142: after a close no thread of the container is left, and closing again does nothing")
    @Test
    void close_ends_workers_timer_and_continuations() throws Exception {
        Commands real = Commands.builder().name("b142-real").build();
        CommandSpec<Call, String> spec = Call.declared()
                .threadPool(pool -> pool.named("b142-real-pool").size(3))
                .timeout(Duration.ofMillis(1))
                .fallback(chain -> chain.spareCall(
                                "second",
                                (call, context) -> {
                                    throw new IOException("down, too");
                                },
                                stage -> stage.threadPool(pool -> pool.named("b142-real-spare")))
                        .template(StaticTemplate.of("last", "template")))
                .build();
        for (EntryPoint entry : EntryPoint.values()) {
            assertThat(entry.run(new Call(real, spec, "1", () -> {
                        new CountDownLatch(1).await();
                        return "never";
                    })))
                    .isEqualTo("template");
        }
        assertThat(LibraryThreads.of("b142-real"))
                .extracting(thread -> thread.getName().replaceAll("-[0-9]+$", ""))
                .contains("degradable-timer-b142-real", "degradable-b142-real-pool")
                .anySatisfy(name -> assertThat(name).startsWith("degradable-b142-real-continuation"));

        real.close();
        real.close();

        LibraryThreads.assertThatAllEnd("b142-real");
    }

    @DisplayName("A run in flight at the close goes through its chain within the grace")
    @ParameterizedTest
    @EnumSource
    void a_chain_may_end_within_the_grace(EntryPoint entry) throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        CommandSpec<Call, String> spec = pooled("Main")
                .fallback(chain -> chain.spareCall("second", (call, context) -> "spare"))
                .build();
        try (Callers callers = new Callers()) {
            FutureTask<String> answer = callers.start(() -> entry.run(new Call(commands, spec, "1", () -> {
                entered.countDown();
                release.await();
                throw new IOException("down");
            })));
            entered.await();
            FutureTask<Boolean> closed = beginToClose(callers);
            release.countDown();

            assertThat(answer.get()).isEqualTo("spare");
            assertThat(closed.get())
                    .as("the clock stands still: nobody waited for the grace's end")
                    .isTrue();
        }
        assertThat(view("Main").calls(new CallKind(CallOutcome.DEGRADED, Source.SPARE, Trigger.FAILURE)))
                .isEqualTo(1);
        LibraryThreads.assertThatAllEnd("b142");
    }

    @DisplayName("A future in flight ends as cancelled after the grace, and its body is interrupted")
    @Test
    void what_outlasts_the_grace_is_cancelled() throws Exception {
        CountDownLatch entered = new CountDownLatch(3);
        CountDownLatch interrupted = new CountDownLatch(3);
        CommandSpec<Call, String> spec = pooled("Main")
                .threadPool(pool -> pool.named("b142-three").size(3).queue(1))
                .fallback(chain -> chain.template(StaticTemplate.of("last", "never")))
                .build();
        Call hanging = new Call(commands, spec, "1", () -> {
            entered.countDown();
            try {
                new CountDownLatch(1).await();
            } finally {
                interrupted.countDown();
            }
            return "never";
        });
        CompletableFuture<Object> signal = new CompletableFuture<>();
        try (Callers callers = new Callers()) {
            CompletableFuture<String> queued = hanging.queue();
            var unused =
                    hanging.toMaybe().subscribe(signal::complete, signal::complete, () -> signal.complete("empty"));
            FutureTask<CommandResult<String>> executed = callers.call(hanging);
            entered.await();
            CompletableFuture<String> waiting = hanging.queue();
            FutureTask<Boolean> closed = beginToClose(callers);
            ticker.untilWaiting(5); // a caller, three alarms, the closer

            ticker.advance(GRACE);

            assertThat(closed.get()).isTrue();
            interrupted.await();
            for (CompletableFuture<String> future : List.of(queued, waiting)) {
                assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
            }
            assertThat(signal.get()).isInstanceOf(CancellationException.class);
            assertThatThrownBy(executed::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(CancellationException.class);
        }
        await().until(() -> view("Main").inFlight() == 0);
        assertThat(view("Main").calls(new CallKind(CallOutcome.CANCELLED, null, Trigger.NONE)))
                .isEqualTo(4);
        LibraryThreads.assertThatAllEnd("b142");
    }

    @DisplayName("Bodies that ignore their interrupt cost a close its grace once, however many pools they are in")
    @Test
    void close_does_not_wait_for_the_stubborn() throws Exception {
        HeldCall held = new HeldCall();
        List<CompletableFuture<String>> futures = new ArrayList<>();
        for (String name : List.of("One", "Two", "Three")) {
            futures.add(hold(name, held).queue());
        }
        held.untilStarted(3);
        try (Callers callers = new Callers()) {
            FutureTask<Boolean> closed = beginToClose(callers);
            ticker.untilWaiting(4);

            ticker.advance(GRACE);

            assertThat(closed.get()).isTrue();
            for (CompletableFuture<String> future : futures) {
                assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
            }
        } finally {
            held.letGo();
        }
        LibraryThreads.assertThatAllEnd("b142");
    }

    @DisplayName("A run after the close is refused by the container's name, at every entry point")
    @ParameterizedTest
    @EnumSource
    void nothing_is_let_in_after_the_close(EntryPoint entry) {
        HeldCall never = new HeldCall();
        Call known = hold("Known", never);
        commands.register(pooled("Known").build());

        commands.close();

        for (Call call : List.of(known, hold("Unknown", never))) {
            assertThatThrownBy(() -> entry.run(call))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("b142 is closed");
        }
        assertThat(never.starts()).isZero();
        assertThat(view("Known").received()).isZero();
    }

    // ---- a program of its own ----

    /** A batch program that forgets to close. */
    static final class Program {

        private Program() {}

        public static void main(String[] arguments) throws ReflectiveOperationException {
            CommandSpec<Call, String> spec = Call.declared()
                    .timeout(Duration.ofSeconds(9))
                    .fallback(chain -> chain.template(StaticTemplate.of("last", "template")))
                    .build();
            Commands commands = Commands.create();
            String first = new Call(commands, spec, "1", () -> "one").execute();
            String second = new Call(commands, spec, "2", () -> "two").queue().join();
            List<String> holdUp = LibraryThreads.of("").stream()
                    .filter(thread -> !thread.isDaemon())
                    .map(Thread::getName)
                    .toList();
            System.out.println(first + " " + second + ", threads that hold up the end " + holdUp + ", shutdown hooks "
                    + shutdownHooks());
        }

        /** The JDK does not show them, so the test opens its package. */
        private static int shutdownHooks() throws ReflectiveOperationException {
            Field hooks = Class.forName("java.lang.ApplicationShutdownHooks").getDeclaredField("hooks");
            hooks.setAccessible(true);
            return ((Map<?, ?>) hooks.get(null)).size();
        }
    }

    @DisplayName("B142, B143: a program that returns from main without a close ends by itself, without a shutdown hook")
    @Test
    void a_forgotten_close_keeps_no_program_alive() throws Exception {
        Process program = new ProcessBuilder(
                        System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName())
                .redirectErrorStream(true)
                .start();
        try {
            boolean ended = program.waitFor(20, TimeUnit.SECONDS); // it takes two

            String output = new String(program.getInputStream().readNBytes(ended ? 10_000 : 0), StandardCharsets.UTF_8);
            assertThat(ended).as("it ended by itself").isTrue();
            assertThat(output.lines().reduce("", (first, last) -> last)) // libraries may have logged before
                    .isEqualTo("one two, threads that hold up the end [], shutdown hooks 0");
            assertThat(program.exitValue()).isZero();
        } finally {
            program.destroyForcibly();
        }
    }
}
