package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.degradable.cache.CacheSpec;
import io.degradable.event.ContextCarrier;
import io.degradable.event.ContextCarrier.Captured;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import io.degradable.time.Deadline;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What belongs to the calling thread is there wherever a run works for it, and nowhere after. */
@Timeout(30)
final class ContextTest {

    private static final ThreadLocal<String> USER = new ThreadLocal<>();
    private static final List<String> USERS = List.of("ann", "ben");
    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");

    private final AtomicInteger captures = new AtomicInteger();
    private final Queue<String> seen = new ConcurrentLinkedQueue<>();
    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands =
            Commands.builder().ticker(ticker).carry(this::user).build();

    @AfterEach
    void close() {
        USER.remove();
        commands.close();
    }

    /** Takes the user along; where there is none, nothing is installed, so what a thread still has is seen. */
    private @Nullable Captured user() {
        captures.incrementAndGet();
        String user = USER.get();
        if (user == null) {
            return null;
        }
        return () -> {
            String before = USER.get();
            set(user);
            return () -> set(before);
        };
    }

    private static void set(@Nullable String user) {
        if (user == null) {
            USER.remove();
        } else {
            USER.set(user);
        }
    }

    private void see(String where) {
        seen.add(where + " " + USER.get());
    }

    /** A primary, a spare, a cache and a template, all of which look who the user is and do not answer, but for the last. */
    private CommandSpec<Call, String> looking() {
        return Call.declared()
                .threadPool(pool -> pool.named("one").size(1))
                .fallbackOn(failure -> {
                    see("predicate");
                    return true;
                })
                .fallback(chain -> chain.spareCall(
                                "spare",
                                (call, context) -> {
                                    see("spare");
                                    throw new IOException("down");
                                },
                                stage -> stage.threadPool(
                                        pool -> pool.named("two").size(1)))
                        .cached(
                                COPIES,
                                call -> {
                                    see("key");
                                    return call.id;
                                },
                                Duration.ofMinutes(1))
                        .template(StaticTemplate.of("last", "template"), (value, call) -> {
                            see("fill");
                            return value;
                        }))
                .build();
    }

    private Call call(Commands in, CommandSpec<Call, String> spec) {
        return new Call(in, spec, "1", () -> {
            see("primary");
            throw new IOException("down");
        });
    }

    @DisplayName(
            "B130: body, predicate, spare, key, fill and listeners see what their caller had, and no thread keeps it")
    @ParameterizedTest
    @EnumSource
    void each_stage_of_a_run_sees_what_its_caller_had_and_the_next_run_what_its_own_caller_had(EntryPoint entry)
            throws Exception {
        CommandSpec<Call, String> spec = looking();
        Queue<String> heardQueued = new ConcurrentLinkedQueue<>();
        Queue<String> heardInline = new ConcurrentLinkedQueue<>();
        try (Commands told = Commands.builder()
                .ticker(ticker)
                .carry(this::user)
                .listener(event -> heardQueued.add(String.valueOf(USER.get())))
                .inlineListener(event -> heardInline.add(String.valueOf(USER.get())))
                .build()) {
            for (String user : USERS) {
                USER.set(user);
                assertThat(entry.run(call(told, spec))).isEqualTo("template");
            }
            USER.remove();
            assertThat(entry.run(call(told, spec))).isEqualTo("template");
        }

        List<String> places = List.of("primary", "predicate", "spare", "predicate", "key", "fill");
        assertThat(seen)
                .containsExactlyElementsOf(eachOf(user -> places.stream().map(place -> place + " " + user)));
        assertThat(captures).as("once for each run").hasValue(3);
        List<String> told = eachOf(user -> Stream.generate(() -> user).limit(4 + 1));
        assertThat(heardQueued).containsExactlyElementsOf(told);
        assertThat(heardInline).containsExactlyElementsOf(told);
    }

    /** What is seen of the two users, and then of nobody. */
    private static List<String> eachOf(Function<String, Stream<String>> seen) {
        return Stream.concat(USERS.stream(), Stream.of("null")).flatMap(seen).toList();
    }

    /** Every trouble, through every way to run a command. */
    static Stream<Arguments> troubles() {
        return Stream.of(Trouble.values())
                .flatMap(trouble -> Stream.of(EntryPoint.values()).map(entry -> arguments(trouble, entry)));
    }

    @DisplayName("B132: whatever the trouble, the stages see the context of the call")
    @ParameterizedTest
    @MethodSource("troubles")
    void stages_see_the_context_of_the_call_whatever_brought_them_in(Trouble trouble, EntryPoint entry)
            throws Exception {
        CommandSpec<Call, String> spec = trouble.declared()
                .fallback(chain -> chain.spareCall("spare", (call, context) -> {
                            see("spare");
                            throw new IOException("down");
                        })
                        .template(StaticTemplate.of("last", "template"), (value, call) -> {
                            see("fill");
                            return value;
                        }))
                .build();
        USER.set("ann");

        assertThat(trouble.provoke(commands, ticker, spec, entry::run)).isEqualTo("template");

        boolean asksSpare =
                trouble == Trouble.FAILURE || trouble == Trouble.TIMEOUT || trouble == Trouble.SHORT_CIRCUITED;
        assertThat(seen).contains("fill ann").allMatch(one -> one.endsWith(" ann"));
        assertThat(seen.contains("spare ann")).isEqualTo(asksSpare);
    }

    /** What depends on a run, hung on before it begins or while it is under way. */
    private enum Dependent {
        OF_QUEUE {
            @Override
            CompletableFuture<?> hangOn(Call call, Runnable look) {
                return call.queue().whenComplete((answer, failure) -> look.run());
            }
        },
        OF_QUEUE_FOR_RESULT {
            @Override
            CompletableFuture<?> hangOn(Call call, Runnable look) {
                return call.queueForResult().whenComplete((answer, failure) -> look.run());
            }
        },
        OF_TO_MAYBE {
            @Override
            CompletableFuture<?> hangOn(Call call, Runnable look) {
                return future(call.toMaybe().doOnEvent((answer, failure) -> look.run()));
            }
        },
        OF_OBSERVE {
            @Override
            CompletableFuture<?> hangOn(Call call, Runnable look) {
                return future(call.observe().doOnEvent((answer, failure) -> look.run()));
            }
        },
        OF_TO_RESULT_SINGLE {
            @Override
            CompletableFuture<?> hangOn(Call call, Runnable look) {
                return future(call.toResultSingle().toMaybe().doOnEvent((answer, failure) -> look.run()));
            }
        };

        abstract CompletableFuture<?> hangOn(Call call, Runnable look);

        private static <T> CompletableFuture<T> future(Maybe<T> source) {
            return source.toCompletionStage().toCompletableFuture();
        }
    }

    /** Every trouble, seen by everything that depends on a run. */
    static Stream<Arguments> troublesOfDependents() {
        return Stream.of(Trouble.values())
                .flatMap(trouble -> Stream.of(Dependent.values()).map(dependent -> arguments(trouble, dependent)));
    }

    @DisplayName(
            "B132: whatever the trouble, what depends on the run sees the context of the call, with an answer or none")
    @ParameterizedTest
    @MethodSource("troublesOfDependents")
    void dependents_see_the_context_of_the_call_whatever_its_trouble(Trouble trouble, Dependent dependent)
            throws Exception {
        CommandSpec<Call, String> answered = trouble.declared()
                .name("Answered")
                .fallback(chain -> chain.template(StaticTemplate.of("last", "template")))
                .build();
        CommandSpec<Call, String> thrown = trouble.declared().name("Thrown").build();

        for (CommandSpec<Call, String> spec : List.of(answered, thrown)) {
            seen.clear();
            USER.set("ann");

            var unused = trouble.provoke(
                    commands,
                    ticker,
                    spec,
                    call -> dependent
                            .hangOn(call, () -> see("dependent"))
                            .handle((answer, failure) -> failure == null)
                            .get());

            assertThat(seen).as(spec.name()).containsExactly("dependent ann");
        }
    }

    @DisplayName(
            "B132: a dependent sees the context of the call where the run completes it, and else that of its thread")
    @ParameterizedTest
    @EnumSource
    void dependents_see_the_context_of_the_run_that_completes_them(Dependent dependent) throws Exception {
        HeldCall held = new HeldCall();
        Thread caller = Thread.currentThread();
        Queue<Thread> threads = new ConcurrentLinkedQueue<>();
        CommandSpec<Call, String> spec =
                Call.declared().threadPool(pool -> pool.named("one").size(1)).build();
        USER.set("ann");
        CompletableFuture<?> hungOn = dependent.hangOn(new Call(commands, spec, "1", held), () -> {
            threads.add(Thread.currentThread());
            see("dependent");
        });
        held.untilStarted(1);

        USER.set("ben");
        held.letGo();
        var unused = hungOn.get();
        var late = hungOn.thenRun(() -> see("late"));

        assertThat(late).isCompleted();
        assertThat(seen).containsExactly("dependent ann", "late ben");
        assertThat(threads).doesNotContain(caller);
    }

    @Test
    void dependents_of_a_future_that_somebody_else_completes_are_his() throws Exception {
        HeldCall held = new HeldCall();
        CommandSpec<Call, String> spec =
                Call.declared().threadPool(pool -> pool.named("one").size(1)).build();
        USER.set("ann");
        CompletableFuture<String> future = new Call(commands, spec, "1", held).queue();
        CompletableFuture<Void> dependent =
                future.handle((answer, failure) -> null).thenRun(() -> see("dependent"));
        held.untilStarted(1);

        USER.set("ben");
        future.cancel(true);
        held.letGo();

        assertThat(dependent).isCompleted();
        assertThat(seen).containsExactly("dependent ben");
    }

    @Test
    void a_cold_source_takes_along_what_its_subscriber_has() {
        CommandSpec<Call, String> spec =
                Call.declared().threadPool(pool -> pool.named("one").size(3)).build();
        Call call = new Call(commands, spec, "1", () -> "of " + USER.get());
        USER.set("ann");
        Maybe<String> cold = call.toMaybe();
        Maybe<String> hot = call.observe();

        USER.set("ben");

        assertThat(cold.blockingGet()).isEqualTo("of ben");
        assertThat(hot.blockingGet()).isEqualTo("of ann");
        assertThat(cold.subscribeOn(Schedulers.io()).blockingGet()).isEqualTo("of null");
    }

    @Test
    void a_run_that_stays_on_its_callers_thread_captures_nothing() {
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore()
                .fallback(chain -> chain.template(StaticTemplate.of("last", "template")))
                .build();

        assertThat(call(commands, spec).execute()).isEqualTo("template");

        assertThat(captures).hasValue(0);
    }

    @Test
    void bodies_have_the_class_loader_of_their_caller_and_workers_keep_none() throws Exception {
        CommandSpec<Call, String> spec =
                Call.declared().threadPool(pool -> pool.named("one").size(1)).build();
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader application = new URLClassLoader(new URL[0], before)) {
            Thread[] worker = new Thread[1];
            Call loading = new Call(commands, spec, "1", () -> {
                worker[0] = Thread.currentThread();
                return "same " + (Thread.currentThread().getContextClassLoader() == application);
            });
            Thread.currentThread().setContextClassLoader(application);
            try {
                assertThat(loading.execute()).isEqualTo("same true");
            } finally {
                Thread.currentThread().setContextClassLoader(before);
            }

            assertThat(new Call(commands, spec, "2", () -> "after").execute()).isEqualTo("after");
            assertThat(worker[0].getContextClassLoader())
                    .as("or it would hold the application for as long as it lives")
                    .isNull();
        }
    }

    @Test
    void what_is_inheritable_is_not_inherited_and_a_thread_of_the_body_has_nothing() throws Exception {
        InheritableThreadLocal<String> inheritable = new InheritableThreadLocal<>();
        CommandSpec<Call, String> spec = looking();
        Queue<String> inherited = new ConcurrentLinkedQueue<>();
        Runnable look = () -> inherited.add(
                Thread.currentThread().getName().replaceAll("-[0-9]+$", "") + " has " + inheritable.get());
        Deadline[] ofThread = new Deadline[1];
        inheritable.set("something");
        try (Commands fresh = Commands.builder()
                .name("inherits")
                .ticker(ticker)
                .listener(event -> look.run())
                .build()) {
            CommandSpec<Call, String> counted =
                    Call.declared().name("Counted").semaphore().build();
            assertThat(new Call(fresh, counted, "1", () -> "the listener's thread is made by this one").execute())
                    .isNotNull();
            var unused = new Call(fresh, spec, "1", () -> {
                        look.run();
                        Thread own = new Thread(() -> ofThread[0] = Deadline.current());
                        own.start();
                        own.join();
                        throw new IOException("down");
                    })
                    .queue()
                    .whenComplete((answer, failure) -> look.run())
                    .get();
        } finally {
            inheritable.remove();
        }

        assertThat(inherited)
                .contains("degradable-one has null", "degradable-inherits-listener has null")
                .allMatch(found -> found.endsWith(" has null")
                        || found.startsWith(Thread.currentThread().getName()));
        assertThat(ofThread[0]).isSameAs(Deadline.NONE);
    }

    private static ContextCarrier throwingAt(String moment) {
        return () -> {
            failIf(moment.equals("capture"));
            return () -> {
                failIf(moment.equals("install"));
                return () -> failIf(true);
            };
        };
    }

    private static void failIf(boolean now) {
        if (now) {
            throw new IllegalStateException("a mistake");
        }
    }

    @DisplayName("A carrier that throws is counted, and neither the call nor the other carriers hear of it")
    @ParameterizedTest
    @ValueSource(strings = {"capture", "install", "end"})
    void a_carrier_that_throws_changes_no_call(String moment) {
        try (Commands careless = Commands.builder()
                .carry(throwingAt(moment))
                .carry(this::user)
                .carry(throwingAt(moment))
                .build()) {
            CommandSpec<Call, String> spec = Call.declared()
                    .threadPool(pool -> pool.named("one").size(1))
                    .build();
            USER.set("ann");

            for (int call = 0; call < 2; call++) {
                assertThat(new Call(careless, spec, "1", () -> "of " + USER.get()).execute())
                        .isEqualTo("of ann");
            }

            USER.remove();
            assertThat(new Call(careless, spec, "1", () -> "of " + USER.get()).execute())
                    .isEqualTo("of null");
            assertThat(List.copyOf(careless.commands()).get(0).stages().get(0).userMistakes())
                    .isEqualTo(6);
        }
    }
}
