package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.degradable.cache.CacheSpec;
import io.degradable.model.CallOutcome;
import io.degradable.model.CommandException;
import io.degradable.model.Source;
import io.degradable.model.Trigger;
import io.degradable.state.CallKind;
import io.degradable.state.CommandView;
import io.degradable.template.StaticTemplate;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What users do by accident, and what must not be lost by it. */
@Timeout(60)
final class HardCasesTest {

    private final Commands commands = Commands.create();

    @AfterEach
    void close() {
        commands.close();
    }

    private CommandView view() {
        return commands.commands().iterator().next();
    }

    @SuppressWarnings("InfiniteRecursion") // it is meant to end at the end of the stack
    private static int bottomless(int depth) {
        return 1 + bottomless(depth + 1);
    }

    @Test
    void a_body_that_reaches_the_end_of_the_stack_gives_back_its_slot_and_is_in_flight_no_more() {
        CommandSpec<Call, String> spec =
                Call.declared().semaphore(1).noCircuitBreaker().noTimeout().build();

        for (int round = 0; round < 20; round++) {
            assertThatThrownBy(new Call(commands, spec, "1", () -> "depth " + bottomless(0))::execute)
                    .isInstanceOf(StackOverflowError.class);
        }

        assertThat(view().inFlight()).isZero();
        assertThat(view().stages().get(0).active()).isZero();
        assertThat(view().calls(new CallKind(CallOutcome.FAILED, null, Trigger.FAILURE)))
                .isEqualTo(20);
    }

    /** Calls again and again, each time a little further from the end of the stack. */
    private static final class Descent {

        private final Callable<String> call;
        private int left = 300;
        private int overflown;

        Descent(Callable<String> call) {
            this.call = call;
        }

        @SuppressWarnings("InfiniteRecursion") // it is meant to end at the end of the stack
        void down() {
            try {
                down();
            } catch (StackOverflowError bottom) {
                // from here on upwards
            }
            if (left > 0) {
                left--;
                try {
                    call.call();
                } catch (StackOverflowError atTheEnd) {
                    overflown++;
                } catch (Exception full) {
                    // of calls whose callers could not even wait for them
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EXECUTE", "QUEUE"})
    void a_caller_at_the_end_of_the_stack_takes_no_worker_with_it(EntryPoint entry) throws Exception {
        CommandSpec<Call, String> spec = Call.declared()
                .threadPool(pool -> pool.size(2).queue(1))
                .circuitBreaker(breaker -> breaker.failureRate(100))
                .noTimeout()
                .build();
        assertThat(overflownAt(entry, new Call(commands, spec, "1", () -> "live")))
                .as("calls that had too little stack")
                .isPositive();

        CountDownLatch bothRun = new CountDownLatch(2);
        Call together = new Call(commands, spec, "2", () -> {
            bothRun.countDown();
            bothRun.await();
            return "live";
        });
        CompletableFuture<String> other = together.queue();
        assertThat(together.execute()).isEqualTo("live");
        assertThat(other.get()).isEqualTo("live");
    }

    @Test
    void a_caller_at_the_end_of_the_stack_takes_no_slot_with_it() throws Exception {
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore(1)
                .circuitBreaker(breaker -> breaker.failureRate(100))
                .build();
        Call live = new Call(commands, spec, "1", () -> "live");

        assertThat(overflownAt(EntryPoint.EXECUTE, live))
                .as("calls that had too little stack")
                .isPositive();

        assertThat(live.execute()).isEqualTo("live");
        assertThat(view().calls(new CallKind(CallOutcome.REJECTED, null, Trigger.SEMAPHORE_REJECTED)))
                .isZero();
    }

    /** How many of thousands of calls ended at the end of the stack. */
    private int overflownAt(EntryPoint entry, Call call) throws Exception {
        int overflown = 0;
        assertThat(entry.run(call)).as("all classes are loaded").isEqualTo("live");
        for (int round = 0; round < 40; round++) {
            Descent descent = new Descent(() -> entry.run(call));
            Thread caller = new Thread(null, descent::down, "caller", 160_000 + 1_000 * round);
            caller.start();
            caller.join();
            overflown += descent.overflown;
            await().untilAsserted(() -> {
                assertThat(view().inFlight()).as("in flight").isZero();
                assertThat(view().stages().get(0).active()).as("slots").isZero();
            });
        }
        return overflown;
    }

    @Test
    void a_queue_without_a_bound_is_as_long_as_a_number_can_say() {
        CommandSpec<Call, String> spec = Call.declared()
                .threadPool(pool -> pool.size(2).queue(Integer.MAX_VALUE))
                .build();

        assertThat(new Call(commands, spec, "1", () -> "live").execute()).isEqualTo("live");
    }

    @Test
    void limits_longer_than_time_can_be_told_are_no_limits() {
        CommandSpec<Call, String> spec = Call.declared()
                .noTimeout()
                .fallback(chain -> chain.within(Duration.ofSeconds(Long.MAX_VALUE))
                        .template(StaticTemplate.of("last", "template")))
                .build();

        assertThat(new Call(commands, spec, "1", () -> "live")
                        .executeForResult()
                        .source())
                .isEqualTo(Source.PRIMARY);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException sneaky(Throwable failure) throws E {
        throw (E) failure;
    }

    @Test
    void a_key_function_that_throws_what_it_does_not_declare_leaves_the_answer_good() {
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore()
                .fallback(chain -> chain.cached(
                        CacheSpec.<String, String>named("copies"),
                        call -> {
                            throw HardCasesTest.<RuntimeException>sneaky(new IOException("undeclared"));
                        },
                        Duration.ofMinutes(1)))
                .build();

        assertThat(new Call(commands, spec, "1", () -> "live").execute()).isEqualTo("live");
        assertThat(view().stages().get(0).userMistakes()).isEqualTo(1);
    }

    /** Runs a command that two observers hear of, the first of which throws; the names that the second was told. */
    private List<String> toldBesideOneThatThrows(Thread.UncaughtExceptionHandler handler) {
        List<String> told = new ArrayList<>();
        Thread.currentThread().setUncaughtExceptionHandler(handler);
        try {
            commands.watch(command -> {
                throw new IllegalStateException("observer");
            });
            commands.watch(command -> told.add(command.key().name()));

            assertThat(new Call(commands, Call.declared().build(), "1", () -> "live").execute())
                    .isEqualTo("live");
        } finally {
            Thread.currentThread().setUncaughtExceptionHandler(null);
        }
        return told;
    }

    @Test
    void an_observer_that_throws_breaks_neither_the_call_nor_the_next_observer() {
        List<Throwable> loud = new ArrayList<>();

        assertThat(toldBesideOneThatThrows((thread, mistake) -> loud.add(mistake)))
                .containsExactly("Call");

        assertThat(loud)
                .singleElement()
                .satisfies(mistake -> assertThat(mistake).hasMessage("observer"));
    }

    @Test
    void an_observer_breaks_no_call_even_where_the_handler_of_what_is_not_caught_throws_as_well() {
        assertThat(toldBesideOneThatThrows((thread, mistake) -> {
                    throw new IllegalStateException("handler");
                }))
                .containsExactly("Call");
    }

    @Test
    void a_command_exception_survives_a_journey_between_processes() throws Exception {
        CommandSpec<Call, String> spec = Call.declared().semaphore().build();
        CommandException thrown = catchThrowableOfType(
                CommandException.class,
                () -> new Call(commands, spec, "1", () -> {
                            throw new IOException("down");
                        })
                        .execute());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(thrown);
        }

        CommandException read;
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            read = (CommandException) in.readObject();
        }

        assertThat(read).hasMessage(thrown.getMessage()).hasRootCauseMessage("down");
        assertThat(read.trigger()).isEqualTo(Trigger.FAILURE);
        assertThat(read.outcome()).isEqualTo(CallOutcome.FAILED);
        assertThat(read.trail()).hasSize(1);
    }
}
