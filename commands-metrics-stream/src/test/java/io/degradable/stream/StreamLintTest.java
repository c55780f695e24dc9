package io.degradable.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.model.BadRequestException;
import io.degradable.model.CommandException;
import io.degradable.model.EventType;
import io.degradable.state.CommandView;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the original dashboard and both Turbines need, checked by a linter that was made from watching them. */
@Timeout(120)
class StreamLintTest {

    private static final int SECONDS = 60;
    private static final int NEWCOMER_AFTER_SECONDS = 20;

    private record Verdict(int exitCode, String output) {}

    private final Commands commands = Commands.create();
    private final ScheduledExecutorService load = Executors.newScheduledThreadPool(12);
    private final List<Future<?>> callers = new CopyOnWriteArrayList<>();

    private final CommandSpec<Ask, String> steady = Ask.withChain("Steady").build();
    private final CommandSpec<Ask, String> slow = Ask.named("Slow")
            .group("slow")
            .threadPool(pool -> pool.size(2).queue(1))
            .timeout(Duration.ofMillis(20))
            .noCircuitBreaker()
            .build();
    private final CommandSpec<Ask, String> fragile = Ask.withChain("Fragile")
            .semaphore(1)
            .circuitBreaker(breaker -> breaker.sleepWindow(Duration.ofSeconds(2)))
            .build();
    private final CommandSpec<Ask, String> newcomer =
            Ask.withChain("Newcomer").group("late").build();

    @AfterEach
    void close() {
        load.shutdownNow();
        commands.close();
    }

    @Test
    void stream_is_what_its_three_readers_need_for_a_minute_under_load() throws Exception {
        commands.register(steady, slow, fragile);
        AtomicBoolean first = new AtomicBoolean(true); // its breaker lets few calls through, and each event is wanted
        try (StreamServer server = StreamServer.builder(commands).start()) {
            for (int caller = 0; caller < 4; caller++) {
                every(5, steady, () -> random(5) ? Ask.FAILS.call() : "live");
                every(5, slow, () -> {
                    if (random(3)) {
                        new CountDownLatch(1).await(); // until the interrupt
                    }
                    return "live";
                });
                every(
                        3,
                        fragile,
                        () -> first.getAndSet(false) || random(18)
                                ? badRequest()
                                : random(2) ? Ask.FAILS.call() : whileItsSlotIsTaken());
            }
            Future<?> joined = load.schedule(
                    () -> every(5, newcomer, () -> random(4) ? Ask.FAILS.call() : "live"),
                    NEWCOMER_AFTER_SECONDS,
                    TimeUnit.SECONDS);

            Verdict verdict = lint(server.uri(), SECONDS);

            joined.get();
            assertThat(callers).hasSize(13).noneMatch(Future::isDone); // none ended with something unforeseen
            assertThat(verdict.exitCode()).as(verdict.output()).isZero();
            Matcher seen = Pattern.compile("\"HystrixCommand\":(\\d+),\"HystrixThreadPool\":(\\d+)")
                    .matcher(verdict.output());
            assertThat(seen.find()).as(verdict.output()).isTrue();
            int ticks = SECONDS * 2 - 4; // of the start, and of what a busy machine loses
            int ticksOfNewcomer = (SECONDS - NEWCOMER_AFTER_SECONDS) * 2 - 4;
            assertThat(Integer.parseInt(seen.group(1))).isGreaterThanOrEqualTo(9 * ticks + 4 * ticksOfNewcomer);
            assertThat(Integer.parseInt(seen.group(2))).isGreaterThanOrEqualTo(4 * ticks + 2 * ticksOfNewcomer);
        }
        assertThat(moved())
                .contains(
                        EventType.SUCCESS,
                        EventType.FAILURE,
                        EventType.TIMEOUT,
                        EventType.BAD_REQUEST,
                        EventType.SHORT_CIRCUITED,
                        EventType.THREAD_POOL_REJECTED,
                        EventType.SEMAPHORE_REJECTED,
                        EventType.FALLBACK_SUCCESS,
                        EventType.FALLBACK_MISSING);
    }

    @Test
    void linter_finds_what_is_wrong() throws Exception {
        Handler broken = new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream");
                response.write(
                        true,
                        StandardCharsets.UTF_8.encode("data: {\"type\":\"HystrixCommand\",\"name\":\"A\","
                                + "\"currentTime\":1,\"x\":0.5,\"y\":null}\n\n"),
                        callback);
                return true;
            }
        };
        try (StreamServer server =
                StreamServer.builder(commands).handler(broken).start()) {
            Verdict verdict = lint(server.uri(), 1);

            assertThat(verdict.exitCode()).isEqualTo(1);
            assertThat(verdict.output()).contains("x is not an integer", "currentTime is not", "NOT OK");
        }
    }

    private static Verdict lint(URI server, int seconds) throws IOException, InterruptedException {
        Path script = Path.of("src", "test", "js", "stream-lint.mjs");
        Process linter = new ProcessBuilder(
                        "node",
                        script.toString(),
                        server.resolve("/hystrix.stream").toString(),
                        Integer.toString(seconds))
                .redirectErrorStream(true)
                .start();
        String output = new String(linter.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Verdict(linter.waitFor(), output);
    }

    private void every(int millis, CommandSpec<Ask, String> spec, Callable<String> body) {
        Runnable call = () -> {
            try {
                commands.execute(new Ask(commands, spec, "key", body));
            } catch (CommandException | BadRequestException expected) {
                // Counted by the command; this caller only makes load.
            }
        };
        callers.add(load.scheduleWithFixedDelay(call, 0, millis, TimeUnit.MILLISECONDS));
    }

    private static boolean random(int oneIn) {
        return ThreadLocalRandom.current().nextInt(oneIn) == 0;
    }

    private String whileItsSlotIsTaken() {
        return random(9) ? commands.execute(new Ask(commands, fragile, "key", Ask.ANSWERS_LIVE)) : "live";
    }

    private static String badRequest() {
        throw new BadRequestException("no such key");
    }

    private Set<EventType> moved() {
        Set<EventType> moved = EnumSet.noneOf(EventType.class);
        for (CommandView command : List.copyOf(commands.commands())) {
            for (EventType event : EventType.values()) {
                if (command.events(event) > 0) {
                    moved.add(event);
                }
            }
        }
        return moved;
    }
}
