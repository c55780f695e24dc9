package io.degradable.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.degradable.CallableCommand;
import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.cache.CacheSpec;
import io.degradable.cache.Timestamped;
import io.degradable.model.CircuitState;
import io.degradable.model.CommandResult;
import io.degradable.model.EventType;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.Trigger;
import io.degradable.state.CircuitWindow;
import io.degradable.state.CommandView;
import io.degradable.state.StageView;
import io.degradable.template.StaticTemplate;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Faults are taken for real by counts, breaker, time limits and chain, and leave nothing behind. */
@Timeout(20)
final class FaultsTest {

    private static final Duration TIMEOUT = Duration.ofMillis(150);
    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();
    private final Faults faults = Faults.in(commands);
    private final AtomicInteger bodies = new AtomicInteger();
    private final List<String> classifiedOn = new CopyOnWriteArrayList<>();

    private final CommandSpec<CallableCommand<String>, String> pooled = declared("pooled")
            .threadPool(pool -> pool.named("faults-test").size(1).queue(0).callerRuns(1))
            .build();
    private final CommandSpec<CallableCommand<String>, String> onCaller =
            declared("onCaller").semaphore(5).build();

    private CommandSpec.Builder<CallableCommand<String>, String> declared(String name) {
        return CommandSpec.<String>callable(name)
                .group("test")
                .timeout(TIMEOUT)
                .overloaded(failure -> {
                    classifiedOn.add(Thread.currentThread().getName());
                    return false;
                })
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(4).noRamp())
                .fallback(chain -> chain.spareCall("spare", (command, context) -> "spare")
                        .cached(COPIES, CallableCommand::key, Duration.ofMinutes(5))
                        .template(StaticTemplate.of("unknown", "static")));
    }

    FaultsTest() {
        commands.register(pooled, onCaller);
    }

    @AfterEach
    void close() {
        faults.close();
        commands.close();
    }

    private CallableCommand<String> call(CommandSpec<CallableCommand<String>, String> spec) {
        return new CallableCommand<>(commands, spec, "key", () -> "live " + bodies.incrementAndGet());
    }

    private CommandView view(String name) {
        return commands.commands().stream()
                .filter(command -> command.key().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private StageView primary(String name) {
        return view(name).stages().get(0);
    }

    @Test
    void a_failure_is_thrown_in_the_bodys_place_on_its_thread_and_counts_until_the_breaker_opens() {
        IOException down = new IOException("down");
        faults.of("pooled").fails(down);

        for (int call = 0; call < 4; call++) {
            CommandResult<String> result = call(pooled).executeForResult();
            assertThat(result.trigger()).isEqualTo(Trigger.FAILURE);
            assertThat(result.cause()).containsSame(down);
            assertThat(result.source()).isEqualTo(Source.SPARE);
        }

        assertThat(bodies).hasValue(0);
        assertThat(classifiedOn).hasSize(4).allMatch(thread -> thread.startsWith("degradable-faults-test-"));
        assertThat(primary("pooled").ended(StageReason.EXCEPTION)).isEqualTo(4);
        assertThat(view("pooled").events(EventType.FAILURE)).isEqualTo(4);
        assertThat(primary("pooled").circuit().state()).isEqualTo(CircuitState.OPEN);
    }

    @Test
    void a_failure_may_be_an_error_which_no_stage_hides() {
        AssertionError broken = new AssertionError("broken");
        faults.of("onCaller").fails(broken);

        assertThatThrownBy(() -> call(onCaller).execute()).isSameAs(broken);
    }

    @Test
    void a_delay_beyond_the_limit_is_a_timeout_and_obeys_the_interrupt() throws Exception {
        faults.of("pooled").delays(Duration.ofHours(1));

        CompletableFuture<CommandResult<String>> future = call(pooled).queueForResult();
        ticker.untilWaiting(2); // the limit of the run, and the body
        ticker.advance(TIMEOUT);

        assertThat(future.get().trigger()).isEqualTo(Trigger.TIMEOUT);
        assertThat(future.get().elapsed()).isEqualTo(TIMEOUT);
        await().until(() -> primary("pooled").orphans() == 0);
        assertThat(primary("pooled").lateFailures()).isEqualTo(1);
        assertThat(bodies).hasValue(0);
    }

    @Test
    void a_delay_within_the_limit_passes_by_the_containers_ticker_and_then_the_body_runs() throws Exception {
        faults.of("pooled").delays(TIMEOUT.minusNanos(1));

        CompletableFuture<CommandResult<String>> future = call(pooled).queueForResult();
        ticker.untilWaiting(2);
        ticker.advance(TIMEOUT.minusNanos(1));

        assertThat(future.get().value()).isEqualTo("live 1");
        assertThat(future.get().elapsed()).isEqualTo(TIMEOUT.minusNanos(1));
    }

    @Test
    void a_delay_and_a_failure_add_up() throws Exception {
        faults.of("onCaller").delays(TIMEOUT.plusNanos(1)).fails(new IOException("late"));

        Caller<CommandResult<String>> caller = Caller.calls(() -> call(onCaller).executeForResult());
        ticker.untilWaiting(1);
        ticker.advance(TIMEOUT.plusNanos(1));

        assertThat(caller.result().trigger()).isEqualTo(Trigger.TIMEOUT);
    }

    @Test
    void a_rejection_is_the_bulkheads_and_holds_no_slot_and_does_not_move_the_breaker() {
        faults.of("pooled").rejects();
        faults.of("onCaller").rejects();

        assertThat(call(pooled).executeForResult().trigger()).isEqualTo(Trigger.THREAD_POOL_REJECTED);
        assertThat(call(onCaller).executeForResult().trigger()).isEqualTo(Trigger.SEMAPHORE_REJECTED);

        assertThat(bodies).hasValue(0);
        assertThat(primary("pooled").ended(StageReason.THREAD_POOL_FULL)).isEqualTo(1);
        assertThat(primary("onCaller").ended(StageReason.SEMAPHORE_FULL)).isEqualTo(1);
        assertThat(primary("onCaller").active()).isZero();
        ticker.advance(TIMEOUT.plusNanos(1)); // a permit that was kept would show as a slow call in flight
        assertThat(primary("pooled").circuit().window()).isEqualTo(CircuitWindow.EMPTY);
    }

    @Test
    void an_open_circuit_refuses_and_is_closed_once_it_is_cleared() {
        StageFaults primary = faults.of("pooled").opensCircuit();

        assertThat(call(pooled).executeForResult().trigger()).isEqualTo(Trigger.SHORT_CIRCUITED);
        primary.clear();

        assertThat(primary("pooled").circuit().state()).isEqualTo(CircuitState.CLOSED);
        assertThat(call(pooled).execute()).isEqualTo("live 1");
    }

    @Test
    void each_stage_has_faults_of_its_own() {
        commands.cache(COPIES).put("key", new Timestamped<>("copy", ticker.nanos()));
        faults.of("pooled").fails(new IOException("down"));
        faults.of("pooled", "spare").rejects();
        assertThat(call(pooled).execute()).isEqualTo("copy");

        faults.of("pooled", "cache").fails(new IllegalStateException("broken codec"));

        assertThat(call(pooled).executeForResult().trail())
                .extracting(Object::toString)
                .containsExactly(
                        "primary failed: exception after 0 ms (java.io.IOException: down)",
                        "spare refused: thread pool full",
                        "cache failed: exception after 0 ms (java.lang.IllegalStateException: broken codec)",
                        "static answered after 0 ms");
    }

    @Test
    void cleared_they_leave_nothing_behind() {
        faults.of("pooled").fails(new IOException("down")).rejects().delays(TIMEOUT);
        faults.of("pooled", "spare").opensCircuit();

        faults.clear();

        assertThat(call(pooled).execute()).isEqualTo("live 1");
        assertThat(commands.circuit("pooled", "spare").explain().state()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void what_cannot_be_is_refused_by_name() {
        assertThatThrownBy(() -> faults.of("nobody"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("command nobody is not known in commands: register its spec before faults are put into it");
        assertThatThrownBy(() -> faults.of("pooled", "other"))
                .hasMessage("command pooled has no stage other, it has [primary, spare, cache, static]");
        assertThatThrownBy(() -> faults.of("pooled", "static").rejects())
                .hasMessage("stage static of pooled is read in memory: nothing can refuse it");
        assertThatThrownBy(() -> faults.of("pooled", "cache").opensCircuit())
                .hasMessage("stage cache of pooled is read in memory and has no breaker");
    }
}
