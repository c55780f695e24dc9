package io.degradable.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.degradable.CallableCommand;
import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.model.Source;
import io.degradable.model.Trigger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs test classes as their users would, good and bad ones. */
@Timeout(60)
final class DegradableExtensionTest {

    private static final CommandSpec<CallableCommand<String>, String> SPEC = CommandSpec.<String>callable("call")
            .group("test")
            .threadPool(pool -> pool.named("extension-test"))
            .timeout(Duration.ofMillis(150))
            .build();

    private static final List<Commands> CONTAINERS = new CopyOnWriteArrayList<>();
    private static volatile CountDownLatch release = new CountDownLatch(1);

    @BeforeEach
    void forget() {
        CONTAINERS.clear();
        release = new CountDownLatch(1);
    }

    @AfterEach
    void releaseBodies() {
        release.countDown();
    }

    /** Runs the tests of a class, and returns what each failed with. */
    private static List<Throwable> failuresOf(Class<?> tests, int count) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(tests))
                .build();
        List<Throwable> failures = new ArrayList<>();
        List<TestIdentifier> ended = new ArrayList<>();
        LauncherFactory.create().execute(request, new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                result.getThrowable().ifPresent(failures::add);
                if (test.isTest()) {
                    ended.add(test);
                }
            }
        });
        assertThat(ended).hasSize(count);
        return failures;
    }

    @Test
    void each_test_has_one_container_of_its_own_which_is_closed_after_it() {
        assertThat(failuresOf(TwoTests.class, 2)).isEmpty();

        assertThat(CONTAINERS).hasSize(4).allMatch(Commands::isClosed);
        assertThat(CONTAINERS.get(0)).isSameAs(CONTAINERS.get(1)).isNotSameAs(CONTAINERS.get(2));
        assertThat(CONTAINERS.get(2)).isSameAs(CONTAINERS.get(3));
    }

    @ExtendWith(DegradableExtension.class)
    static final class TwoTests {
        TwoTests(Commands commands) {
            CONTAINERS.add(commands);
        }

        @Test
        void first(Commands commands) {
            CONTAINERS.add(commands);
            assertThat(commands.ticker()).isNotInstanceOf(ManualTicker.class);
            assertThat(commands.call(SPEC, () -> "live")).isEqualTo("live");
        }

        @Test
        void second(Commands commands) {
            CONTAINERS.add(commands);
            assertThat(commands.commands()).isEmpty();
        }
    }

    @Test
    void the_container_runs_on_the_ticker_that_anybody_asks_for_however_late() {
        assertThat(failuresOf(TickerAskedForLate.class, 2)).isEmpty();
    }

    @ExtendWith(DegradableExtension.class)
    static final class TickerAskedForLate {

        private Commands commands = Commands.shared();

        @BeforeEach
        void setUp(Commands commands) {
            this.commands = commands;
        }

        @Test
        void in_the_test(ManualTicker ticker) {
            assertThat(commands.ticker()).isSameAs(ticker);
        }

        @Nested
        final class Inner {
            @BeforeEach
            void setUp(ManualTicker ticker) {
                assertThat(commands.ticker()).isSameAs(ticker);
            }

            @Test
            void in_a_method_before_each() {
                assertThat(commands.ticker()).isInstanceOf(ManualTicker.class);
            }
        }
    }

    @Test
    void the_events_of_the_container_are_recorded_for_whoever_asks_for_them() {
        assertThat(failuresOf(RecordsEvents.class, 2)).isEmpty();
    }

    @ExtendWith(DegradableExtension.class)
    static final class RecordsEvents {

        private final Commands commands;

        RecordsEvents(Commands commands) {
            this.commands = commands;
        }

        @Test
        void of_this_test_alone(RecordedEvents events) {
            assertThat(commands.call(SPEC, () -> "live")).isEqualTo("live");

            events.assertThat("call").wasAnsweredBy(Source.PRIMARY, 1);
        }

        @Test
        void with_a_ticker_as_well(RecordedEvents events, ManualTicker ticker) {
            assertThat(commands.ticker()).isSameAs(ticker);
            assertThat(commands.call(SPEC, () -> "live")).isEqualTo("live");

            events.assertThat("call").wasAnsweredBy(Source.PRIMARY, 1);
        }
    }

    @Test
    void a_body_that_does_not_end_fails_its_test_with_the_name_of_its_thread() {
        assertThat(failuresOf(Leaks.class, 1))
                .singleElement()
                .isInstanceOf(AssertionError.class)
                .extracting(Throwable::getMessage)
                .asString()
                .matches("container Leaks\\.leaks-[0-9]+ was closed, and threads of it go on:"
                        + " degradable-extension-test-1;.*");
    }

    @ExtendWith(DegradableExtension.class)
    static final class Leaks {
        @Test
        void leaks(Commands commands) {
            CountDownLatch released = release;
            var future =
                    commands.queueForResult(new CallableCommand<>(commands, SPEC, "", () -> awaitStubbornly(released)));
            assertThat(future).isNotNull();
        }
    }

    private static String awaitStubbornly(CountDownLatch released) {
        while (true) {
            try {
                released.await();
                return "late";
            } catch (InterruptedException goesOn) {
                // The worst kind of body: it does not obey.
            }
        }
    }

    @Test
    void a_body_that_obeys_its_interrupt_is_no_leak_although_the_time_of_its_test_stands_still() {
        assertThat(failuresOf(LeavesARun.class, 1)).isEmpty();
        assertThat(CONTAINERS).singleElement().matches(Commands::isClosed);
    }

    @ExtendWith(DegradableExtension.class)
    static final class LeavesARun {
        @Test
        void leaves_a_run(Commands commands, ManualTicker ticker) {
            CONTAINERS.add(commands);
            CountDownLatch released = release;
            var future = commands.queueForResult(new CallableCommand<>(commands, SPEC, "", () -> {
                released.await();
                return "late";
            }));
            assertThat(future).isNotNull();
            assertThat(ticker).isSameAs(commands.ticker());
        }
    }

    @Test
    void threads_of_other_containers_are_not_this_ones() {
        try (Commands other = Commands.create()) {
            assertThat(other.call(SPEC, () -> "its pool has a thread")).isNotNull();

            assertThat(failuresOf(TwoTests.class, 2)).isEmpty();
        }
    }

    @Test
    void what_is_called_for_several_tests_has_no_container() {
        assertThat(failuresOf(OneForAll.class, 0))
                .singleElement()
                .extracting(Throwable::getMessage)
                .asString()
                .startsWith("each test has a container of its own, so ")
                .endsWith(" has none: it is called for several tests");
    }

    @ExtendWith(DegradableExtension.class)
    static final class OneForAll {
        @BeforeAll
        static void setUp(Commands commands) {
            CONTAINERS.add(commands);
        }

        @Test
        void is_not_run() {
            assertThat(Trigger.NONE).isNull();
        }
    }
}
