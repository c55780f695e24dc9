package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.internal.bulkhead.VirtualThreadBulkhead;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.model.Trigger;
import io.degradable.settings.BulkheadSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.DisplayName;
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

    @DisplayName("B146: 10,000 bodies that sleep need no thread each")
    @Test
    void ten_thousand_sleeping_bodies_need_no_thread_each() {
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

    /** Runs something under the JDK's own recorder, and returns what it saw of pinned virtual threads. */
    private static List<RecordedEvent> pinned(Callable<?> work) throws Exception {
        Path file = Files.createTempFile("pinned", ".jfr");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.VirtualThreadPinned").withoutThreshold().withStackTrace();
            recording.start();
            work.call();
            recording.stop();
            recording.dump(file);
            return RecordingFile.readAllEvents(file);
        } finally {
            Files.delete(file);
        }
    }

    private static boolean isOurs(RecordedFrame frame) {
        return frame.getMethod().getType().getName().startsWith("io.degradable.");
    }

    /** How many of so many calls at once have parked in their bodies and answered. */
    private static int parkingCalls(int calls) {
        AtomicInteger parked = new AtomicInteger();
        try (Commands commands = Commands.create()) {
            List<CompletableFuture<String>> answers = new ArrayList<>();
            for (int call = 0; call < calls; call++) {
                answers.add(new Call(commands, spec(calls), "1", () -> {
                            LockSupport.parkNanos(20_000_000);
                            parked.incrementAndGet();
                            return "live";
                        })
                        .queue());
            }
            answers.forEach(CompletableFuture::join);
        }
        return parked.get();
    }

    @DisplayName("B146: 2,000 bodies that park pin no carrier thread")
    @Test
    void parking_bodies_pin_nothing() throws Exception {
        parkingCalls(10); // what is loaded and initialized on a first use pins, and is not meant
        AtomicInteger parked = new AtomicInteger();

        List<RecordedEvent> events = pinned(() -> parked.addAndGet(parkingCalls(2_000)));

        assertThat(parked).hasValue(2_000);
        assertThat(events)
                .filteredOn(event -> event.getStackTrace() == null
                        || event.getStackTrace().getFrames().stream().anyMatch(VirtualThreadsTest::isOurs))
                .filteredOn(event -> event.getStackTrace() == null || !isInTheJdksBookOfThreads(event.getStackTrace()))
                .isEmpty();
    }

    /** The JDK keeps a map of the threads that were started, which can grow under a monitor of its own; nothing parks. */
    private static boolean isInTheJdksBookOfThreads(RecordedStackTrace trace) {
        return trace.getFrames().stream()
                .anyMatch(
                        frame -> frame.getMethod().getType().getName().startsWith("jdk.internal.vm.ThreadContainers"));
    }

    /** Pins on every JDK so far: the JVM itself runs this, and its frame cannot leave the carrier. */
    private static final class ParksInItsInitializer {
        static {
            LockSupport.parkNanos(20_000_000);
        }

        static void touch() {}
    }

    @Test
    void the_recorder_sees_a_body_that_pins() throws Exception {
        List<RecordedEvent> events = pinned(() -> {
            try (Commands commands = Commands.create()) {
                return new Call(commands, spec(1), "1", () -> {
                            ParksInItsInitializer.touch();
                            return "live";
                        })
                        .execute();
            }
        });

        assertThat(events)
                .anySatisfy(
                        event -> assertThat(event.getStackTrace().getFrames()).anyMatch(VirtualThreadsTest::isOurs));
    }

    @Test
    void the_limit_can_be_moved_while_bodies_run() {
        VirtualThreadBulkhead bulkhead = new VirtualThreadBulkhead("live", new BulkheadSettings.VirtualThreads(2));
        assertThat(bulkhead.tryEnter()).isTrue();
        assertThat(bulkhead.tryEnter()).isTrue();

        bulkhead.resize(1);

        assertThat(bulkhead.active()).isEqualTo(2);
        bulkhead.exit();
        assertThat(bulkhead.tryEnter()).isFalse();
        bulkhead.resize(2);
        assertThat(bulkhead.tryEnter()).isTrue();
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
