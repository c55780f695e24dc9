package io.degradable.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.cache.CacheSpec;
import io.degradable.cache.Codec;
import io.degradable.cache.RemoteCache;
import io.degradable.cache.RemoteCaches;
import io.degradable.cache.RemoteCopy;
import io.degradable.model.EventType;
import io.degradable.model.StageReason;
import io.degradable.template.StaticSnapshot;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StateJsonTest {

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();
    private final StateJson state = new StateJson(commands, "shop");

    @AfterEach
    void close() {
        commands.close();
    }

    @Test
    void empty_container_is_an_object_with_all_its_fields() {
        long started = ticker.epochMillis();
        ticker.advance(Duration.ofSeconds(5));

        assertThat(text())
                .isEqualTo("{\"schema\":1,\"service\":\"shop\",\"now\":" + (started + 5_000) + ",\"startedAt\":"
                        + started + ",\"commands\":[],\"pools\":[],\"caches\":[],\"templates\":[],\"snapshots\":[],"
                        + "\"switches\":[],\"switchStore\":null,\"changes\":[],\"configuration\":{\"sources\":[],"
                        + "\"faults\":[],\"outdone\":[],\"pools\":{}}}");
    }

    @Test
    void command_has_its_fields_in_a_fixed_order_from_the_start() throws Exception {
        commands.register(Ask.withChain("GetAnswer").nonCore().build());

        JsonNode command = read().get("commands").get(0);

        assertFields(
                command,
                "name",
                "group",
                "criticality",
                "received",
                "inFlight",
                "outcomes",
                "served",
                "events",
                "calls",
                "age",
                "elapsedSeconds",
                "stages",
                "switch",
                "primaryShare",
                "settings");
        assertThat(command.get("name").textValue()).isEqualTo("GetAnswer");
        assertThat(command.get("group").textValue()).isEqualTo("oracle");
        assertThat(command.get("criticality").textValue()).isEqualTo("non_core");
        assertFields(command.get("outcomes"), "normal", "degraded", "rejected", "failed", "bad_request", "cancelled");
        assertFields(command.get("served"), "primary", "spare", "cache", "static", "none");
        assertFields(
                command.get("events"),
                Stream.of(EventType.values()).map(Enum::name).toArray(String[]::new));
        assertFields(command.get("age"), "count", "sumSeconds");
        assertThat(command.get("calls")).isNotEmpty().allSatisfy(call -> {
            assertFields(call, "outcome", "source", "trigger", "count");
            assertThat(call.get("count").longValue()).isZero();
        });
    }

    @Test
    void stage_has_its_fields_in_a_fixed_order_from_the_start() throws Exception {
        commands.register(Ask.withChain("GetAnswer").build());
        String[] reasons = Stream.of(StageReason.values())
                .map(reason -> reason.name().toLowerCase(Locale.ROOT))
                .toArray(String[]::new);

        JsonNode stages = read().get("commands").get(0).get("stages");

        assertThat(stages).hasSize(4).allSatisfy(stage -> {
            assertFields(
                    stage,
                    "name",
                    "kind",
                    "refersTo",
                    "chain",
                    "guard",
                    "breaker",
                    "bulkhead",
                    "orphans",
                    "lateSuccesses",
                    "lateFailures",
                    "overruns",
                    "userMistakes",
                    "retries",
                    "retriesOverBudget",
                    "rehearsal",
                    "latency",
                    "timeoutMs");
            assertFields(stage.get("chain"), "reached", "reasons");
            assertFields(stage.get("chain").get("reasons"), reasons);
            assertFields(stage.get("guard"), "reasons", "outcomes");
            assertFields(stage.get("guard").get("reasons"), reasons);
            assertFields(
                    stage.get("guard").get("outcomes"),
                    "answered",
                    "missed",
                    "failed",
                    "timed_out",
                    "refused",
                    "skipped");
            JsonNode breaker = stage.get("breaker");
            assertFields(
                    breaker,
                    "state",
                    "sinceMs",
                    "why",
                    "opensForMs",
                    "good",
                    "bad",
                    "opened",
                    "failedRounds",
                    "forcedBy",
                    "window",
                    "probes",
                    "ramp",
                    "settings");
            assertFields(breaker.get("window"), "good", "failed", "slow", "slowInFlight", "failuresInRow");
            assertFields(breaker.get("probes"), "inFlight", "good", "bad", "needed", "of", "leaseEndsInMs");
            assertFields(
                    breaker.get("ramp"), "step", "steps", "sharePercentage", "good", "bad", "overdue", "decisions");
            assertFields(
                    breaker.get("settings"),
                    "enabled",
                    "requestVolumeThreshold",
                    "errorThresholdPercentage",
                    "failureRate",
                    "slowRate",
                    "consecutiveFailures",
                    "windowMs",
                    "buckets",
                    "countWindow",
                    "sleepWindowMs",
                    "maxSleepWindowMs",
                    "probes",
                    "probeSuccessPercentage",
                    "rampShares",
                    "rampDecisions");
            assertFields(stage.get("bulkhead"), "kind", "pool", "limit", "queue", "active", "queued");
            assertFields(stage.get("latency"), "count", "meanMs", "p50", "p90", "p99", "p99_5");
        });
        assertThat(texts(stages, "name")).containsExactly("primary", "spare", "cache", "static");
        assertThat(texts(stages, "kind")).containsExactly("primary", "spare", "cache", "static");
        assertThat(texts(stages, "refersTo")).containsExactly("GetAnswer", "spare", "answers", "unknown");
    }

    @Test
    void commands_pools_and_caches_are_sorted_by_name() throws Exception {
        commands.register(
                Ask.named("Zebra").group("zoo").build(),
                Ask.withChain("Ant").build(),
                Ask.named("Mole").build());
        commands.cache(CacheSpec.named("aardvarks"));

        JsonNode json = read();

        assertThat(texts(json.get("commands"), "name")).containsExactly("Ant", "Mole", "Zebra");
        assertThat(texts(json.get("pools"), "name")).containsExactly("Ant/spare", "oracle", "zoo");
        assertThat(texts(json.get("caches"), "name")).containsExactly("aardvarks", "answers");
    }

    @Test
    void figures_are_those_of_the_calls() throws Exception {
        CommandSpec<Ask, String> spec = Ask.withChain("GetAnswer")
                .semaphore(7)
                .timeout(Duration.ofMillis(150))
                .build();
        commands.execute(new Ask(commands, spec, "a", () -> {
            ticker.advance(Duration.ofMillis(40));
            return "live";
        }));
        ticker.advance(Duration.ofMillis(1_960));
        commands.execute(new Ask(commands, spec, "a", Ask.FAILS));
        commands.execute(new Ask(commands, spec, "b", Ask.FAILS));

        JsonNode command = read().get("commands").get(0);

        assertThat(command.get("received").longValue()).isEqualTo(3);
        assertThat(command.get("inFlight").longValue()).isZero();
        assertThat(command.get("outcomes").toString())
                .isEqualTo(
                        "{\"normal\":1,\"degraded\":2,\"rejected\":0,\"failed\":0,\"bad_request\":0,\"cancelled\":0}");
        assertThat(command.get("served").toString())
                .isEqualTo("{\"primary\":1,\"spare\":0,\"cache\":1,\"static\":1,\"none\":0}");
        assertThat(command.get("events").get("FAILURE").longValue()).isEqualTo(2);
        assertThat(command.get("events").get("FALLBACK_SUCCESS").longValue()).isEqualTo(2);
        assertThat(command.get("age").toString()).isEqualTo("{\"count\":1,\"sumSeconds\":2.0}");
        assertThat(command.get("elapsedSeconds").doubleValue()).isEqualTo(0.04);
        JsonNode primary = command.get("stages").get(0);
        assertThat(primary.get("chain").get("reached").longValue()).isEqualTo(3);
        assertThat(primary.get("chain").get("reasons").get("exception").longValue())
                .isEqualTo(2);
        assertThat(primary.get("guard").get("outcomes").get("failed").longValue())
                .isEqualTo(2);
        assertThat(primary.get("guard").get("reasons").get("answer").longValue())
                .isEqualTo(1);
        assertThat(primary.get("bulkhead").toString())
                .isEqualTo("{\"kind\":\"semaphore\",\"pool\":null,\"limit\":7,\"queue\":0,\"active\":0,\"queued\":0}");
        assertThat(primary.get("latency").get("count").longValue()).isEqualTo(3);
        assertThat(primary.get("latency").get("p99").doubleValue()).isBetween(40.0, 48.0);
        assertThat(primary.get("timeoutMs").longValue()).isEqualTo(150);
        JsonNode cache = command.get("stages").get(2);
        assertThat(cache.get("chain").get("reached").longValue()).isEqualTo(2);
        assertThat(cache.get("chain").get("reasons").get("absent").longValue()).isEqualTo(1);
        assertThat(cache.get("timeoutMs").isNull()).isTrue();
        assertThat(cache.get("bulkhead").get("limit").isNull()).isTrue();
        assertThat(read().get("caches").get(0).toString())
                .isEqualTo("{\"name\":\"answers\",\"maximum\":10000,\"size\":1,\"droppedPuts\":0,\"store\":null}");
    }

    @Test
    void breaker_says_how_it_is_and_how_long_it_stays_so() throws Exception {
        CommandSpec<Ask, String> spec = Ask.named("Fragile")
                .semaphore()
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(1).sleepWindow(Duration.ofSeconds(5)))
                .fallback(chain -> chain.template(Ask.UNKNOWN))
                .build();
        commands.execute(new Ask(commands, spec, "a", Ask.FAILS));
        ticker.advance(Duration.ofMillis(1_500));

        JsonNode breaker = read().get("commands").get(0).get("stages").get(0).get("breaker");

        assertThat(breaker.get("state").textValue()).isEqualTo("open");
        assertThat(breaker.get("sinceMs").longValue()).isEqualTo(1_500);
        assertThat(breaker.get("opensForMs").longValue()).isEqualTo(3_500);
        assertThat(breaker.get("opened").longValue()).isEqualTo(1);
        assertThat(breaker.get("why").textValue()).isEqualTo("1 of 1 calls failed or slow in 10 s: 100 % >= 50 %");
        assertThat(breaker.get("forcedBy").isNull()).isTrue();
        assertThat(breaker.get("settings").get("rampShares").toString()).isEqualTo("[10,25,50]");
        assertThat(breaker.get("settings").get("requestVolumeThreshold").intValue())
                .isEqualTo(1);
        assertThat(breaker.get("settings").get("sleepWindowMs").longValue()).isEqualTo(5_000);
    }

    @Test
    void call_in_flight_is_part_of_what_was_received() throws Exception {
        CommandSpec<Ask, String> spec = Ask.named("GetAnswer")
                .threadPool(pool -> pool.named("answers").size(2).queue(3))
                .noTimeout()
                .build();
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch entered = new CountDownLatch(1);
        Thread caller = new Thread(() -> commands.execute(new Ask(commands, spec, "a", () -> {
            entered.countDown();
            release.await();
            return "live";
        })));
        caller.start();
        entered.await();

        JsonNode json = read();
        release.countDown();
        caller.join();

        JsonNode command = json.get("commands").get(0);
        assertThat(command.get("received").longValue()).isEqualTo(1);
        assertThat(command.get("inFlight").longValue()).isEqualTo(1);
        assertThat(command.get("stages").get(0).get("bulkhead").toString())
                .isEqualTo("{\"kind\":\"thread_pool\",\"pool\":\"answers\",\"limit\":2,\"queue\":3,\"active\":1,"
                        + "\"queued\":0}");
        assertThat(json.get("pools").get(0).toString())
                .isEqualTo("{\"name\":\"answers\",\"limit\":2,\"queue\":3,\"active\":1,\"queued\":0,\"threads\":1,"
                        + "\"largestThreads\":1,\"completed\":0}");
        assertThat(read().get("commands").get(0).get("inFlight").longValue()).isZero();
    }

    @DisplayName("H6: the version of a template is shown, with when it came and how many were refused")
    @Test
    void template_has_the_version_that_is_current() throws Exception {
        commands.register(Ask.withChain("GetAnswer").build());
        long started = ticker.epochMillis();
        assertThat(read().get("templates").toString())
                .isEqualTo("[{\"name\":\"unknown\",\"version\":\"built-in\",\"since\":" + started
                        + ",\"loadedFrom\":\"code\",\"swaps\":0,\"refused\":0}]");
        ticker.advance(Duration.ofSeconds(3));

        commands.templates().replace(Ask.UNKNOWN, "2026-11-30", "a secret text");
        assertThatThrownBy(() -> commands.templates().replace(Ask.UNKNOWN, "2026-11-30", "another"))
                .isInstanceOf(IllegalArgumentException.class);

        assertThat(read().get("templates").toString())
                .isEqualTo("[{\"name\":\"unknown\",\"version\":\"2026-11-30\",\"since\":" + (started + 3_000)
                        + ",\"loadedFrom\":\"code\",\"swaps\":1,\"refused\":1}]");
        assertThat(text()).doesNotContain("secret");
    }

    @DisplayName(
            "D3: the snapshot at the end of a chain is shown, and one that cannot be looked at does not hide the rest")
    @Test
    void a_snapshot_is_shown() throws Exception {
        StaticSnapshot.View view = new StaticSnapshot.View(
                "products", 7, Instant.ofEpochMilli(5_000), 61_000_000_000L, 3, 99, 2, 1, "broken");
        commands.register(
                Ask.named("WithSnapshot")
                        .fallback(
                                chain -> chain.template(snapshot("products", () -> view), ask -> ask.key, Ask.UNKNOWN))
                        .build(),
                Ask.named("WithBrokenOne")
                        .fallback(chain -> chain.template(
                                snapshot("strange", () -> {
                                    throw new IllegalStateException("no view");
                                }),
                                ask -> ask.key,
                                Ask.UNKNOWN))
                        .build());

        assertThat(read().get("snapshots").toString())
                .isEqualTo("[{\"name\":\"products\",\"version\":7,\"createdAt\":5000,\"ageSeconds\":61,\"records\":3,"
                        + "\"bytes\":99,\"taken\":2,\"refused\":1,\"lastRefusal\":\"broken\"},"
                        + "{\"name\":\"strange\",\"version\":0,\"createdAt\":null,\"ageSeconds\":null,\"records\":0,"
                        + "\"bytes\":0,\"taken\":0,\"refused\":0,"
                        + "\"lastRefusal\":\"cannot be looked at: java.lang.IllegalStateException: no view\"}]");
    }

    private static StaticSnapshot<String, String> snapshot(String name, Supplier<StaticSnapshot.View> view) {
        return new StaticSnapshot<>() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public @Nullable Found<String> find(String key) {
                return null;
            }

            @Override
            public View view() {
                return view.get();
            }
        };
    }

    @DisplayName("S5: what a store has taken of a cache is shown")
    @Test
    void the_store_behind_a_cache_is_shown() throws Exception {
        CacheSpec<String, String> stored =
                CacheSpec.<String, String>named("kept").stored(Codec.strings(), Codec.strings());
        try (Commands with =
                Commands.builder().ticker(ticker).caches(new Nowhere()).build()) {
            with.cache(stored);

            JsonNode state = new ObjectMapper().readTree(new StateJson(with, "test").bytes());

            assertThat(state.get("caches").get(0).get("store").toString())
                    .isEqualTo("{\"name\":\"nowhere\",\"forms\":\"utf-8 -> utf-8\",\"written\":0,\"olderThanStored\":0,"
                            + "\"failedWrites\":0,\"droppedWrites\":0,\"unreadable\":{\"corrupt\":2,\"foreign\":1}}");
        }
    }

    /** A store that keeps nothing. */
    private static final class Nowhere implements RemoteCaches {

        @Override
        public String name() {
            return "nowhere";
        }

        @Override
        public <K, V> RemoteCache<K, V> open(CacheSpec<K, V> spec) {
            return new RemoteCache<>() {
                @Override
                public @Nullable RemoteCopy<V> read(K key) {
                    return null;
                }

                @Override
                public boolean write(K key, RemoteCopy<V> copy, Duration expiry) {
                    return false;
                }

                @Override
                public Map<String, Long> unreadable() {
                    return Map.of("foreign", 1L, "corrupt", 2L);
                }
            };
        }
    }

    @Test
    void nothing_that_a_body_said_is_shown() {
        CommandSpec<Ask, String> spec = Ask.withChain("GetAnswer").build();

        commands.execute(new Ask(commands, spec, "key-of-a-customer", Ask.FAILS));

        assertThat(text()).doesNotContain("broken", "key-of-a-customer", "to be confirmed", "Exception");
    }

    @Test
    void text_of_any_kind_is_escaped() throws Exception {
        String hostile = "\"</script>\u0000\n\u2028\ud83d\ude00\\";

        String text = new String(new StateJson(commands, hostile).bytes(), StandardCharsets.UTF_8);

        assertThat(text).doesNotContain("\n", "\u0000");
        assertThat(Web.json(text).get("service").textValue()).isEqualTo(hostile);
    }

    private static void assertFields(JsonNode object, String... names) {
        assertThat(object.fieldNames()).toIterable().containsExactly(names);
    }

    private static List<String> texts(JsonNode array, String field) {
        List<String> texts = new ArrayList<>();
        array.forEach(each -> texts.add(each.get(field).textValue()));
        return texts;
    }

    private JsonNode read() throws IOException {
        return Web.json(text());
    }

    private String text() {
        return new String(state.bytes(), StandardCharsets.UTF_8);
    }
}
