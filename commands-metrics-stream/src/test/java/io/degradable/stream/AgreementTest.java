package io.degradable.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.degradable.BreakerSpec;
import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.StageCall;
import io.degradable.model.BadRequestException;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReport;
import io.degradable.model.Trigger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The client counts what it sees of its calls; once all are over, every channel must say the same to the last call.
 *
 * <p>What the client counts is taken from answers and exceptions alone, by rules that are written down here once more.
 */
@Timeout(120)
class AgreementTest {

    private static final int CALLERS = 8;
    private static final int CALLS_OF_EACH = 2_500;
    private static final int KEYS = 50;

    private static final class Busy extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static final class Fatal extends Error {
        private static final long serialVersionUID = 1;
    }

    /** Counts under a command and a word. */
    private static final class Tally {

        private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

        void add(String command, String what) {
            counts.computeIfAbsent(command + " " + what, any -> new LongAdder()).increment();
        }

        Map<String, Long> of(String command) {
            Map<String, Long> found = new TreeMap<>();
            counts.forEach((key, count) -> {
                if (key.startsWith(command + " ")) {
                    found.put(key.substring(command.length() + 1), count.sum());
                }
            });
            return found;
        }
    }

    private final Commands commands = Commands.create();
    private final CommandSpec<Ask, String> replica = Ask.named("Replica")
            .group("replicas")
            .threadPool(pool -> pool.size(3))
            .timeout(Duration.ofMillis(50))
            .build();
    private final CommandSpec<Ask, String> pooled = Ask.named("Pooled")
            .threadPool(pool -> pool.named("primaries").size(4).queue(1))
            .timeout(Duration.ofMillis(10))
            .circuitBreaker(AgreementTest::opensOftenAndBriefly)
            .overloaded(failure -> failure instanceof Busy)
            .fallbackOn(failure -> !(failure instanceof IllegalArgumentException))
            .fallback(chain -> chain.spare(
                            replica, ask -> new Ask(commands, replica, ask.key, AgreementTest::replicate))
                    .cached(Ask.ANSWERS, ask -> ask.key, Duration.ofMillis(20))
                    .template(
                            Ask.UNKNOWN,
                            template -> template.on(Trigger.FAILURE, Trigger.TIMEOUT, Trigger.THREAD_POOL_REJECTED)))
            .build();
    private final CommandSpec<Ask, String> inner = Ask.named("Inner")
            .semaphore(1)
            .circuitBreaker(AgreementTest::opensOftenAndBriefly)
            .overloaded(failure -> failure instanceof Busy)
            .fallbackOn(failure -> !(failure instanceof IllegalArgumentException))
            .fallback(chain -> chain.spareCall("other", Ask.SPARE)
                    .cached(
                            Ask.ANSWERS,
                            ask -> ask.key,
                            Duration.ofMillis(1),
                            cache -> cache.on(Trigger.FAILURE, Trigger.SEMAPHORE_REJECTED)))
            .build();
    private final Tally calls = new Tally();
    private final Tally events = new Tally();
    private StreamServer server;

    private static void opensOftenAndBriefly(BreakerSpec breaker) {
        breaker.requestVolumeThreshold(40)
                .errorThresholdPercentage(22)
                .sleepWindow(Duration.ofMillis(1))
                .maxSleepWindow(Duration.ofMillis(1));
    }

    @BeforeEach
    void start() throws Exception {
        server = StreamServer.builder(commands).start();
    }

    @AfterEach
    void close() {
        server.close();
        commands.close();
    }

    @Test
    void state_and_metrics_say_at_rest_exactly_what_the_client_has_counted() throws Exception {
        commands.register(pooled, inner);
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            Random random = new Random(i);
            Thread caller = new Thread(() -> {
                for (int call = 0; call < CALLS_OF_EACH; call++) {
                    one(random.nextBoolean() ? pooled : inner, random);
                }
            });
            callers.add(caller);
            caller.start();
        }
        Web web = new Web(server.uri());
        while (callers.stream().anyMatch(Thread::isAlive)) {
            web.state().get("commands").forEach(AgreementTest::assertAddsUp); // also while everything moves
        }
        for (Thread caller : callers) {
            caller.join();
        }

        JsonNode state = web.state();
        String metrics = web.get("/metrics").body();

        long received = 0;
        for (CommandSpec<Ask, String> spec : List.of(pooled, inner)) {
            String name = spec.name();
            JsonNode command = command(state, name);
            assertAddsUp(command);
            assertThat(command.get("inFlight").longValue()).isZero();
            assertThat(callsIn(command)).as("%s in /state", name).isEqualTo(calls.of(name));
            assertThat(metric(metrics, "degradable_calls_total", name, "outcome", "source", "trigger"))
                    .as("%s in /metrics", name)
                    .isEqualTo(calls.of(name));
            assertThat(nonZero(command.get("events"))).as("%s in /state", name).isEqualTo(events.of(name));
            assertThat(metric(metrics, "degradable_events_total", name, "event"))
                    .as("%s in /metrics", name)
                    .isEqualTo(events.of(name));
            assertThat(metric(metrics, "fallback_source_total", name, "source"))
                    .as("%s in /metrics", name)
                    .isEqualTo(answersBySource(name));
            received += command.get("received").longValue();
        }
        assertThat(received).isEqualTo((long) CALLERS * CALLS_OF_EACH);
        assertMixWasRich();
    }

    private void one(CommandSpec<Ask, String> spec, Random random) {
        boolean interrupted = spec == pooled && random.nextInt(100) < 2;
        Ask ask = new Ask(
                commands,
                spec,
                "key-" + random.nextInt(KEYS),
                body(random.nextInt(100), spec == pooled),
                spare(random));
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        try {
            CommandResult<String> result = commands.executeForResult(ask);
            boolean normal = result.source() == Source.PRIMARY;
            count(
                    spec,
                    normal ? "normal" : "degraded",
                    result.source().tag(),
                    result.trigger().tag());
            events.add(spec.name(), normal ? "SUCCESS" : "FALLBACK_SUCCESS");
        } catch (CommandException e) {
            count(spec, e.outcome().tag(), "none", e.trigger().tag());
            events.add(spec.name(), fallbackEvent(e.trail()));
        } catch (BadRequestException e) {
            count(spec, "bad_request", "none", String.valueOf(e.getMessage()));
            events.add(spec.name(), "BAD_REQUEST");
        } catch (CancellationException e) {
            count(spec, "cancelled", "none", "none"); // of an interrupted caller the primary is the first to know
            events.add(spec.name(), "CANCELLED");
        } catch (IllegalArgumentException | Fatal e) {
            count(spec, "failed", "none", "failure"); // thrown unchanged, and no stage was asked
        } finally {
            if (interrupted) {
                Thread.interrupted();
            }
        }
    }

    private void count(CommandSpec<Ask, String> spec, String outcome, String source, String trigger) {
        calls.add(spec.name(), outcome + " " + source + " " + trigger);
        if (!trigger.equals("none")) {
            events.add(spec.name(), trigger.toUpperCase(Locale.ROOT));
        }
    }

    /** Missing if no stage was admitted, rejection if all admitted ones were refused, else failure. */
    private static String fallbackEvent(List<StageReport> trail) {
        List<StageOutcome> admitted = trail.stream()
                .skip(1)
                .map(StageReport::outcome)
                .filter(outcome -> outcome != StageOutcome.SKIPPED)
                .toList();
        if (admitted.isEmpty()) {
            return "FALLBACK_MISSING";
        }
        return admitted.stream().allMatch(outcome -> outcome == StageOutcome.REFUSED)
                ? "FALLBACK_REJECTION"
                : "FALLBACK_FAILURE";
    }

    private static Callable<String> body(int dice, boolean mayHang) {
        return () -> {
            for (int i = 0; i < 500; i++) {
                Thread.onSpinWait(); // long enough for others to find the slot taken
            }
            if (dice < 20) {
                return Ask.FAILS.call();
            } else if (dice < 24) {
                throw new BadRequestException("none");
            } else if (dice < 27) {
                throw new Busy();
            } else if (dice < 30) {
                throw new IllegalArgumentException("unclassed");
            } else if (dice < 32) {
                throw new Fatal();
            } else if (dice < 34 && mayHang) {
                new CountDownLatch(1).await(); // until the interrupt
            }
            return "live";
        };
    }

    private static String replicate() throws Exception {
        return ThreadLocalRandom.current().nextInt(100) < 30 ? Ask.FAILS.call() : "replica";
    }

    private static StageCall<Ask, String> spare(Random random) {
        int dice = random.nextInt(100);
        return (ask, context) -> {
            if (dice < 20) {
                return Ask.FAILS.call();
            } else if (dice < 30) {
                throw new BadRequestException(context.trigger().tag());
            }
            return "spare";
        };
    }

    private void assertMixWasRich() {
        String seen = calls.of("Pooled").keySet() + " " + calls.of("Inner").keySet();
        assertThat(seen)
                .contains("normal", "degraded", "rejected", "failed", "bad_request", "cancelled")
                .contains("spare", "cache", "static")
                .contains("timeout", "overloaded", "short_circuited", "thread_pool_rejected", "semaphore_rejected");
        String moved = events.of("Pooled").keySet() + " " + events.of("Inner").keySet();
        assertThat(moved).contains("FALLBACK_SUCCESS", "FALLBACK_FAILURE", "FALLBACK_MISSING");
    }

    private static void assertAddsUp(JsonNode command) {
        long received = command.get("received").longValue();
        long inFlight = command.get("inFlight").longValue();
        assertThat(inFlight).isNotNegative();
        assertThat(sum(command.get("outcomes")) + inFlight).isEqualTo(received);
        assertThat(sum(command.get("served")) + inFlight).isEqualTo(received);
    }

    private static long sum(JsonNode counts) {
        long sum = 0;
        for (JsonNode count : counts) {
            sum += count.longValue();
        }
        return sum;
    }

    private Map<String, Long> answersBySource(String command) {
        Map<String, Long> answers = new TreeMap<>();
        calls.of(command).forEach((kind, count) -> {
            if (kind.startsWith("degraded ")) {
                answers.merge(kind.replaceAll("^degraded (\\w+) .*$", "$1"), count, Long::sum);
            }
        });
        return answers;
    }

    private static JsonNode command(JsonNode state, String name) {
        for (JsonNode command : state.get("commands")) {
            if (command.get("name").textValue().equals(name)) {
                return command;
            }
        }
        throw new AssertionError(name + " is not in the state");
    }

    private static Map<String, Long> callsIn(JsonNode command) {
        Map<String, Long> found = new TreeMap<>();
        for (JsonNode call : command.get("calls")) {
            if (call.get("count").longValue() != 0) {
                found.put(
                        call.get("outcome").textValue() + " "
                                + call.get("source").textValue() + " "
                                + call.get("trigger").textValue(),
                        call.get("count").longValue());
            }
        }
        return found;
    }

    private static Map<String, Long> nonZero(JsonNode counts) {
        Map<String, Long> found = new TreeMap<>();
        counts.properties().forEach(count -> {
            if (count.getValue().longValue() != 0) {
                found.put(count.getKey(), count.getValue().longValue());
            }
        });
        return found;
    }

    /** The samples of a metric of a command that are not zero, by the values of some labels. */
    private static Map<String, Long> metric(String text, String metric, String command, String... labels) {
        Map<String, Long> found = new TreeMap<>();
        Matcher sample =
                Pattern.compile("(?m)^" + metric + "\\{([^}]*)} (\\S+)$").matcher(text);
        while (sample.find()) {
            String tags = "," + sample.group(1) + ",";
            long value = (long) Double.parseDouble(sample.group(2));
            if (tags.contains(",command=\"" + command + "\",") && value != 0) {
                List<String> key = new ArrayList<>();
                for (String label : labels) {
                    key.add(tags.replaceAll("^.*," + label + "=\"([^\"]*)\",.*$", "$1"));
                }
                found.put(String.join(" ", key), value);
            }
        }
        return found;
    }
}
