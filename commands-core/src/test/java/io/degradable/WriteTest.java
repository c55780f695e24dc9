package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.degradable.cache.CacheSpec;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.model.Trigger;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** S11: a write whose end nobody knows is neither a success nor a failure, and nothing does it twice. */
@Timeout(60)
final class WriteTest {

    private static final Duration LIMIT = Duration.ofMillis(100);
    private static final StaticTemplate<String> NOT_NOW =
            StaticTemplate.of("not-now", "not taken, please try again later");
    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands =
            Commands.builder().name("mine").ticker(ticker).build();
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void close() {
        release.countDown();
        commands.close();
    }

    private static CommandSpec.Builder<Call, String> write() {
        return Call.declared().timeout(LIMIT).write();
    }

    private static CommandSpec.Builder<Call, String> identified() {
        return Call.declared().timeout(LIMIT).operationId(call -> call.id);
    }

    private static String pendingAnswer(Call call, String operationId) {
        return "pending " + operationId;
    }

    private static CommandSpec<Call, String> withPending() {
        return identified()
                .fallback(chain -> chain.pending(WriteTest::pendingAnswer).template(NOT_NOW))
                .build();
    }

    /** A body that starts and outlasts its limit. */
    private Callable<String> tooSlow(CountDownLatch started) {
        return () -> {
            started.countDown();
            release.await();
            return "done";
        };
    }

    private CommandResult<String> timedOut(CommandSpec<Call, String> spec, String id) throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<CommandResult<String>> future =
                new Call(commands, spec, id, tooSlow(started)).queueForResult();
        started.await();
        ticker.advance(LIMIT);
        return future.join();
    }

    @Test
    void a_write_that_timed_out_gets_a_pending_answer_with_its_operation_id() throws Exception {
        CommandResult<String> result = timedOut(withPending(), "order-7");

        assertThat(result.value()).isEqualTo("pending order-7");
        assertThat(result.outcomeUnknown()).isTrue();
        assertThat(result.source()).isEqualTo(Source.STATIC);
        assertThat(result.trigger()).isEqualTo(Trigger.TIMEOUT);
    }

    @Test
    void a_pending_write_is_asked_again_by_the_same_id() throws Exception {
        CommandSpec<Call, String> spec = withPending();
        timedOut(spec, "order-7");

        CommandResult<String> again = new Call(commands, spec, "order-7", () -> "done once").executeForResult();

        assertThat(again.value()).isEqualTo("done once");
        assertThat(again.outcomeUnknown()).isFalse();
        assertThat(again.source()).isEqualTo(Source.PRIMARY);
    }

    @Test
    void a_write_that_is_known_not_to_have_been_done_gets_the_template() {
        CommandSpec<Call, String> spec = withPending();

        CommandResult<String> failed = new Call(commands, spec, "1", () -> {
                    throw new ConnectException("connection refused");
                })
                .executeForResult();

        assertThat(failed.value()).isEqualTo(NOT_NOW.value());
        assertThat(failed.outcomeUnknown()).isFalse();
    }

    @Test
    void a_write_that_timed_out_before_its_body_started_was_not_done() throws Exception {
        CommandSpec<Call, String> spec = identified()
                .threadPool(pool -> pool.size(1).queue(1))
                .interruptOnTimeout(false) // or the worker is free before the second one's limit is looked at
                .fallback(chain -> chain.pending(WriteTest::pendingAnswer).template(NOT_NOW))
                .build();
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<String> holds = new Call(commands, spec, "holds", tooSlow(started)).queue();
        started.await();
        CompletableFuture<CommandResult<String>> waits =
                new Call(commands, spec, "waits", () -> "never").queueForResult();

        ticker.advance(LIMIT);

        assertThat(waits.join().trigger()).isEqualTo(Trigger.TIMEOUT);
        assertThat(waits.join().value()).isEqualTo(NOT_NOW.value());
        assertThat(holds.join()).isEqualTo("pending holds");
    }

    @Test
    void a_timeout_that_the_body_throws_leaves_the_outcome_unknown_too() {
        CommandSpec<Call, String> spec = identified()
                .unknownOn(failure -> failure instanceof IOException && "broken pipe".equals(failure.getMessage()))
                .fallback(chain -> chain.pending(WriteTest::pendingAnswer))
                .build();

        List<Boolean> unknown = new ArrayList<>();
        for (Exception failure : List.of(new SocketTimeoutException(), new IOException("broken pipe"))) {
            unknown.add(new Call(commands, spec, "1", () -> {
                        throw failure;
                    })
                    .executeForResult()
                    .outcomeUnknown());
        }

        assertThat(unknown).containsExactly(true, true);
    }

    static Stream<Arguments> failures() {
        IOException broken = new IOException("header parser received no bytes");
        return Stream.of(
                arguments(new SocketTimeoutException(), true),
                arguments(broken, true),
                arguments(new TimeoutException(), true),
                arguments(new HttpTimeoutException("request timed out"), true),
                arguments(new UncheckedIOException(broken), true),
                arguments(new ExecutionException(new TimeoutException()), true),
                arguments(new CompletionException(new SocketTimeoutException()), true),
                arguments(new InterruptedException(), true),
                arguments(new ConnectException("refused"), false),
                arguments(new UncheckedIOException(new ConnectException("refused")), false),
                arguments(new IOException(new ConnectException("refused")), false),
                arguments(new UnknownHostException("nowhere"), false),
                arguments(new NoRouteToHostException(), false),
                arguments(new HttpConnectTimeoutException("connect timed out"), false),
                arguments(new IllegalStateException("sold out"), false));
    }

    @DisplayName("S11: what broke on the way may have arrived, unless there was no connection to arrive by")
    @ParameterizedTest
    @MethodSource("failures")
    void an_exchange_that_broke_leaves_the_outcome_unknown_however_it_is_wrapped(Exception failure, boolean unknown) {
        CommandSpec<Call, String> spec = identified()
                .fallback(chain ->
                        chain.pending(WriteTest::pendingAnswer).template(StaticTemplate.of("refused", "not taken")))
                .build();

        CommandResult<String> result = new Call(commands, spec, "1", () -> {
                    throw failure;
                })
                .executeForResult();

        assertThat(result.outcomeUnknown()).isEqualTo(unknown);
        assertThat(result.headers().containsKey("X-Outcome-Unknown")).isEqualTo(unknown);
        assertThat(result.provenance().contains("outcome unknown")).isEqualTo(unknown);
        assertThat(result.value().equals("not taken")).isEqualTo(!unknown);
    }

    @DisplayName("S11: a write that the other side could not tell from a second one is refused before anything is done")
    @ParameterizedTest
    @EnumSource
    void an_operation_without_an_id_is_refused(EntryPoint entry) {
        List<Function<Call, String>> ids = List.of(call -> null, call -> " ", call -> {
            throw new IllegalStateException("no id yet");
        });
        List<String> done = new ArrayList<>();
        for (Function<Call, String> id : ids) {
            CommandSpec<Call, String> spec = Call.declared()
                    .operationId(id)
                    .fallback(chain -> chain.spareCall("spare", (call, context) -> "spare"))
                    .build();
            Call call = new Call(commands, spec, "1", () -> {
                done.add("done");
                return "done";
            });

            assertThatThrownBy(() -> entry.run(call))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("command Call")
                    .hasMessageContaining("id");
        }
        assertThat(done).isEmpty();
        assertThat(commands.commands()).as("no call was made").isEmpty();
    }

    @Test
    void a_write_inside_a_write_whose_outcome_is_unknown_leaves_the_outer_ones_unknown_too() {
        CommandSpec<Call, String> inner = Call.declared()
                .name("Inner")
                .threadPool(pool -> pool.named("inner"))
                .write()
                .build();
        CommandSpec<Call, String> outer = withPending();
        Call lost = new Call(commands, inner, "inner", () -> {
            throw new SocketTimeoutException();
        });
        Call refused = new Call(commands, inner, "inner", () -> {
            throw new ConnectException("connection refused");
        });

        CommandResult<String> direct = new Call(commands, outer, "1", lost::execute).executeForResult();
        CommandResult<String> waited =
                new Call(commands, outer, "2", () -> lost.queue().join()).executeForResult();
        CommandResult<String> known = new Call(commands, outer, "3", refused::execute).executeForResult();

        assertThat(direct.value()).isEqualTo("pending 1");
        assertThat(waited.value()).isEqualTo("pending 2");
        assertThat(known.value()).isEqualTo(NOT_NOW.value());
    }

    @Test
    void without_a_pending_answer_a_timeout_fails_and_says_that_the_outcome_is_unknown() throws Exception {
        CommandSpec<Call, String> spec =
                write().fallback(chain -> chain.template(NOT_NOW)).build();
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<String> future = new Call(commands, spec, "1", tooSlow(started)).queue();
        started.await();
        ticker.advance(LIMIT);

        assertThatThrownBy(future::join).cause().isInstanceOfSatisfying(CommandException.class, unknown -> {
            assertThat(unknown.outcomeUnknown()).isTrue();
            assertThat(unknown.trigger()).isEqualTo(Trigger.TIMEOUT);
            assertThat(unknown.trail())
                    .extracting(StageReport::reason)
                    .containsExactly(StageReason.TIMEOUT, StageReason.OUTCOME_UNKNOWN);
        });
    }

    @Test
    void a_refused_write_fails_with_a_known_outcome() {
        CommandSpec<Call, String> spec = write().build();

        assertThatThrownBy(new Call(commands, spec, "1", () -> {
                    throw new ConnectException("connection refused");
                })::execute)
                .asInstanceOf(InstanceOfAssertFactories.type(CommandException.class))
                .satisfies(failed -> assertThat(failed.outcomeUnknown()).isFalse());
    }

    @Test
    void a_reading_command_that_times_out_leaves_nothing_unknown() throws Exception {
        CommandResult<String> result = timedOut(
                Call.declared()
                        .timeout(LIMIT)
                        .fallback(chain -> chain.template(NOT_NOW))
                        .build(),
                "1");

        assertThat(result.value()).isEqualTo(NOT_NOW.value());
        assertThat(result.outcomeUnknown()).isFalse();
    }

    @Test
    void an_identified_write_may_be_done_by_a_spare_and_is_pending_when_that_times_out() throws Exception {
        CountDownLatch spareStarted = new CountDownLatch(1);
        CommandSpec<Call, String> spec = identified()
                .fallback(chain -> chain.spareCall(
                                "second",
                                (call, context) -> tooSlow(spareStarted).call())
                        .pending(WriteTest::pendingAnswer)
                        .template(NOT_NOW))
                .build();

        CompletableFuture<CommandResult<String>> future = new Call(commands, spec, "1", () -> {
                    throw new ConnectException("connection refused");
                })
                .queueForResult();
        spareStarted.await();
        ticker.advance(LIMIT);

        assertThat(future.join().value()).isEqualTo("pending 1");
        assertThat(future.join().trigger()).isEqualTo(Trigger.FAILURE);
    }

    @Test
    void stages_that_could_do_it_twice_or_make_up_a_success_are_refused() {
        String why =
                "write() without operationId(...) allows a template only, since anything else could do the work twice"
                        + " or make up a success; it has ";

        assertThatThrownBy(() -> write().fallback(chain -> chain.spareCall("second", (call, context) -> "x"))
                        .build())
                .hasMessage("command Call: " + why + "second");
        assertThatThrownBy(() -> write().fallback(chain -> chain.cached(COPIES, call -> call.id, Duration.ofMinutes(1)))
                        .build())
                .hasMessage("command Call: " + why + "cache");
        assertThatThrownBy(() -> write().fallback(chain -> chain.pending(WriteTest::pendingAnswer))
                        .build())
                .hasMessage("command Call: operationId is missing: a pending answer names the operation, say"
                        + " operationId(...) before");
    }

    @Test
    void a_pending_answer_that_cannot_name_the_operation_any_more_is_no_answer() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        CommandSpec<Call, String> spec = Call.declared()
                .timeout(LIMIT)
                .operationId(call -> asked.getAndIncrement() == 0 ? "1" : null)
                .fallback(chain -> chain.pending(WriteTest::pendingAnswer))
                .build();
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<String> future = new Call(commands, spec, "1", tooSlow(started)).queue();
        started.await();
        ticker.advance(LIMIT);

        assertThatThrownBy(future::join)
                .cause()
                .isInstanceOfSatisfying(
                        CommandException.class,
                        failed -> assertThat(failed.outcomeUnknown()).isTrue());
    }

    @Test
    void whatever_class_a_timeout_is_sorted_into_the_outcome_stays_unknown() {
        List<CommandSpec<Call, String>> specs = List.of(
                write().fallbackOn(IllegalStateException.class::isInstance).build(),
                write().name("Fatal").fatal(IOException.class::isInstance).build(),
                write().name("Overloaded")
                        .overloaded(IOException.class::isInstance)
                        .build());

        for (CommandSpec<Call, String> spec : specs) {
            Call around = new Call(
                    commands,
                    write().name("Around" + spec.name())
                            .unknownOn(SocketTimeoutException.class::isInstance)
                            .build(),
                    "1",
                    () -> new Call(commands, spec, "1", () -> {
                                throw new SocketTimeoutException();
                            })
                            .execute());
            assertThatThrownBy(around::execute)
                    .as(spec.name())
                    .isInstanceOfSatisfying(
                            CommandException.class,
                            failed -> assertThat(failed.outcomeUnknown()).isTrue());
        }
    }
}
