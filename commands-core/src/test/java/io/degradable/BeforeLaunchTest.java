package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.Timestamped;
import io.degradable.model.CircuitState;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.EventType;
import io.degradable.model.Source;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.model.Trigger;
import io.degradable.state.CommandView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** S10: what is tried out before a first launch, item by item, on one command with a whole chain. */
@Timeout(60)
@DisplayName("S10")
final class BeforeLaunchTest {

    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");
    private static final Duration WINDOW = Duration.ofSeconds(60);
    private static final Duration LIMIT = Duration.ofMillis(150);
    private static final Duration SLEEP = Duration.ofSeconds(5);

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();
    private final Callers callers = new Callers();
    private final CountDownLatch release = new CountDownLatch(1);
    private final CountDownLatch served = new CountDownLatch(96);
    private final AtomicBoolean keysAreBroken = new AtomicBoolean();
    private final AtomicInteger spareAsked = new AtomicInteger();

    /** The one under test: a spare that is down as well, copies, a template. */
    private final CommandSpec<Call, String> spec = command().build();

    private CommandSpec.Builder<Call, String> command() {
        return Call.declared()
                .threadPool(pool -> pool.named("launch").size(4))
                .timeout(LIMIT)
                .fallbackOn(failure -> failure instanceof IOException)
                .fallback(chain -> chain.spareCall("second", (call, context) -> {
                            spareAsked.incrementAndGet();
                            throw new IOException("second is down, too");
                        })
                        .cached(COPIES, this::key, WINDOW)
                        .template(StaticTemplate.of("last", "template")));
    }

    private String key(Call call) {
        if (keysAreBroken.get()) {
            throw new IllegalStateException("no cache to be had");
        }
        return call.id;
    }

    @AfterEach
    void close() {
        release.countDown();
        while (served.getCount() > 0) {
            served.countDown();
        }
        callers.close();
        commands.close();
    }

    private Call call(String id, Callable<String> body) {
        return new Call(commands, spec, id, body);
    }

    private Call good(String id) {
        return call(id, () -> "live");
    }

    private Call bad(String id) {
        return call(id, () -> {
            throw new IOException("down");
        });
    }

    private CommandView view() {
        return commands.commands().stream()
                .filter(command -> command.key().name().equals("Call"))
                .findFirst()
                .orElseThrow();
    }

    private CircuitState circuit() {
        return view().stages().get(0).circuit().state();
    }

    private static List<StageReason> reasons(CommandResult<?> result) {
        return result.trail().stream().map(StageReport::reason).toList();
    }

    private void open() {
        for (int call = 0; call < 20; call++) {
            bad("none").execute();
        }
        assertThat(circuit()).isEqualTo(CircuitState.OPEN);
    }

    @Test
    void no_copy() {
        CommandSpec<Call, String> bare = Call.declared()
                .name("Bare")
                .fallback(chain -> chain.cached(COPIES, call -> call.id, WINDOW))
                .build();

        CommandResult<String> withTemplate = bad("1").executeForResult();
        CommandException without = catchThrowableOfType(
                CommandException.class,
                () -> new Call(commands, bare, "1", () -> {
                            throw new IOException("down");
                        })
                        .execute());

        assertThat(withTemplate.value()).isEqualTo("template");
        assertThat(reasons(withTemplate))
                .containsExactly(StageReason.EXCEPTION, StageReason.EXCEPTION, StageReason.ABSENT, StageReason.ANSWER);
        assertThat(without).hasRootCauseMessage("down");
        assertThat(without.trail())
                .extracting(StageReport::reason)
                .containsExactly(StageReason.EXCEPTION, StageReason.ABSENT);
    }

    @Test
    void age_boundary() {
        good("1").execute();

        ticker.advance(WINDOW);
        CommandResult<String> atIt = bad("1").executeForResult();
        ticker.advance(Duration.ofNanos(1));
        CommandResult<String> pastIt = bad("1").executeForResult();

        assertThat(atIt.source()).isEqualTo(Source.CACHE);
        assertThat(atIt.age()).contains(WINDOW);
        assertThat(pastIt.source()).isEqualTo(Source.STATIC);
        assertThat(reasons(pastIt)).contains(StageReason.TOO_OLD);
    }

    @Test
    void future_stamp() {
        commands.cache(COPIES).put("1", new Timestamped<>("tomorrow's", ticker.nanos() + 1));

        CommandResult<String> before = bad("1").executeForResult();
        ticker.advance(Duration.ofNanos(1));
        CommandResult<String> at = bad("1").executeForResult();

        assertThat(before.value()).isEqualTo("template");
        assertThat(reasons(before)).contains(StageReason.FROM_THE_FUTURE);
        assertThat(at.value()).isEqualTo("tomorrow's");
        assertThat(at.age()).contains(Duration.ZERO);
    }

    @Test
    void saturation() throws Exception {
        good("1").execute();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch four = new CountDownLatch(4);
        CyclicBarrier start = new CyclicBarrier(100);
        List<FutureTask<CommandResult<String>>> answers = new ArrayList<>();
        for (int caller = 0; caller < 100; caller++) {
            answers.add(callers.start(() -> {
                start.await();
                CommandResult<String> result = call("1", () -> {
                            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                            four.countDown();
                            four.await(); // a worker may begin after all the others are answered
                            served.await(); // all the others are answered while these four hold the pool
                            inside.decrementAndGet();
                            return "live";
                        })
                        .executeForResult();
                served.countDown();
                return result;
            }));
        }
        List<Source> sources = new ArrayList<>();
        for (FutureTask<CommandResult<String>> answer : answers) {
            sources.add(answer.get().source());
        }

        assertThat(Collections.frequency(sources, Source.PRIMARY)).isEqualTo(4);
        assertThat(Collections.frequency(sources, Source.CACHE)).isEqualTo(96);
        assertThat(most).hasValue(4);
        assertThat(spareAsked).hasValue(0);
        assertThat(view().events(EventType.THREAD_POOL_REJECTED)).isEqualTo(96);
        assertThat(view().servedCopies()).isEqualTo(96);
    }

    @Test
    void unclassified_exception() {
        good("1").execute();
        IllegalStateException schema = new IllegalStateException("schema");

        Throwable thrown = catchThrowable(call("1", () -> {
            throw schema;
        })::execute);

        assertThat(thrown).isSameAs(schema);
        assertThat(view().stages().get(1).reached()).isZero();
        assertThat(view().stages().get(0).circuit().bad()).isZero();
        assertThat(view().stages().get(0).circuit().good()).isEqualTo(1);
    }

    @Test
    void recovery() {
        open();
        assertThat(good("1").executeForResult().trigger()).isEqualTo(Trigger.SHORT_CIRCUITED);
        ticker.advance(SLEEP);

        List<Source> probes = new ArrayList<>();
        for (int probe = 0; probe < 4; probe++) { // four of five good ones are the 80 % that it takes
            assertThat(circuit()).isEqualTo(CircuitState.HALF_OPEN);
            probes.add(good("1").executeForResult().source());
        }

        assertThat(probes).containsOnly(Source.PRIMARY);
        int live = 0;
        for (int call = 0; call < 20 * 10 + 20 * 4 + 20 * 2; call++) { // 20 of every tenth, every fourth, every second
            assertThat(circuit()).isEqualTo(CircuitState.RAMPING);
            live += good("1").executeForResult().degraded() ? 0 : 1;
        }
        assertThat(live).isEqualTo(60);
        assertThat(circuit()).isEqualTo(CircuitState.CLOSED);
        assertThat(bad("1").executeForResult().source()).isEqualTo(Source.CACHE); // filled again by the probes
    }

    @Test
    void slow_answers() {
        CommandSpec<Call, String> slow =
                command().name("Slow").slowCall(Duration.ofMillis(100)).build();
        Callable<String> takes101 = () -> {
            ticker.advance(Duration.ofMillis(101));
            return "live";
        };

        for (int call = 0; call < 20; call++) {
            assertThat(new Call(commands, slow, "1", takes101)
                            .executeForResult()
                            .source())
                    .isEqualTo(Source.PRIMARY);
        }
        CommandResult<String> next = new Call(commands, slow, "1", takes101).executeForResult();

        assertThat(next.trigger()).isEqualTo(Trigger.SHORT_CIRCUITED);
        assertThat(next.source()).isEqualTo(Source.CACHE);
    }

    @Test
    void exhausted_pool() throws Exception {
        good("1").execute();
        CountDownLatch entered = new CountDownLatch(4);
        List<FutureTask<CommandResult<String>>> hung = new ArrayList<>();
        for (int body = 0; body < 4; body++) {
            hung.add(callers.call(call("1", () -> {
                entered.countDown();
                while (release.getCount() > 0) {
                    try {
                        release.await();
                    } catch (InterruptedException deaf) {
                        // a driver that does not listen
                    }
                }
                return "late";
            })));
        }
        entered.await();
        ticker.untilWaiting(4);
        ticker.advance(LIMIT);
        for (FutureTask<CommandResult<String>> left : hung) {
            assertThat(left.get().trigger()).isEqualTo(Trigger.TIMEOUT);
        }

        CommandResult<String> meanwhile = good("1").executeForResult();
        release.countDown();
        await().until(() -> view().stages().get(0).active() == 0);
        CommandResult<String> afterwards = good("1").executeForResult();

        assertThat(meanwhile.trigger()).isEqualTo(Trigger.THREAD_POOL_REJECTED);
        assertThat(meanwhile.source()).isEqualTo(Source.CACHE);
        assertThat(meanwhile.elapsed()).isEqualTo(Duration.ZERO);
        assertThat(afterwards.source()).isEqualTo(Source.PRIMARY);
        await().until(() -> view().stages().get(0).orphans() == 0);
    }

    @Test
    void cache_down() {
        keysAreBroken.set(true);

        CommandResult<String> live = good("1").executeForResult();
        CommandResult<String> degraded = bad("1").executeForResult();

        assertThat(live.source()).isEqualTo(Source.PRIMARY);
        assertThat(degraded.value()).isEqualTo("template");
        assertThat(degraded.trail())
                .extracting(StageReport::outcome)
                .containsExactly(StageOutcome.FAILED, StageOutcome.FAILED, StageOutcome.FAILED, StageOutcome.ANSWERED);
        assertThat(degraded.cause()).get().isInstanceOf(IOException.class);
        assertThat(view().stages().get(0).userMistakes()).isEqualTo(1); // the copy that could not be kept
    }

    @Test
    void primary_and_spare_both_down() {
        good("1").execute();

        CommandResult<String> copied = bad("1").executeForResult();
        CommandResult<String> unknown = bad("2").executeForResult();

        assertThat(copied.source()).isEqualTo(Source.CACHE);
        assertThat(unknown.source()).isEqualTo(Source.STATIC);
        assertThat(spareAsked).hasValue(2);
        assertThat(view().events(EventType.FALLBACK_SUCCESS)).isEqualTo(2);
        for (int call = 0; call < 20; call++) {
            bad("2").execute();
        }
        int asked = spareAsked.get();
        assertThat(bad("2").executeForResult().source()).isEqualTo(Source.STATIC);
        assertThat(spareAsked).as("left alone, too").hasValue(asked);
    }

    @Test
    void a_herd_of_retries_at_recovery() throws Exception {
        int herd = 32;
        int triesWhileProbing = 50;
        CommandSpec<Call, String> wide = command()
                .name("Wide")
                .threadPool(pool -> pool.named("wide").size(herd))
                .build();
        for (int call = 0; call < 20; call++) {
            new Call(commands, wide, "1", () -> {
                        throw new IOException("down");
                    })
                    .execute();
        }
        ticker.advance(SLEEP);
        AtomicInteger bodies = new AtomicInteger();
        CountDownLatch probing = new CountDownLatch(5);
        CountDownLatch hammered = new CountDownLatch(herd - 5);
        Call live = new Call(commands, wide, "1", () -> {
            bodies.incrementAndGet();
            probing.countDown();
            release.await();
            return "live";
        });
        CyclicBarrier start = new CyclicBarrier(herd);
        List<FutureTask<Integer>> impatient = new ArrayList<>();
        for (int caller = 0; caller < herd; caller++) {
            impatient.add(callers.start(() -> {
                start.await();
                int tries = 1;
                while (live.executeForResult().degraded()) {
                    if (++tries == triesWhileProbing) {
                        hammered.countDown();
                        release.await(); // and then at once again
                    }
                }
                return tries;
            }));
        }
        probing.await();
        hammered.await();
        int letThrough = bodies.get();

        release.countDown();

        int tries = 0;
        for (FutureTask<Integer> caller : impatient) {
            tries += caller.get();
        }
        assertThat(letThrough)
                .as("calls the dependency saw while it was being probed")
                .isEqualTo(5);
        assertThat(bodies)
                .as("one good answer for each of the herd, and no call more")
                .hasValue(herd);
        assertThat(tries).isGreaterThanOrEqualTo(5 + (herd - 5) * triesWhileProbing);
        CommandView view = commands.commands().stream()
                .filter(command -> command.key().name().equals("Wide"))
                .findFirst()
                .orElseThrow();
        assertThat(view.stages().get(0).circuit().state())
                .as("of 32, 5 were probes, 20 the first share and the others a part of the second")
                .isEqualTo(CircuitState.RAMPING);
        assertThat(view.received()).isEqualTo(20 + tries);
        assertThat(view.events(EventType.SUCCESS)).isEqualTo(herd);
        assertThat(view.events(EventType.SHORT_CIRCUITED)).isEqualTo(tries - herd);
    }
}
