package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.degradable.cache.CacheSpec;
import io.degradable.event.CommandEvent;
import io.degradable.event.CommandEvent.CallEnded;
import io.degradable.event.CommandEvent.CircuitChanged;
import io.degradable.event.CommandEvent.StageEnded;
import io.degradable.event.CommandListener;
import io.degradable.event.ContextCarrier;
import io.degradable.event.RunObserver;
import io.degradable.model.CallOutcome;
import io.degradable.model.CircuitState;
import io.degradable.model.CommandResult;
import io.degradable.model.EventType;
import io.degradable.model.Level;
import io.degradable.model.NoAnswerException;
import io.degradable.model.Source;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import io.degradable.model.Trigger;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import io.degradable.time.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.annotation.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Listeners hear all of what happens, in order, and are guests: nothing they do is any call's business. */
@Timeout(30)
final class ListenerTest {

    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");

    /** The two ways to hear. */
    private enum Way {
        QUEUED,
        INLINE;

        Commands.Builder with(CommandListener listener) {
            Commands.Builder builder = Commands.builder().name("listener");
            return this == QUEUED ? builder.listener(listener) : builder.inlineListener(listener);
        }
    }

    private final Queue<CommandEvent> heard = new ConcurrentLinkedQueue<>();
    private final ManualTicker ticker = new ManualTicker();

    private <T extends CommandEvent> List<T> heard(Class<T> type) {
        return heard.stream().filter(type::isInstance).map(type::cast).toList();
    }

    private static Call failing(Commands commands, CommandSpec<Call, String> spec) {
        return new Call(commands, spec, "1", () -> {
            throw new IOException("down");
        });
    }

    private static CommandSpec.Builder<Call, String> withTemplate() {
        return Call.declared().fallback(chain -> chain.template(StaticTemplate.of("last", "template")));
    }

    private static CommandSpec<Call, String> tripping() {
        return Call.declared()
                .semaphore()
                .circuitBreaker(
                        breaker -> breaker.requestVolumeThreshold(1).probes(1).ramp(1, 50))
                .fallback(chain -> chain.template(StaticTemplate.of("last", "template")))
                .build();
    }

    // ---- what they hear ----

    @ParameterizedTest
    @EnumSource
    void the_stages_of_a_run_are_told_in_the_order_of_the_chain_then_its_end(EntryPoint entry) throws Exception {
        IOException down = new IOException("down");
        CommandSpec<Call, String> spec = Call.declared()
                .fallback(chain -> chain.spareCall("second", (call, context) -> {
                            ticker.advance(Duration.ofMillis(7));
                            throw new IllegalStateException("down, too");
                        })
                        .cached(COPIES, call -> call.id, Duration.ofMinutes(1))
                        .template(StaticTemplate.of("last", "template")))
                .build();

        try (Commands commands = Way.QUEUED.with(heard::add).ticker(ticker).build()) {
            String answer = entry.run(new Call(commands, spec, "1", () -> {
                ticker.advance(Duration.ofMillis(30));
                throw down;
            }));
            assertThat(answer).isEqualTo("template");
        }

        List<StageEnded> stages = heard(StageEnded.class);
        assertThat(stages)
                .extracting(StageEnded::stage)
                .containsExactlyElementsOf(stageNames(spec))
                .hasSize(4);
        assertThat(stages)
                .extracting(StageEnded::reason)
                .containsExactly(StageReason.EXCEPTION, StageReason.EXCEPTION, StageReason.ABSENT, StageReason.ANSWER);
        assertThat(stages)
                .extracting(StageEnded::outcome)
                .containsExactly(StageOutcome.FAILED, StageOutcome.FAILED, StageOutcome.MISSED, StageOutcome.ANSWERED);
        assertThat(stages)
                .extracting(StageEnded::kind)
                .containsExactly(Source.PRIMARY, Source.SPARE, Source.CACHE, Source.STATIC);
        assertThat(stages).extracting(stage -> stage.elapsed().toMillis()).containsExactly(30L, 7L, 0L, 0L);
        assertThat(stages.get(0).failure()).isSameAs(down);
        assertThat(stages.get(1).failure()).hasMessage("down, too");
        assertThat(stages.get(2).failure()).isNull();
        long id = stages.get(0).callId();
        assertThat(stages)
                .allMatch(stage -> stage.callId() == id
                        && stage.command() == spec.settings().key());
        assertThat(List.copyOf(heard).subList(4, heard.size()))
                .containsExactly(new CallEnded(
                        spec.settings().key(),
                        id,
                        CallOutcome.DEGRADED,
                        Source.STATIC,
                        Trigger.FAILURE,
                        Set.of(EventType.FAILURE, EventType.FALLBACK_SUCCESS),
                        Duration.ofMillis(37),
                        Duration.ofMillis(7),
                        null,
                        down,
                        Level.NORMAL));
    }

    private static List<String> stageNames(CommandSpec<Call, String> spec) {
        List<String> names = new ArrayList<>(List.of("primary"));
        spec.settings().stages().forEach(stage -> names.add(stage.name()));
        return names;
    }

    @Test
    void a_call_is_told_as_its_result_has_it_and_only_after_it_was_counted() {
        List<Long> counted = new ArrayList<>();
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore()
                .fallback(chain -> chain.cached(COPIES, call -> call.id, Duration.ofMinutes(1)))
                .build();
        Commands[] own = new Commands[1];
        try (Commands commands = Way.INLINE
                .with(event -> {
                    heard.add(event);
                    counted.add(own[0].commands().iterator().next().inFlight());
                })
                .ticker(ticker)
                .build()) {
            own[0] = commands;

            new Call(commands, spec, "1", () -> "live").execute();
            ticker.advance(Duration.ofSeconds(41));
            CommandResult<String> copy = failing(commands, spec).executeForResult();

            CallEnded normal = heard(CallEnded.class).get(0);
            assertThat(normal.outcome()).isEqualTo(CallOutcome.NORMAL);
            assertThat(normal.cause()).isNull();
            assertThat(normal.age()).isEqualTo(Duration.ZERO);
            assertThat(normal.moved()).containsExactly(EventType.SUCCESS);
            CallEnded degraded = heard(CallEnded.class).get(1);
            assertThat(degraded.callId()).isEqualTo(copy.callId());
            assertThat(degraded.source()).isEqualTo(copy.source()).isEqualTo(Source.CACHE);
            assertThat(degraded.age()).isEqualTo(Duration.ofSeconds(41));
            assertThat(degraded.cause()).isSameAs(copy.cause().orElseThrow());
            assertThat(counted).containsOnly(0L).hasSize(5);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EXECUTE", "QUEUE"})
    void the_runs_that_a_close_cancels_are_told_as_well(EntryPoint entry) throws Exception {
        for (int round = 0; round < 6; round++) {
            heard.clear();
            Commands commands = Way.QUEUED
                    .with(heard::add)
                    .closeGrace(Duration.ofMillis(300)) // which the telling has, too; a busy machine needs some of it
                    .build();
            CommandSpec<Call, String> spec = Call.declared().noTimeout().build();
            CountDownLatch begun = new CountDownLatch(5);
            Callers callers = new Callers();
            for (int call = 0; call < 5; call++) {
                var unused = callers.start(() -> entry.run(new Call(commands, spec, "1", () -> {
                    begun.countDown();
                    new CountDownLatch(1).await();
                    return "never";
                })));
            }
            assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();

            commands.close();

            assertThat(heard(CallEnded.class))
                    .extracting(CallEnded::outcome)
                    .hasSize(5)
                    .containsOnly(CallOutcome.CANCELLED);
            assertThat(commands.droppedEvents()).isZero();
            callers.close();
        }
    }

    @Test
    void a_cancelled_call_is_told_as_such() throws Exception {
        CommandSpec<Call, String> spec = withTemplate().noTimeout().build();
        HeldCall held = new HeldCall();
        try (Commands commands = Way.QUEUED.with(heard::add).build()) {
            CompletableFuture<String> future = new Call(commands, spec, "1", held).queue();
            held.untilStarted(1);

            future.cancel(true);
            held.untilInterrupted();
            held.letGo();
        }

        assertThat(heard(StageEnded.class)).extracting(StageEnded::reason).containsExactly(StageReason.CANCELLED);
        CallEnded ended = heard(CallEnded.class).get(0);
        assertThat(ended.outcome()).isEqualTo(CallOutcome.CANCELLED);
        assertThat(ended.source()).isNull();
        assertThat(ended.age()).isNull();
        assertThat(ended.cause())
                .isInstanceOfSatisfying(
                        NoAnswerException.class,
                        cause -> assertThat(cause.reason()).isEqualTo(StageReason.CANCELLED));
    }

    @Test
    void nothing_comes_between_the_events_of_a_run_and_none_is_lost() throws Exception {
        int callers = 4;
        int calls = 500;
        CommandSpec<Call, String> spec = withTemplate().semaphore(callers).build();
        Queue<CommandEvent> second = new ConcurrentLinkedQueue<>();
        Commands commands = Way.QUEUED
                .with(heard::add)
                .listener(second::add)
                .eventQueue(2 * callers * calls) // the breaker has something to tell, too
                .closeGrace(Duration.ofSeconds(20))
                .build();
        try (Callers threads = new Callers()) {
            for (int caller = 0; caller < callers; caller++) {
                var unused = threads.start(() -> {
                    for (int call = 0; call < calls; call++) {
                        failing(commands, spec).execute();
                    }
                    return true;
                });
            }
        }
        commands.close();

        assertThat(commands.droppedEvents()).isZero();
        List<CommandEvent> runs = heard.stream()
                .filter(event -> !(event instanceof CircuitChanged))
                .toList();
        assertThat(runs).hasSize(callers * calls * 3);
        for (int at = 0; at < runs.size(); at += 3) {
            StageEnded primary = (StageEnded) runs.get(at);
            StageEnded template = (StageEnded) runs.get(at + 1);
            CallEnded end = (CallEnded) runs.get(at + 2);
            assertThat(primary.kind()).isEqualTo(Source.PRIMARY);
            assertThat(template.kind()).isEqualTo(Source.STATIC);
            assertThat(List.of(primary.callId(), template.callId())).containsOnly(end.callId());
        }
        assertThat(second).containsExactlyElementsOf(heard);
    }

    @ParameterizedTest
    @EnumSource
    void an_inline_listener_has_heard_of_a_call_before_its_caller_has_the_answer(EntryPoint entry) throws Exception {
        CommandSpec<Call, String> spec = withTemplate().build();
        try (Commands commands = Way.INLINE.with(heard::add).build()) {
            for (int call = 1; call <= 10; call++) {
                assertThat(entry.run(failing(commands, spec))).isEqualTo("template");

                assertThat(heard).hasSize(call * 3);
            }
        }
    }

    @Test
    void the_delay_of_an_inline_listener_is_the_calls_and_no_limit_ends_it() {
        CommandSpec<Call, String> spec =
                withTemplate().timeout(Duration.ofMillis(1)).build();
        try (Commands commands = Way.INLINE
                .with(event -> ticker.advance(Duration.ofHours(1)))
                .ticker(ticker)
                .build()) {
            long before = ticker.nanos();

            CommandResult<String> result = new Call(commands, spec, "1", () -> "live").executeForResult();

            assertThat(result.source()).isEqualTo(Source.PRIMARY);
            assertThat(ticker.nanos() - before)
                    .as("a stage and the call were told")
                    .isEqualTo(Duration.ofHours(2).toNanos());
        }
    }

    @Test
    void a_primary_that_is_tried_again_is_one_stage_with_the_attempt_that_stands() {
        AtomicInteger attempts = new AtomicInteger();
        CommandSpec<Call, String> spec = withTemplate()
                .semaphore()
                .repeatable()
                .retry(retry -> retry.attempts(3)
                        .backoff(Duration.ofNanos(1), Duration.ofNanos(1))
                        .budget(100, 1000))
                .build();
        try (Commands commands = Way.QUEUED.with(heard::add).build()) {
            var unused = new Call(commands, spec, "1", () -> {
                        throw new IOException("attempt " + attempts.incrementAndGet());
                    })
                    .execute();
        }

        assertThat(attempts).hasValue(3);
        assertThat(heard(StageEnded.class)).extracting(StageEnded::kind).containsExactly(Source.PRIMARY, Source.STATIC);
        assertThat(heard(StageEnded.class).get(0).failure()).hasMessage("attempt 3");
    }

    @DisplayName("A container that closes waits for a run that is counted and not told yet")
    @Test
    void a_run_that_ends_while_its_container_closes_is_told_as_well() throws Exception {
        CommandSpec<Call, String> spec = withTemplate().semaphore().build();
        Commands[] own = new Commands[1];
        Callers closers = new Callers();
        Thread[] closer = new Thread[1];
        Commands commands = Way.QUEUED
                .with(heard::add)
                .observe(command -> new WhenCounted(() -> {
                    var unused = closers.start(() -> {
                        closer[0] = Thread.currentThread();
                        own[0].close();
                        return true;
                    });
                    await().until(() -> own[0].isClosed()
                            && Set.of(Thread.State.TIMED_WAITING, Thread.State.TERMINATED)
                                    .contains(closer[0].getState()));
                }))
                .closeGrace(Duration.ofSeconds(20))
                .build();
        own[0] = commands;

        assertThat(new Call(commands, spec, "1", () -> "live").execute()).isEqualTo("live");
        closers.close();

        assertThat(heard).hasSize(2);
        assertThat(commands.droppedEvents()).isZero();
    }

    /** Does something between the moment a run is counted and the one it is told of. */
    private record WhenCounted(Runnable work) implements RunObserver.ObservedRun {

        @Override
        public Runnable install() {
            return () -> {};
        }

        @Override
        public void stageEnded(StageEnded stage) {}

        @Override
        public void ended(CallEnded call) {
            work.run();
        }
    }

    @ParameterizedTest
    @EnumSource
    void each_move_of_a_breaker_is_told_when_it_happens_with_the_reason_it_explains(Way way) {
        CommandSpec<Call, String> spec = tripping();
        List<String> explained = new ArrayList<>();
        try (Commands commands = way.with(heard::add).ticker(ticker).build()) {
            commands.register(spec);
            var circuit = commands.circuit("Call");

            failing(commands, spec).execute();
            explained.add(circuit.explain().why());
            ticker.advance(Duration.ofSeconds(5));
            assertThat(circuit.explain().state()).as("read, not moved").isEqualTo(CircuitState.HALF_OPEN);
            explained.add("open time over, probes decide");
            new Call(commands, spec, "1", () -> "live").execute();
            explained.add(circuit.explain().why());
            circuit.forceOpen("ann");
            explained.add(circuit.explain().why());
            circuit.forceClosed("ben");
            explained.add(circuit.explain().why());
            circuit.release("cay");
            explained.add(circuit.explain().why());
        }

        List<CircuitChanged> moves = heard(CircuitChanged.class);
        assertThat(moves)
                .extracting(move -> move.from() + " " + move.to() + " " + move.byHand())
                .containsExactly(
                        "CLOSED OPEN false",
                        "OPEN HALF_OPEN false",
                        "HALF_OPEN RAMPING false",
                        "RAMPING FORCED_OPEN true",
                        "FORCED_OPEN FORCED_CLOSED true",
                        "FORCED_CLOSED CLOSED true");
        assertThat(moves).extracting(CircuitChanged::why).containsExactlyElementsOf(explained);
        assertThat(moves)
                .allMatch(move -> move.stage().equals("primary")
                        && move.command().equals(spec.settings().key()));
        assertThat(heard.iterator().next())
                .as("before the end of the run that has caused it")
                .isSameAs(moves.get(0));
    }

    // ---- under which context ----

    @DisplayName(
            "B80, B130, B132: a listener hears trigger and cause under the context of the call, whatever the trouble")
    @ParameterizedTest
    @EnumSource(Trouble.class)
    void listeners_hear_under_the_context_of_the_call(Trouble trouble) throws Exception {
        ThreadLocal<String> user = new ThreadLocal<>();
        CommandSpec<Call, String> spec = trouble.declared()
                .fallback(chain -> chain.template(StaticTemplate.of("last", "template")))
                .build();
        Queue<String> users = new ConcurrentLinkedQueue<>();
        Queue<Deadline> deadlines = new ConcurrentLinkedQueue<>();
        CommandListener listener = event -> {
            heard.add(event);
            if (!(event instanceof CircuitChanged)) {
                users.add(String.valueOf(user.get()));
                deadlines.add(Deadline.current());
            } else {
                users.add("breaker of " + user.get());
            }
        };
        CommandResult<String> last;
        try (Commands commands =
                Way.QUEUED.with(listener).ticker(ticker).carry(carrying(user)).build()) {
            user.set("ann");
            last = trouble.provoke(commands, ticker, spec, Call::executeForResult);
        } finally {
            user.remove();
        }

        assertThat(users).isSubsetOf("ann", "breaker of null").contains("ann");
        assertThat(deadlines).containsOnly(Deadline.NONE);
        List<CallEnded> ended = heard(CallEnded.class).stream()
                .filter(call -> call.trigger() == trouble.trigger())
                .toList();
        CallEnded troubled = ended.get(ended.size() - 1);
        assertThat(troubled.cause()).isNotNull();
        assertThat(last).isNotNull();
        assertThat(troubled.callId()).isEqualTo(last.callId());
        assertThat(troubled.cause()).isSameAs(last.cause().orElseThrow());
    }

    private static ContextCarrier carrying(ThreadLocal<String> user) {
        return () -> {
            String mine = user.get();
            return () -> {
                set(user, mine);
                return user::remove;
            };
        };
    }

    @Test
    void a_listener_hears_under_what_the_caller_had_when_the_call_began_whatever_its_body_left() {
        ThreadLocal<String> user = new ThreadLocal<>();
        Queue<String> users = new ConcurrentLinkedQueue<>();
        try (Commands commands = Way.QUEUED
                .with(event -> users.add(String.valueOf(user.get())))
                .carry(carrying(user))
                .build()) {
            user.set("ann");
            CommandSpec<Call, String> spec = Call.declared().semaphore().build();

            var unused = new Call(commands, spec, "1", () -> {
                        user.set("left by the body");
                        return "live";
                    })
                    .execute();
        } finally {
            user.remove();
        }

        assertThat(users).containsExactly("ann", "ann");
    }

    private static void set(ThreadLocal<String> local, @Nullable String value) {
        if (value == null) {
            local.remove();
        } else {
            local.set(value);
        }
    }

    @Test
    void a_check_that_an_inline_listener_makes_in_vain_is_not_that_of_the_body_around() {
        CommandSpec<Call, String> outer =
                withTemplate().semaphore().name("Outer").build();
        CommandSpec<Call, String> inner =
                Call.declared().semaphore().name("Inner").build();
        CommandSpec<Call, String> check =
                Call.declared().semaphore().name("Check").failClosed().build();
        Commands[] own = new Commands[1];
        try (Commands commands = Way.INLINE
                .with(event -> {
                    if (event instanceof CallEnded call && call.command().name().equals("Inner")) {
                        failing(own[0], check).execute();
                    }
                })
                .build()) {
            own[0] = commands;

            String answer = new Call(commands, outer, "1", () -> {
                        new Call(commands, inner, "1", () -> "live").execute();
                        throw new IOException("of the body itself");
                    })
                    .execute();

            assertThat(answer).isEqualTo("template");
            assertThat(commands.listenerMistakes()).isEqualTo(1);
        }
    }

    // ---- guests ----

    @DisplayName("B57: a listener that calls the same command, told of its breaker or of its calls, blocks neither")
    @ParameterizedTest
    @EnumSource
    void a_listener_may_call_the_command_that_it_hears_of(Way way) {
        CommandSpec<Call, String> spec = tripping();
        Queue<CommandResult<String>> nested = new ConcurrentLinkedQueue<>();
        AtomicInteger calls = new AtomicInteger();
        Commands[] own = new Commands[1];
        try (Commands commands = way.with(event -> {
                    boolean first = !(event instanceof StageEnded) && calls.incrementAndGet() <= 2;
                    if (first) {
                        nested.add(new Call(own[0], spec, "2", () -> "live").executeForResult());
                    }
                })
                .build()) {
            own[0] = commands;

            assertThat(failing(commands, spec).execute()).isEqualTo("template");
            await().until(() -> nested.size() == 2); // before the close, which lets no call in
        }

        assertThat(nested)
                .extracting(CommandResult::trigger)
                .containsExactly(Trigger.SHORT_CIRCUITED, Trigger.SHORT_CIRCUITED);
    }

    @DisplayName("B51: while a listener blocks, calls end at their limits; what does not fit is dropped and counted")
    @Test
    void a_listener_that_blocks_holds_up_no_call_and_no_close() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        CommandListener blocking = event -> {
            heard.add(event);
            entered.countDown();
            try {
                never.await();
            } catch (InterruptedException closing) {
                throw new IllegalStateException(closing);
            }
        };
        CommandSpec<Call, String> spec = withTemplate()
                .threadPool(pool -> pool.named("listener-pool").size(4).queue(196))
                .timeout(Duration.ofMillis(50))
                .noCircuitBreaker()
                .build();
        Commands commands = Way.QUEUED
                .with(blocking)
                .eventQueue(5)
                .closeGrace(Duration.ofMillis(200))
                .build();
        CommandSpec<Call, String> first =
                Call.declared().name("First").semaphore().build();
        new Call(commands, first, "1", () -> "live").execute(); // a stage and a call
        entered.await();

        List<CompletableFuture<String>> futures = new ArrayList<>();
        for (int call = 0; call < 200; call++) {
            futures.add(new Call(commands, spec, "1", () -> {
                        never.await();
                        return "never";
                    })
                    .queue());
        }
        for (CompletableFuture<String> future : futures) {
            assertThat(future.get(10, TimeUnit.SECONDS)).isEqualTo("template");
        }
        assertThat(commands.droppedEvents()).isEqualTo((200 - 5) * 3);
        commands.close();

        LibraryThreads.assertThatAllEnd("listener");
        assertThat(heard).as("the first event of the first call").hasSize(1);
        assertThat(commands.droppedEvents()).isEqualTo(200 * 3 + 1);
        assertThat(commands.listenerMistakes()).isEqualTo(1);
    }

    @Test
    void a_listener_that_ignores_interrupts_holds_up_no_close_either() throws Exception {
        LibraryThreads.assertThatAllEnd("listener"); // those of other tests, which end a moment after their close
        HeldCall held = new HeldCall();
        Commands commands = Way.QUEUED
                .with(event -> held.call())
                .closeGrace(Duration.ofMillis(50))
                .build();
        CommandSpec<Call, String> spec = Call.declared().semaphore().build();
        new Call(commands, spec, "1", () -> "live").execute();
        held.untilStarted(1);

        commands.close();

        held.untilInterrupted();
        List<Thread> left = LibraryThreads.of("listener");
        held.letGo();
        assertThat(left).contains(held.thread()); // and maybe the one that has interrupted it
        LibraryThreads.assertThatAllEnd("listener");
        assertThat(commands.droppedEvents()).isEqualTo(1);
    }

    @Test
    void the_queue_holds_4096_runs_unless_it_is_told_otherwise() throws Exception {
        HeldCall held = new HeldCall();
        CommandSpec<Call, String> spec = Call.declared().semaphore().build();
        try (Commands commands = Way.QUEUED.with(event -> held.call()).build()) {
            new Call(commands, spec, "1", () -> "live").execute();
            held.untilStarted(1);

            for (int call = 0; call < 4_096; call++) {
                new Call(commands, spec, "1", () -> "live").execute();
            }
            assertThat(commands.droppedEvents()).isZero();
            new Call(commands, spec, "1", () -> "live").execute();

            assertThat(commands.droppedEvents()).as("a stage and its call").isEqualTo(2);
            held.letGo();
        }
    }

    @Test
    void a_queue_that_holds_nothing_is_refused() {
        assertThatThrownBy(() -> Commands.builder().eventQueue(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("eventQueue must be positive, was 0");
    }

    @ParameterizedTest
    @EnumSource
    void what_a_listener_throws_is_counted_and_the_others_hear_all_the_same(Way way) {
        CommandListener throwing = event -> {
            throw new AssertionError("a mistake");
        };
        CommandListener hearing = heard::add;
        CommandSpec<Call, String> spec = withTemplate().semaphore().build();
        Commands.Builder builder = way.with(throwing);
        Commands commands = (way == Way.QUEUED ? builder.listener(hearing) : builder.inlineListener(hearing)).build();
        try (commands) {
            assertThat(new Call(commands, spec, "1", () -> "live").execute()).isEqualTo("live");
            assertThat(failing(commands, spec).execute()).isEqualTo("template");
        }

        assertThat(heard).hasSize(5);
        assertThat(commands.listenerMistakes()).isEqualTo(5);
        assertThat(commands.droppedEvents()).isZero();
    }

    @Test
    void the_thread_begins_with_the_first_event_and_a_listener_may_close_its_container() throws Exception {
        LibraryThreads.assertThatAllEnd("listener");
        Commands[] own = new Commands[1];
        CountDownLatch closed = new CountDownLatch(1);
        Commands commands = Way.QUEUED
                .with(event -> {
                    heard.add(event);
                    own[0].close();
                    closed.countDown();
                })
                .closeGrace(Duration.ofHours(1))
                .build();
        own[0] = commands;
        CommandSpec<Call, String> spec = withTemplate().semaphore().build();
        commands.register(spec);
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("degradable-listener-listener");

        failing(commands, spec).execute();
        closed.await();
        commands.close();

        LibraryThreads.assertThatAllEnd("listener");
        assertThat(heard).as("also those after the close").hasSize(3);
    }
}
