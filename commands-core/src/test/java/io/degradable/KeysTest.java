package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.micrometer.DegradableMeters;
import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.model.Trigger;
import io.degradable.state.CommandObserver;
import io.degradable.state.CommandView;
import io.degradable.state.PoolView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import io.degradable.testing.Race;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Names that nobody uses are let go, and a flood of names costs neither memory nor protection (invariant 9). */
@Timeout(60)
final class KeysTest {

    private static final Duration IDLE = Duration.ofMinutes(10);
    private static final Duration BETWEEN_SWEEPS = IDLE.dividedBy(4);

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder()
            .name("mine")
            .ticker(ticker)
            .maxNames(3)
            .evictIdleAfter(IDLE)
            .build();
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void close() {
        release.countDown();
        commands.close();
    }

    private static CommandSpec.Builder<Call, String> tenant(String name) {
        return Call.declared().name(name).threadPool(pool -> pool.named("pool-of-" + name));
    }

    private String call(CommandSpec<Call, String> spec) {
        return new Call(commands, spec, "1", () -> "live").execute();
    }

    private List<String> names() {
        return commands.commands().stream()
                .map(command -> command.key().name())
                .sorted()
                .toList();
    }

    private List<String> pools() {
        return commands.pools().stream().map(PoolView::name).toList();
    }

    /** Time goes by, and somebody looks at the commands now and then, until all that is idle is due. */
    private void idleForLong() {
        for (int look = 0; look < 6; look++) {
            ticker.advance(BETWEEN_SWEEPS);
            commands.commands();
        }
    }

    @DisplayName("B110: idle keys are evicted, with their pools")
    @Test
    void a_made_up_name_that_nobody_used_for_long_is_let_go_with_its_pool() {
        call(tenant("a").build());
        call(tenant("b").build());
        ticker.advance(BETWEEN_SWEEPS);
        commands.commands(); // sees that they were used
        for (int look = 1; look < 4; look++) {
            ticker.advance(BETWEEN_SWEEPS);
            assertThat(names()).containsExactly("a", "b");
        }
        call(tenant("b").build());

        ticker.advance(BETWEEN_SWEEPS);

        assertThat(names()).containsExactly("b");
        assertThat(pools()).containsExactly("pool-of-b");
    }

    @Test
    void a_name_that_was_let_go_begins_anew_and_serves_the_same_spec() {
        CommandSpec<Call, String> spec = tenant("a").build();
        call(spec);
        call(spec);
        idleForLong();
        assertThat(names()).isEmpty();

        assertThat(call(spec)).isEqualTo("live");

        assertThat(commands.commands())
                .singleElement()
                .satisfies(command -> assertThat(command.received()).isEqualTo(1));
    }

    @Test
    void a_registered_name_and_the_name_of_a_class_stay() {
        commands.register(tenant("registered").build());
        call(Call.declared().build());
        call(tenant("made-up").build());

        idleForLong();

        assertThat(names()).containsExactly("Call", "registered");
    }

    @Test
    void a_spare_stays_while_another_command_has_it() {
        CommandSpec<Call, String> spare = tenant("spare").build();
        CommandSpec<Call, String> main = tenant("main")
                .fallback(chain -> chain.spare(spare, call -> new Call(commands, spare, "1", () -> "spare")))
                .build();
        commands.register(main);

        idleForLong();

        assertThat(names()).containsExactly("main", "spare");
    }

    @Test
    void a_command_with_a_call_in_flight_or_an_orphaned_body_or_an_open_breaker_stays() throws Exception {
        CountDownLatch started = new CountDownLatch(2);
        CompletableFuture<String> inFlight = new Call(
                        commands, tenant("in-flight").noTimeout().build(), "1", () -> {
                            started.countDown();
                            release.await();
                            return "late";
                        })
                .queue();
        CompletableFuture<String> orphan = new Call(
                        commands, tenant("orphan").interruptOnTimeout(false).build(), "1", () -> {
                            started.countDown();
                            release.await();
                            return "late";
                        })
                .queue();
        CommandSpec<Call, String> broken = tenant("open")
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(1)
                        .sleepWindow(Duration.ofDays(1))
                        .maxSleepWindow(Duration.ofDays(1)))
                .fallback(chain -> chain.template(StaticTemplate.of("last", "template")))
                .build();
        new Call(commands, broken, "1", () -> {
                    throw new IOException("down");
                })
                .execute();
        started.await();

        idleForLong();

        assertThat(names()).containsExactly("in-flight", "open", "orphan");
        assertThatThrownBy(orphan::join).hasMessageContaining("orphan failed");
        release.countDown();
        assertThat(inFlight.get()).isEqualTo("late");
    }

    @Test
    void observers_and_meters_hear_of_it() {
        List<String> news = new ArrayList<>();
        commands.watch(new CommandObserver() {
            @Override
            public void known(CommandView command) {
                news.add("known " + command.key());
            }

            @Override
            public void gone(CommandView command) {
                news.add("gone " + command.key());
            }
        });
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new DegradableMeters(commands).bindTo(registry);
        commands.register(Call.declared().build());
        int before = registry.getMeters().size();

        call(tenant("a").build());
        assertThat(registry.getMeters().size()).isGreaterThan(before);
        idleForLong();
        assertThat(registry.getMeters()).hasSize(before);
        call(tenant("a").build());

        assertThat(news).containsExactly("known Call", "known a", "gone a", "known a");
        assertThat(registry.get("degradable.calls")
                        .tags("command", "a", "outcome", "normal", "source", "primary")
                        .functionCounter()
                        .count())
                .isEqualTo(1);
    }

    @DisplayName("Of a sweep and a call exactly one wins: no call is lost, and none runs in a command that is gone")
    @Test
    void no_call_is_lost_to_a_sweep() throws Exception {
        int calls = 20_000;
        List<CommandView> all = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger bodies = new AtomicInteger();
        try (Commands busy =
                        Commands.builder().evictIdleAfter(Duration.ofNanos(1)).build();
                Race race = new Race(3)) {
            busy.watch(all::add);
            CommandSpec<Call, String> spec =
                    Call.declared().name("raced").semaphore(10).build();
            AtomicInteger running = new AtomicInteger(2);

            race.round(side -> {
                if (side == 0) {
                    while (running.get() > 0) {
                        busy.commands();
                    }
                    return 0;
                }
                int answered = 0;
                for (int call = 0; call < calls; call++) {
                    for (int pause = call * 7919 % 3_000; pause > 0; pause--) {
                        Thread.onSpinWait(); // long enough, at times, for two looks that see no call
                    }
                    answered += new Call(busy, spec, "1", () -> "live " + bodies.incrementAndGet())
                                    .execute()
                                    .startsWith("live")
                            ? 1
                            : 0;
                }
                running.decrementAndGet();
                return answered;
            });

            assertThat(bodies).hasValue(2 * calls);
            assertThat(all.size()).as("times it became known").isGreaterThan(10);
            assertThat(all.stream().mapToLong(CommandView::received).sum()).isEqualTo(2L * calls);
            assertThat(all.stream().mapToLong(CommandView::inFlight).sum()).isZero();
        }
    }

    @DisplayName("B108, B111: names above the cap share OTHER, loudly and protected")
    @Test
    void names_above_the_cap_share_one_key() {
        List<LogRecord> log = new ArrayList<>();
        Logger logger = Logger.getLogger("io.degradable.internal.execution.Container");
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                log.add(entry);
            }

            @Override
            public void flush() {
                // Nothing is kept back.
            }

            @Override
            public void close() {
                // Nothing is held.
            }
        };
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        try {
            for (int number = 1; number <= 1_000; number++) {
                assertThat(call(tenant("t" + number).build())).isEqualTo("live");
            }
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
        }

        assertThat(names()).containsExactly("OTHER", "t1", "t2", "t3");
        assertThat(pools()).containsExactly("pool-of-t1", "pool-of-t2", "pool-of-t3", "OTHER/spare", "OTHER");
        CommandView other = commands.commands().stream()
                .filter(command -> command.key().name().equals("OTHER"))
                .findAny()
                .orElseThrow();
        assertThat(other.received()).isEqualTo(997);
        assertThat(log).as("one warning").hasSize(1);
        assertThat(log.get(0).getMessage()).contains("cap");
    }

    @Test
    void calls_above_the_cap_are_protected_together() throws Exception {
        fill();
        CountDownLatch started = new CountDownLatch(10);
        for (int number = 0; number < 10; number++) {
            var unused = new Call(commands, tenant("x" + number).noTimeout().build(), "1", () -> {
                        started.countDown();
                        release.await();
                        return "late";
                    })
                    .queue();
        }
        started.await();

        CommandResult<String> refused = new Call(
                        commands,
                        tenant("next")
                                .fallback(chain -> chain.template(StaticTemplate.of("last", "template")))
                                .build(),
                        "1",
                        () -> "never")
                .executeForResult();

        assertThat(refused.trigger()).isEqualTo(Trigger.THREAD_POOL_REJECTED);
        assertThat(refused.source()).isEqualTo(Source.STATIC);
    }

    @Test
    void a_breaker_above_the_cap_is_shared_and_the_own_chain_answers() {
        fill();
        for (int number = 0; number < 20; number++) {
            CommandSpec<Call, String> broken = tenant("x" + number)
                    .fallback(chain -> chain.spareCall("second", (call, context) -> "spare of " + call.id))
                    .build();
            String id = "id" + number;
            assertThat(new Call(commands, broken, id, () -> {
                                throw new IOException("down");
                            })
                            .execute())
                    .isEqualTo("spare of " + id);
        }

        assertThatThrownBy(() -> call(tenant("healthy").build())).hasMessageContaining("short circuited");
    }

    @Test
    void a_semaphore_above_the_cap_still_runs_on_the_callers_thread_and_has_its_own_name() {
        fill();
        List<Thread> ran = new ArrayList<>();
        CommandSpec<Call, String> spec =
                Call.declared().name("on-caller").semaphore(50).build();

        new Call(commands, spec, "1", () -> {
                    ran.add(Thread.currentThread());
                    return "live";
                })
                .execute();

        assertThat(ran).containsExactly(Thread.currentThread());
        assertThatThrownBy(new Call(commands, spec, "1", () -> {
                    throw new IOException("down");
                })::execute)
                .hasMessageContaining("on-caller failed");
    }

    @Test
    void when_names_were_let_go_there_is_room_again() {
        fill();
        CommandSpec<Call, String> fourth = tenant("fourth").build();
        call(fourth);
        idleForLong();

        call(fourth);

        assertThat(names()).containsExactly("OTHER", "fourth");
    }

    private void fill() {
        for (int number = 1; number <= 3; number++) {
            call(tenant("t" + number).build());
        }
    }

    @Test
    void the_shared_key_is_nobodys_own() {
        assertThatThrownBy(() -> Call.declared().name("OTHER").build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("command name must not be OTHER: names above a container's cap share it");
        assertThatThrownBy(() -> Call.declared().group("OTHER").build())
                .hasMessage("command Call: threadPool.name must not be OTHER: commands above a container's cap on names"
                        + " share that pool");
    }

    @Test
    void a_refused_registration_leaves_no_pool_behind() {
        commands.register(tenant("a").build());
        CommandSpec<Call, String> bad = tenant("b")
                .fallback(chain -> chain.spareCall(
                        "second",
                        (call, context) -> "x",
                        stage ->
                                stage.threadPool(pool -> pool.named("pool-of-a").size(99))))
                .build();

        assertThatThrownBy(() -> commands.register(bad)).isInstanceOf(IllegalStateException.class);

        assertThat(pools()).containsExactly("pool-of-a");
        assertThat(names()).containsExactly("a");
    }

    @Test
    void limits_change_while_commands_run() {
        commands.register(tenant("a").build());
        commands.register(Call.declared().name("b").semaphore(1).build());

        commands.resizePool("pool-of-a", 3, 4);
        commands.resize("b", 7);

        assertThat(commands.pools()).singleElement().satisfies(pool -> {
            assertThat(pool.size()).isEqualTo(3);
            assertThat(pool.queue()).isEqualTo(4);
        });
        commands.register(tenant("a").build()); // declared as before: resizing is no contradiction
        assertThatThrownBy(() -> commands.resizePool("nowhere", 1, 1))
                .hasMessage("thread pool nowhere is not known in mine, which has [pool-of-a]");
        assertThatThrownBy(() -> commands.resizePool("pool-of-a", 0, 1))
                .hasMessage("threadPool.size must be positive, was 0");
        assertThatThrownBy(() -> commands.resize("a", 1))
                .hasMessage("command a runs on a thread pool: resize that, it may be shared");
        assertThatThrownBy(() -> commands.resize("c", 1))
                .hasMessage("command c is not known in mine: register its spec or call it first; known are [a, b]");
        assertThatThrownBy(() -> commands.resize("b", 0)).hasMessage("limit of b must be positive, was 0");
    }
}
