package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.cache.CacheSpec;
import io.degradable.model.Trigger;
import io.degradable.settings.GuardSettings;
import io.degradable.template.StaticTemplate;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What contradicts itself is refused before anything runs, with a message that names the field and the value. */
final class BadSettingsTest {

    private static final CommandSpec<Call, String> SPARE = Call.declared()
            .name("Spare")
            .threadPool(pool -> pool.named("shared"))
            .build();

    private static Arguments refused(String message, Callable<?> attempt) {
        return Arguments.of(message, attempt);
    }

    static Stream<Arguments> contradictions() {
        CacheSpec<String, String> copies = CacheSpec.named("copies");
        StaticTemplate<String> last = StaticTemplate.of("last", "x");
        return Stream.of(
                refused(
                        "command Call: group is missing: say .group(\"...\")",
                        () -> CommandSpec.of(Call.class).build()),
                refused(
                        "command name must be 1 to 120 characters out of letters, digits and . _ - /, was \"a b\"",
                        () -> Call.declared().name("a b").build()),
                refused(
                        "command Call: group must be 1 to 120 characters out of letters, digits and . _ - /, was \"\"",
                        () -> Call.declared().group("").build()),
                refused(
                        "command Call: threadPool.size must be positive, was 0",
                        () -> Call.declared().threadPool(pool -> pool.size(0)).build()),
                refused(
                        "command Call: threadPool.queue must not be negative, was -1",
                        () -> Call.declared().threadPool(pool -> pool.queue(-1)).build()),
                refused(
                        "command Call: semaphore.limit must be positive, was -3",
                        () -> Call.declared().semaphore(-3).build()),
                refused(
                        "command Call: timeout must be positive, was -5 ms",
                        () -> Call.declared().timeout(Duration.ofMillis(-5)).build()),
                refused(
                        "command Call: deadline must be positive, was 0 ms",
                        () -> Call.declared().deadline(Duration.ZERO).build()),
                refused(
                        "command Call: circuitBreaker.errorThresholdPercentage must be a percentage from 1 to 100, was 101",
                        () -> Call.declared()
                                .circuitBreaker(breaker -> breaker.errorThresholdPercentage(101))
                                .build()),
                refused(
                        "command Call: circuitBreaker.window of 1000 ms does not divide into 7 buckets",
                        () -> Call.declared()
                                .circuitBreaker(breaker ->
                                        breaker.window(Duration.ofSeconds(1)).buckets(7))
                                .build()),
                refused(
                        "command Call: circuitBreaker.buckets must be at least 2, was 1",
                        () -> Call.declared()
                                .circuitBreaker(breaker -> breaker.buckets(1))
                                .build()),
                refused(
                        "command Call: circuitBreaker.window of 1000 ms is shorter than the timeout of 5000 ms", // B15
                        () -> Call.declared()
                                .timeout(Duration.ofSeconds(5))
                                .circuitBreaker(breaker -> breaker.window(Duration.ofSeconds(1)))
                                .build()),
                refused(
                        "command Call: circuitBreaker.maxSleepWindow of 1000 ms is below the sleepWindow of 2000 ms",
                        () -> Call.declared()
                                .circuitBreaker(breaker -> breaker.sleepWindow(Duration.ofSeconds(2))
                                        .maxSleepWindow(Duration.ofSeconds(1)))
                                .build()),
                refused(
                        "command Call: timeout of a stage must not exceed the chain's budget of 250 ms, was 251 ms",
                        () -> Call.declared()
                                .fallback(chain -> chain.spareCall(
                                        "second",
                                        (call, context) -> "x",
                                        stage -> stage.timeout(Duration.ofMillis(251))))
                                .build()),
                refused(
                        "command Call: budget of the chain (within) must be positive, was 0 ms",
                        () -> Call.declared()
                                .fallback(chain -> chain.within(Duration.ZERO))
                                .build()),
                refused(
                        "command Call: spare Spare must not share the primary's thread pool shared: whatever fills that pool"
                                + " would take it down, too",
                        () -> Call.declared()
                                .threadPool(pool -> pool.named("shared"))
                                .fallback(chain -> chain.spare(SPARE, call -> call))
                                .build()),
                refused(
                        "command Call: spare Blocking can block, so it must not run on a semaphore of 10: give it a thread pool,"
                                + " or say boundedBy(...) if its body ends by itself",
                        () -> Call.declared()
                                .fallback(chain -> chain.spare(
                                        Call.declared()
                                                .name("Blocking")
                                                .semaphore()
                                                .build(),
                                        call -> call))
                                .build()),
                refused(
                        "command Call: fallback has no stage: leave it out, or add one",
                        () -> Call.declared().fallback(chain -> chain).build()),
                refused(
                        "command Call: quota must be 0, for none, or from 0.000001 to 1,000,000,000 per second, was 1.0E-10",
                        () -> Call.declared()
                                .fallback(chain -> chain.spare(SPARE, call -> call, spare -> spare.quota(1e-10)))
                                .build()),
                refused(
                        "command Call: freshness of copies must be positive, was 0 ms",
                        () -> Call.declared()
                                .fallback(chain -> chain.cached(copies, call -> call.id, Duration.ZERO))
                                .build()),
                refused(
                        "command Call: cache copies is local and read in memory: it takes no thread pool, timeout, breaker"
                                + " or allowNull()",
                        () -> Call.declared()
                                .fallback(chain -> chain.cached(
                                        copies,
                                        call -> call.id,
                                        Duration.ofSeconds(1),
                                        stage -> stage.timeout(Duration.ofMillis(1))))
                                .build()),
                refused(
                        "command Call: boundedBy must not exceed the timeout of 100 ms, was 200 ms",
                        () -> Call.declared()
                                .boundedBy(Duration.ofMillis(200))
                                .timeout(Duration.ofMillis(100))
                                .build()),
                refused(
                        "command Call: stage second is there already",
                        () -> Call.declared()
                                .fallback(chain -> chain.spareCall("second", (call, context) -> "x")
                                        .spareCall("second", (call, context) -> "y"))
                                .build()),
                refused(
                        "command Call: on must not contain NONE: a call without a trigger has no chain",
                        () -> Call.declared()
                                .fallback(chain -> chain.template(last, stage -> stage.on(Trigger.NONE)))
                                .build()),
                refused(
                        "command Call: quota must be positive, was 0.0",
                        () -> Call.declared()
                                .fallback(chain -> chain.spare(SPARE, call -> call, spare -> spare.quota(0)))
                                .build()),
                refused(
                        "command Call: atMost must be positive, was 0",
                        () -> Call.declared()
                                .fallback(chain -> chain.spare(SPARE, call -> call, spare -> spare.atMost(0)))
                                .build()),
                refused("maximumSize of cache copies must be positive, was 0", () -> copies.maximumSize(0)),
                refused(
                        "template last must satisfy \"a price above 0\", was x",
                        () -> last.checked("a price above 0", text -> text.length() > 1)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("contradictions")
    void a_contradiction_is_refused(String message, Callable<?> attempt) {
        assertThatThrownBy(attempt::call)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void a_second_spec_of_one_name_with_other_settings_is_refused_before_any_body_runs() { // B119
        AtomicInteger bodies = new AtomicInteger();
        try (Commands commands = Commands.builder().name("mine").build()) {
            CommandSpec<Call, String> first = Call.declared().build();
            CommandSpec<Call, String> second = Call.declared().group("other").build();
            commands.register(first);

            assertThatThrownBy(new Call(commands, second, "1", () -> "body " + bodies.incrementAndGet())::execute)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("command Call is known in mine with other settings: key.group was \"test\", now"
                            + " \"other\"; guard.bulkhead.name was \"test\", now \"other\"");
            assertThat(bodies).hasValue(0);
        }
    }

    @Test
    void another_freshness_window_or_another_chain_is_another_spec() {
        CacheSpec<String, String> copies = CacheSpec.named("copies");
        try (Commands commands = Commands.builder().name("mine").build()) {
            commands.register(Call.declared()
                    .fallback(chain -> chain.cached(copies, call -> call.id, Duration.ofMinutes(5)))
                    .build());

            assertThatThrownBy(() -> commands.register(Call.declared()
                            .fallback(chain -> chain.cached(copies, call -> call.id, Duration.ofHours(5)))
                            .build()))
                    .hasMessage("command Call is known in mine with other settings: stages[0].freshness was 300000 ms,"
                            + " now 18000000 ms");
            assertThatThrownBy(() -> commands.register(Call.declared().build()))
                    .hasMessage("command Call is known in mine with other settings: stages was [cache], now []");
        }
    }

    @Test
    void an_equal_second_spec_shares_the_first_ones_state() {
        try (Commands commands = Commands.create()) {
            new Call(commands, Call.declared().build(), "1", () -> "a").execute();
            new Call(commands, Call.declared().build(), "2", () -> "b").execute();

            assertThat(commands.commands())
                    .singleElement()
                    .satisfies(command -> assertThat(command.received()).isEqualTo(2));
        }
    }

    @Test
    void pools_and_caches_of_one_name_with_other_figures_are_refused() {
        try (Commands commands = Commands.builder().name("mine").build()) {
            commands.register(SPARE);
            commands.cache(CacheSpec.<String, String>named("copies"));

            assertThatThrownBy(() -> commands.register(Call.declared()
                            .threadPool(pool -> pool.named("shared").size(3))
                            .build()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("thread pool shared is known in mine with other figures: size was 10, now 3");
            assertThatThrownBy(() -> commands.cache(
                            CacheSpec.<String, String>named("copies").maximumSize(7)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("cache copies is known in mine with other figures: maximum was 10000, now 7");
        }
    }

    @Test
    void a_command_of_another_class_than_its_spec_is_refused() {
        class Other extends DegradableCommand<String> {
            Other(CommandSpec<Call, String> spec) {
                super(spec);
            }

            @Override
            protected String run() {
                return "other";
            }
        }

        assertThatThrownBy(() -> new Other(Call.declared().build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the spec Call is of io.degradable.Call, not of ");
    }

    @Test
    void a_limit_longer_than_any_is_no_limit() {
        CommandSpec<Call, String> spec =
                Call.declared().timeout(Duration.ofDays(1_000_000)).build();

        assertThat(spec.settings().guard().timeout()).isEqualTo(GuardSettings.NO_TIMEOUT);
    }
}
