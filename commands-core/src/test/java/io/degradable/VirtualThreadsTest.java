package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.model.Trigger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The same library, compiled for Java 17, on a JVM that has virtual threads. */
@Tag("virtual-threads")
@Timeout(60)
final class VirtualThreadsTest {

    private static CommandSpec<Call, String> spec(int limit) {
        return Call.declared().virtualThreads(limit).noTimeout().build();
    }

    @Test
    void a_body_runs_on_a_virtual_thread_of_its_own() {
        try (Commands commands = Commands.create()) {
            CommandResult<String> result = new Call(
                            commands, spec(1), "1", () -> Thread.currentThread().toString())
                    .executeForResult();

            assertThat(result.value()).startsWith("VirtualThread[").contains("degradable-Call-");
        }
    }

    @Test
    void never_more_than_the_limit_run_at_once_and_the_rest_is_refused_at_once() throws Exception {
        try (Commands commands = Commands.create()) {
            AtomicInteger inside = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            CountDownLatch entered = new CountDownLatch(100);
            CountDownLatch release = new CountDownLatch(1);
            List<CompletableFuture<CommandResult<String>>> answers = new ArrayList<>();
            for (int call = 0; call < 100; call++) {
                answers.add(new Call(commands, spec(100), "1", () -> {
                            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                            entered.countDown();
                            release.await();
                            inside.decrementAndGet();
                            return "live";
                        })
                        .queueForResult());
            }
            entered.await();

            CompletableFuture<CommandResult<String>> refused =
                    new Call(commands, spec(100), "1", () -> "never").queueForResult();

            assertThat(refused.handle((answer, failure) -> failure).join())
                    .isInstanceOf(CommandException.class)
                    .extracting(failure -> ((CommandException) failure).trigger())
                    .isEqualTo(Trigger.THREAD_POOL_REJECTED);
            release.countDown();
            for (CompletableFuture<CommandResult<String>> answer : answers) {
                assertThat(answer.get().source()).isEqualTo(Source.PRIMARY);
            }
            assertThat(most).hasValue(100);
        }
    }

    @Test
    void ten_thousand_sleeping_bodies_need_no_thread_each() { // B146
        try (Commands commands = Commands.create()) {
            List<CompletableFuture<String>> answers = new ArrayList<>();
            for (int call = 0; call < 10_000; call++) {
                answers.add(new Call(commands, spec(10_000), "1", () -> {
                            LockSupport.parkNanos(100_000_000);
                            return "live";
                        })
                        .queue());
            }
            assertThat(answers).allSatisfy(answer -> assertThat(answer.join()).isEqualTo("live"));
        }
    }

    @Test
    void closing_interrupts_what_outlasts_the_grace() throws Exception {
        Commands commands = Commands.builder().closeGrace(Duration.ofMillis(1)).build();
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        CompletableFuture<String> future = new Call(commands, spec(1), "1", () -> {
                    entered.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } finally {
                        interrupted.countDown();
                    }
                    return "never";
                })
                .queue();
        entered.await();

        commands.close();

        interrupted.await();
        assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
    }
}
