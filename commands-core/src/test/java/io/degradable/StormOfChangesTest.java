package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.cache.CacheSpec;
import io.degradable.control.Order;
import io.degradable.control.Position;
import io.degradable.control.Target;
import io.degradable.model.CircuitState;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.state.CommandView;
import io.degradable.template.StaticTemplate;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Everything is changed at once while calls are made; then it is quiet, and nothing must be left of it. */
@Timeout(120)
final class StormOfChangesTest {

    /** In {@code ./check}; {@code -Ddegradable.seconds=60} makes it a minute. */
    private static final long SECONDS = Long.getLong("degradable.seconds", 6);

    private static final int LIMIT = 4;
    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");
    private static final StaticTemplate<String> TEMPLATE = StaticTemplate.of("sorry", "template");
    private static final Order ANNA = Order.by("anna", "storm").untilCleared();

    private static final String[][] TEXTS = {
        {"semaphore.limit", "1", "2", "9"},
        {"timeout", "20 ms", "1 s", "2 s"},
        {"slowCall", "1 ms", "10 ms"},
        {"retry.attempts", "1", "2", "3"},
        {"retry.backoff", "1 ms", "5 ms"},
        {"rehearse", "0", "100"},
        {"beforePrimary.youngerThan", "1 ms", "20 ms"},
        {"beforePrimary.refill", "0", "100000"},
        {"circuitBreaker.enabled", "true", "false"},
        {"circuitBreaker.probes", "1", "50"},
        {"circuitBreaker.sleepWindow", "1 ms", "20 ms"},
        {"circuitBreaker.requestVolumeThreshold", "1", "20"},
        {"circuitBreaker.ramp.shares", "none", "10, 50"},
        {"stage.second.atMost", "1", "2", "7"},
        {"stage.second.quota", "0", "100000", "5"},
        {"stage.second.timeout", "5 ms", "100 ms"},
        {"stage.second.circuitBreaker.enabled", "true", "false"},
        {"stage.second.out", "true", "false"},
        {"stage.cache.out", "true", "false"},
        {"stage.primary.out", "true", "false"},
        {"circuitBreaker.forceOpen", "true", "false"},
        {"circuitBreaker.forceClosed", "true", "false"},
    };

    private final TestSource source = new TestSource("file");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final long begunNanos = System.nanoTime();
    private volatile boolean over;

    private boolean goesOn() {
        return !over && System.nanoTime() - begunNanos < TimeUnit.SECONDS.toNanos(SECONDS);
    }

    private final AtomicInteger calls = new AtomicInteger();

    private static CommandSpec<Call, String> spec() {
        return Call.declared()
                .name("Storm")
                .group("catalog")
                .semaphore(LIMIT)
                .boundedBy(Duration.ofMillis(20))
                .repeatable()
                .fallback(chain -> chain.spareCall("second", (call, context) -> "spare", spare -> spare.atMost(3))
                        .cached(
                                COPIES,
                                call -> call.id,
                                Duration.ofHours(1),
                                cache -> cache.beforePrimary(Duration.ofMillis(5)))
                        .template(TEMPLATE))
                .build();
    }

    private void call(Commands commands, CommandSpec<Call, String> spec) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        while (goesOn()) {
            Call call = new Call(commands, spec, Integer.toString(random.nextInt(3)), () -> {
                if (random.nextInt(3) == 0) {
                    throw new IOException("down");
                }
                return "live";
            });
            try {
                if (random.nextBoolean()) {
                    call.execute();
                } else {
                    call.queue().get(10, TimeUnit.SECONDS);
                }
            } catch (CommandException refused) {
                // as it may be
            } catch (Exception other) {
                if (!(other.getCause() instanceof CommandException)) {
                    throw new AssertionError(other);
                }
            }
            calls.incrementAndGet();
        }
    }

    private void change(Commands commands) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        List<Target> targets = List.of(Target.command("Storm"), Target.group("catalog"), Target.all());
        while (goesOn()) {
            String[] texts = TEXTS[random.nextInt(TEXTS.length)];
            String property = "degradable.command.Storm." + texts[0];
            switch (random.nextInt(4)) {
                case 0 -> source.remove(property);
                case 1 -> source.set(property, texts[1 + random.nextInt(texts.length - 1)]);
                case 2 ->
                    commands.switches()
                            .set(
                                    targets.get(random.nextInt(3)),
                                    Position.values()[random.nextInt(3)],
                                    ANNA.expiresIn(Duration.ofMillis(1 + random.nextInt(5))));
                default -> commands.switches().clear(targets.get(random.nextInt(3)), ANNA);
            }
        }
    }

    @Test
    void nothing_is_left_of_a_storm() throws Exception {
        CommandSpec<Call, String> spec = spec();
        try (Commands commands = Commands.builder().settings(source).build()) {
            commands.register(spec);
            List<Future<?>> storm = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                storm.add(threads.submit(() -> call(commands, spec)));
            }
            for (int thread = 0; thread < 3; thread++) {
                storm.add(threads.submit(() -> change(commands)));
            }
            for (Future<?> one : storm) {
                one.get(SECONDS + 60, TimeUnit.SECONDS);
            }

            for (String[] texts : TEXTS) {
                source.remove("degradable.command.Storm." + texts[0]);
            }
            for (Target target : List.of(Target.command("Storm"), Target.group("catalog"), Target.all())) {
                commands.switches().clear(target, ANNA);
            }
            CommandView view = commands.commands().iterator().next();
            Awaitility.await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                assertThat(commands.switches().all()).isEmpty();
                assertThat(view.primaryShare()).isEqualTo(100);
                assertThat(view.inFlight()).isZero();
                assertThat(view.settings()).isEqualTo(spec.settings());
                assertThat(view.stages()).allMatch(stage -> stage.active() == 0);
                assertThat(commands.configuration().faults()).isEmpty();
            });
            closes(commands, spec);
            assertThat(held(commands, spec, LIMIT + 5, Source.PRIMARY)).isEqualTo(LIMIT);
        } finally {
            over = true;
            threads.shutdownNow();
        }
    }

    /** It may have opened at last, for up to half a minute: a hand does not wait for that. */
    private static void closes(Commands commands, CommandSpec<Call, String> spec) {
        commands.circuit("Storm").forceClosed("anna");
        commands.circuit("Storm").release("anna");
        for (int call = 0; call < 20_000; call++) {
            new Call(commands, spec, "closing " + call, () -> "live").execute();
        }
        assertThat(commands.circuit("Storm").explain().state()).isEqualTo(CircuitState.CLOSED);
    }

    private long held(Commands commands, CommandSpec<Call, String> spec, int callers, Source from) throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch in = new CountDownLatch(LIMIT);
        List<CompletableFuture<CommandResult<String>>> results = new ArrayList<>();
        for (int caller = 0; caller < callers; caller++) {
            String id = "held " + caller;
            results.add(CompletableFuture.supplyAsync(
                    () -> new Call(commands, spec, id, () -> {
                                in.countDown();
                                end.await();
                                return "held";
                            })
                            .executeForResult(),
                    threads));
        }
        assertThat(in.await(10, TimeUnit.SECONDS)).isTrue();
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .until(() -> results.stream().filter(CompletableFuture::isDone).count() == callers - LIMIT);
        end.countDown();
        long live = 0;
        for (CompletableFuture<CommandResult<String>> result : results) {
            live += result.get(10, TimeUnit.SECONDS).source() == from ? 1 : 0;
        }
        return live;
    }
}
