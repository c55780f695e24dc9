package io.degradable.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.model.BadRequestException;
import io.degradable.model.CommandException;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HystrixEventsTest {

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();
    private final HystrixEvents events = new HystrixEvents(commands);

    @AfterEach
    void close() {
        commands.close();
    }

    @Test
    void without_a_command_there_is_a_ping() {
        assertThat(text()).isEqualTo("ping: \n\n");
    }

    @Test
    void each_event_is_one_data_line_and_an_empty_one() {
        commands.register(Ask.withChain("GetAnswer").semaphore().build());

        List<String> blocks = List.of(text().split("\n\n"));

        assertThat(blocks).hasSize(6).last().isEqualTo("ping: ");
        assertThat(blocks.subList(0, 5))
                .allSatisfy(block ->
                        assertThat(block).startsWith("data: {").endsWith("}").doesNotContain("\n"));
    }

    @Test
    void there_is_an_event_for_each_command_stage_and_pool_before_the_first_call() throws Exception {
        commands.register(
                Ask.withChain("GetAnswer").build(), Ask.named("AskAgain").build());

        assertThat(read())
                .extracting(event ->
                        event.get("type").textValue() + " " + event.get("name").textValue())
                .containsExactly(
                        "HystrixCommand AskAgain",
                        "HystrixCommand GetAnswer",
                        "HystrixCommand GetAnswer:spare",
                        "HystrixCommand GetAnswer:cache",
                        "HystrixCommand GetAnswer:static",
                        "HystrixThreadPool GetAnswer/spare",
                        "HystrixThreadPool oracle");
    }

    @Test
    void every_event_of_a_command_has_the_fields_of_hystrix_in_their_order() throws Exception {
        commands.register(Ask.withChain("GetAnswer").build());

        List<JsonNode> all = ofType("HystrixCommand");

        assertThat(all).hasSize(4).allSatisfy(event -> {
            assertThat(event.fieldNames())
                    .toIterable()
                    .containsExactly(
                            "type",
                            "name",
                            "group",
                            "currentTime",
                            "isCircuitBreakerOpen",
                            "errorPercentage",
                            "errorCount",
                            "requestCount",
                            "rollingCountBadRequests",
                            "rollingCountCollapsedRequests",
                            "rollingCountEmit",
                            "rollingCountExceptionsThrown",
                            "rollingCountFailure",
                            "rollingCountFallbackEmit",
                            "rollingCountFallbackFailure",
                            "rollingCountFallbackMissing",
                            "rollingCountFallbackRejection",
                            "rollingCountFallbackSuccess",
                            "rollingCountResponsesFromCache",
                            "rollingCountSemaphoreRejected",
                            "rollingCountShortCircuited",
                            "rollingCountSuccess",
                            "rollingCountThreadPoolRejected",
                            "rollingCountTimeout",
                            "currentConcurrentExecutionCount",
                            "rollingMaxConcurrentExecutionCount",
                            "latencyExecute_mean",
                            "latencyExecute",
                            "latencyTotal_mean",
                            "latencyTotal",
                            "propertyValue_circuitBreakerRequestVolumeThreshold",
                            "propertyValue_circuitBreakerSleepWindowInMilliseconds",
                            "propertyValue_circuitBreakerErrorThresholdPercentage",
                            "propertyValue_circuitBreakerForceOpen",
                            "propertyValue_circuitBreakerForceClosed",
                            "propertyValue_circuitBreakerEnabled",
                            "propertyValue_executionIsolationStrategy",
                            "propertyValue_executionIsolationThreadTimeoutInMilliseconds",
                            "propertyValue_executionTimeoutInMilliseconds",
                            "propertyValue_executionIsolationThreadInterruptOnTimeout",
                            "propertyValue_executionIsolationThreadPoolKeyOverride",
                            "propertyValue_executionIsolationSemaphoreMaxConcurrentRequests",
                            "propertyValue_fallbackIsolationSemaphoreMaxConcurrentRequests",
                            "propertyValue_metricsRollingStatisticalWindowInMilliseconds",
                            "propertyValue_requestCacheEnabled",
                            "propertyValue_requestLogEnabled",
                            "reportingHosts",
                            "threadPool");
            for (String latency : new String[] {"latencyExecute", "latencyTotal"}) {
                assertThat(event.get(latency).fieldNames())
                        .toIterable()
                        .containsExactly("0", "25", "50", "75", "90", "95", "99", "99.5", "100");
            }
        });
    }

    @Test
    void every_event_of_a_pool_has_the_fields_of_hystrix_in_their_order() throws Exception {
        commands.register(Ask.named("GetAnswer")
                .threadPool(pool -> pool.named("answers").size(4).queue(9))
                .build());

        JsonNode pool = find("answers");

        assertThat(pool.fieldNames())
                .toIterable()
                .containsExactly(
                        "type",
                        "name",
                        "currentTime",
                        "currentActiveCount",
                        "currentCompletedTaskCount",
                        "currentCorePoolSize",
                        "currentLargestPoolSize",
                        "currentMaximumPoolSize",
                        "currentPoolSize",
                        "currentQueueSize",
                        "currentTaskCount",
                        "rollingCountThreadsExecuted",
                        "rollingMaxActiveThreads",
                        "rollingCountCommandRejections",
                        "propertyValue_queueSizeRejectionThreshold",
                        "propertyValue_metricsRollingStatisticalWindowInMilliseconds",
                        "reportingHosts");
        assertThat(pool.get("currentMaximumPoolSize").intValue()).isEqualTo(4);
        assertThat(pool.get("propertyValue_queueSizeRejectionThreshold").intValue())
                .isEqualTo(9);
    }

    @Test
    void numbers_are_whole_not_negative_and_of_31_bits_and_nothing_is_null_but_the_override() throws Exception {
        CommandSpec<Ask, String> endless = Ask.withChain("Endless").noTimeout().build();
        commands.register(endless);
        commands.execute(new Ask(commands, endless, "a", Ask.ANSWERS_LIVE));

        assertThat(read())
                .isNotEmpty()
                .allSatisfy(event -> event.properties().forEach(field -> {
                    JsonNode value = field.getValue();
                    String name = field.getKey();
                    if (name.equals("currentTime")) {
                        assertThat(value.longValue()).isEqualTo(ticker.epochMillis());
                    } else if (name.endsWith("PoolKeyOverride")) {
                        assertThat(value.isNull()).isTrue();
                    } else if (value.isObject()) {
                        assertThat(value).allSatisfy(HystrixEventsTest::assertSafeForTurbine);
                    } else if (!value.isBoolean() && !value.isTextual()) {
                        assertSafeForTurbine(value);
                    }
                }));
        assertThat(number("Endless", "propertyValue_executionTimeoutInMilliseconds"))
                .isEqualTo(Integer.MAX_VALUE);
    }

    private static void assertSafeForTurbine(JsonNode number) {
        assertThat(number.isInt()).as("%s is an int", number).isTrue();
        assertThat(number.intValue()).isNotNegative();
    }

    @Test
    void counts_of_a_command_are_those_of_its_calls_in_the_last_ten_seconds() throws Exception {
        CommandSpec<Ask, String> spec = Ask.named("GetAnswer")
                .semaphore(1)
                .fallback(chain -> chain.template(Ask.UNKNOWN))
                .build();

        call(spec, 6, Ask.ANSWERS_LIVE);
        call(spec, 3, Ask.FAILS);
        call(spec, 1, () -> commands.execute(new Ask(commands, spec, "inner", Ask.ANSWERS_LIVE))); // finds no slot
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> call(spec, 1, () -> {
                        throw new BadRequestException("no such key");
                    }))
                    .isInstanceOf(BadRequestException.class);
        }

        assertCounts(
                "GetAnswer",
                "requestCount 11",
                "errorCount 4",
                "errorPercentage 36",
                "rollingCountSuccess 7",
                "rollingCountFailure 3",
                "rollingCountSemaphoreRejected 1",
                "rollingCountFallbackSuccess 4",
                "rollingCountBadRequests 2",
                "rollingCountExceptionsThrown 2");
        ticker.advance(Duration.ofSeconds(11));
        assertCounts("GetAnswer");
    }

    @Test
    void ways_to_end_without_an_answer_are_told_apart() throws Exception {
        CommandSpec<Ask, String> alone = Ask.named("Alone").semaphore().build();
        CommandSpec<Ask, String> broken = Ask.named("Broken")
                .semaphore()
                .fallback(chain -> chain.spareCall("spare", Ask.SPARE))
                .build();

        assertThatThrownBy(() -> call(alone, 1, Ask.FAILS)).isInstanceOf(CommandException.class);
        assertThatThrownBy(() -> call(broken, 1, Ask.FAILS)).isInstanceOf(CommandException.class);

        assertCounts(
                "Alone",
                "requestCount 1",
                "errorCount 1",
                "errorPercentage 100",
                "rollingCountFailure 1",
                "rollingCountFallbackMissing 1",
                "rollingCountExceptionsThrown 1");
        assertCounts(
                "Broken",
                "requestCount 1",
                "errorCount 1",
                "errorPercentage 100",
                "rollingCountFailure 1",
                "rollingCountFallbackFailure 1",
                "rollingCountExceptionsThrown 1");
    }

    @Test
    void counts_of_a_stage_are_those_of_its_guard() throws Exception {
        CommandSpec<Ask, String> spec = Ask.withChain("GetAnswer").semaphore().build();

        commands.execute(new Ask(commands, spec, "a", Ask.FAILS, (ask, context) -> "from the spare"));
        commands.execute(new Ask(commands, spec, "b", Ask.FAILS));

        assertCounts(
                "GetAnswer",
                "requestCount 2",
                "errorCount 2",
                "errorPercentage 100",
                "rollingCountFailure 2",
                "rollingCountFallbackSuccess 2");
        assertCounts(
                "GetAnswer:spare",
                "requestCount 2",
                "errorCount 1",
                "errorPercentage 50",
                "rollingCountFailure 1",
                "rollingCountSuccess 1");
        // Nothing was there, which is no failure of the cache.
        assertCounts("GetAnswer:cache", "requestCount 1", "rollingCountSuccess 1");
        assertCounts("GetAnswer:static", "requestCount 1", "rollingCountSuccess 1");
    }

    @Test
    void breaker_that_is_not_closed_is_shown_as_open() throws Exception {
        CommandSpec<Ask, String> fragile = Ask.named("Fragile")
                .semaphore()
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(1).sleepWindow(Duration.ofSeconds(5)))
                .fallback(chain -> chain.template(Ask.UNKNOWN))
                .build();
        commands.register(fragile);
        List<Boolean> open = new ArrayList<>();

        open.add(find("Fragile").get("isCircuitBreakerOpen").booleanValue());
        call(fragile, 1, Ask.FAILS);
        open.add(find("Fragile").get("isCircuitBreakerOpen").booleanValue());
        call(fragile, 3, Ask.ANSWERS_LIVE);
        ticker.advance(Duration.ofSeconds(6));
        open.add(find("Fragile").get("isCircuitBreakerOpen").booleanValue());
        call(fragile, 4, Ask.ANSWERS_LIVE); // enough good probes: the ramp begins
        open.add(find("Fragile").get("isCircuitBreakerOpen").booleanValue());

        assertThat(open).containsExactly(false, true, true, true);
        assertCounts(
                "Fragile",
                "requestCount 5",
                "errorCount 1",
                "errorPercentage 20",
                "rollingCountSuccess 4",
                "rollingCountFailure 1",
                "rollingCountShortCircuited 3",
                "rollingCountFallbackSuccess 4");
    }

    @Test
    void latencies_are_whole_milliseconds() throws Exception {
        CommandSpec<Ask, String> spec = Ask.named("GetAnswer").semaphore().build();
        for (int millis = 1; millis <= 100; millis++) {
            Duration takes = Duration.ofMillis(millis);
            call(spec, 1, () -> {
                ticker.advance(takes);
                return "live";
            });
        }

        JsonNode event = find("GetAnswer");

        // A bucket is a fifth of its value wide at most.
        assertThat(event.get("latencyExecute_mean").intValue()).isBetween(45, 56);
        assertThat(event.get("latencyExecute").get("50").intValue()).isBetween(50, 60);
        assertThat(event.get("latencyExecute").get("99").intValue()).isBetween(99, 119);
        assertThat(event.get("latencyTotal")).isEqualTo(event.get("latencyExecute"));
    }

    @Test
    void settings_are_those_of_the_guard() throws Exception {
        commands.register(Ask.withChain("Pooled")
                .threadPool(pool -> pool.named("workers").size(7))
                .timeout(Duration.ofMillis(150))
                .interruptOnTimeout(false)
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(30)
                        .errorThresholdPercentage(40)
                        .sleepWindow(Duration.ofSeconds(3)))
                .build());
        commands.register(Ask.named("Inner").semaphore(6).noCircuitBreaker().build());

        JsonNode pooled = find("Pooled");
        JsonNode inner = find("Inner");

        assertThat(number("Pooled", "propertyValue_circuitBreakerRequestVolumeThreshold"))
                .isEqualTo(30);
        assertThat(number("Pooled", "propertyValue_circuitBreakerErrorThresholdPercentage"))
                .isEqualTo(40);
        assertThat(number("Pooled", "propertyValue_circuitBreakerSleepWindowInMilliseconds"))
                .isEqualTo(3_000);
        assertThat(number("Pooled", "propertyValue_executionTimeoutInMilliseconds"))
                .isEqualTo(150);
        assertThat(number("Pooled", "propertyValue_executionIsolationThreadTimeoutInMilliseconds"))
                .isEqualTo(150);
        assertThat(number("Pooled", "propertyValue_metricsRollingStatisticalWindowInMilliseconds"))
                .isEqualTo(10_000);
        assertThat(pooled.get("propertyValue_executionIsolationThreadInterruptOnTimeout")
                        .booleanValue())
                .isFalse();
        assertThat(pooled.get("propertyValue_circuitBreakerEnabled").booleanValue())
                .isTrue();
        assertThat(pooled.get("propertyValue_executionIsolationStrategy").textValue())
                .isEqualTo("THREAD");
        assertThat(pooled.get("threadPool").textValue()).isEqualTo("workers");
        assertThat(pooled.get("group").textValue()).isEqualTo("oracle");
        assertThat(number("Inner", "propertyValue_executionIsolationSemaphoreMaxConcurrentRequests"))
                .isEqualTo(6);
        assertThat(inner.get("propertyValue_circuitBreakerEnabled").booleanValue())
                .isFalse();
        assertThat(inner.get("propertyValue_executionIsolationStrategy").textValue())
                .isEqualTo("SEMAPHORE");
    }

    @Test
    void concurrency_shows_the_moment_and_the_most_that_a_tick_has_seen() throws Exception {
        CommandSpec<Ask, String> spec = Ask.named("GetAnswer").semaphore().build();
        List<Integer> seen = new ArrayList<>();

        call(spec, 1, () -> {
            seen.add(number("GetAnswer", "currentConcurrentExecutionCount"));
            return "live";
        });
        seen.add(number("GetAnswer", "currentConcurrentExecutionCount"));
        seen.add(number("GetAnswer", "rollingMaxConcurrentExecutionCount"));
        ticker.advance(Duration.ofSeconds(11));
        seen.add(number("GetAnswer", "rollingMaxConcurrentExecutionCount"));

        assertThat(seen).containsExactly(1, 0, 1, 0);
    }

    @Test
    void pool_counts_what_it_ran_and_refused_in_the_window() throws Exception {
        CommandSpec<Ask, String> replica = Ask.named("Replica")
                .threadPool(pool -> pool.named("replicas").size(1))
                .build();
        CommandSpec<Ask, String> spec = Ask.named("GetAnswer")
                .semaphore()
                .fallback(chain -> chain.spare(replica, ask -> new Ask(commands, replica, ask.key, Ask.ANSWERS_LIVE))
                        .template(Ask.UNKNOWN))
                .build();
        commands.register(spec);
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch busy = new CountDownLatch(1);
        Thread holder = new Thread(() -> commands.execute(new Ask(commands, replica, "a", () -> {
            busy.countDown();
            release.await();
            return "live";
        })));

        assertThat(number("replicas", "rollingCountThreadsExecuted")).isZero();
        holder.start();
        busy.await();
        call(spec, 2, Ask.FAILS);
        assertThat(number("replicas", "currentActiveCount")).isEqualTo(1);
        // Each refusal once, although the spare stage and the command show the same guard.
        assertThat(number("replicas", "rollingCountCommandRejections")).isEqualTo(2);
        release.countDown();
        holder.join();

        JsonNode pool = find("replicas");
        assertThat(pool.get("rollingCountThreadsExecuted").intValue()).isEqualTo(1);
        assertThat(pool.get("rollingMaxActiveThreads").intValue()).isEqualTo(1);
        assertThat(pool.get("currentActiveCount").intValue()).isZero();
        assertThat(pool.get("currentCompletedTaskCount").intValue()).isEqualTo(1);
        assertThat(pool.get("currentTaskCount").intValue()).isEqualTo(1);
        ticker.advance(Duration.ofSeconds(11));
        assertThat(number("replicas", "rollingCountThreadsExecuted")).isZero();
        assertThat(number("replicas", "rollingMaxActiveThreads")).isZero();
        assertThat(number("replicas", "rollingCountCommandRejections")).isZero();
        assertThat(number("replicas", "currentCompletedTaskCount")).isEqualTo(1);
    }

    private void call(CommandSpec<Ask, String> spec, int times, Callable<String> body) {
        for (int i = 0; i < times; i++) {
            commands.execute(new Ask(commands, spec, "a", body));
        }
    }

    /** The counts of an event that are not zero. */
    private void assertCounts(String name, String... nonZero) throws IOException {
        JsonNode event = find(name);
        List<String> counts = new ArrayList<>();
        event.properties().forEach(field -> {
            String what = field.getKey();
            boolean count = what.startsWith("rollingCount") || what.startsWith("error") || what.equals("requestCount");
            if (count && field.getValue().intValue() != 0) {
                counts.add(what + " " + field.getValue());
            }
        });
        assertThat(counts).as(name).containsExactlyInAnyOrder(nonZero);
    }

    private int number(String name, String field) throws IOException {
        return find(name).get(field).intValue();
    }

    private JsonNode find(String name) throws IOException {
        return read().stream()
                .filter(event -> event.get("name").textValue().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private List<JsonNode> ofType(String type) throws IOException {
        return read().stream()
                .filter(event -> event.get("type").textValue().equals(type))
                .toList();
    }

    private List<JsonNode> read() throws IOException {
        List<JsonNode> all = new ArrayList<>();
        for (String line : text().lines().toList()) {
            if (line.startsWith("data: ")) {
                all.add(Web.json(line.substring("data: ".length())));
            }
        }
        return all;
    }

    private String text() {
        return new String(events.encode(), StandardCharsets.UTF_8);
    }
}
