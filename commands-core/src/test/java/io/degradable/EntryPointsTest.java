package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.degradable.cache.CacheSpec;
import io.degradable.model.BadRequestException;
import io.degradable.model.CommandException;
import io.degradable.model.EventType;
import io.degradable.model.StageReason;
import io.degradable.state.CommandView;
import io.degradable.template.StaticTemplate;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One set of rules behind all entry points: the same trouble gives the same answer, the same exception, the same counts. */
@Timeout(60)
final class EntryPointsTest {

    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");

    /** What a user and an operator see of one call. */
    private record Seen(
            @Nullable String answer,
            @Nullable String failure,
            Map<EventType, Long> events,
            List<StageReason> reasons) {}

    /** A trouble: the body of a call, under a spec. */
    private record Trouble(
            String name,
            Function<CommandSpec.Builder<Call, String>, CommandSpec<Call, String>> spec,
            Callable<String> body) {

        @Override
        public String toString() {
            return name;
        }
    }

    private static CommandSpec<Call, String> full(CommandSpec.Builder<Call, String> builder) {
        return builder.fallback(chain -> chain.spareCall("second", (call, context) -> {
                            throw new IOException("second is down, too");
                        })
                        .cached(COPIES, call -> call.id, Duration.ofMinutes(1))
                        .template(StaticTemplate.of("last", "template")))
                .build();
    }

    private static String fail(Exception failure) throws Exception {
        throw failure;
    }

    private static String hang() throws InterruptedException {
        new CountDownLatch(1).await();
        return "never";
    }

    static Stream<Arguments> troublesOnEveryBulkhead() {
        List<Trouble> troubles = List.of(
                new Trouble("success", EntryPointsTest::full, () -> "live"),
                new Trouble("failure", EntryPointsTest::full, () -> fail(new IOException("down"))),
                new Trouble("failure without a chain", CommandSpec.Builder::build, () -> fail(new IOException("down"))),
                new Trouble("bad request", EntryPointsTest::full, () -> fail(new BadRequestException("wrong"))),
                new Trouble("error", EntryPointsTest::full, () -> {
                    throw new AssertionError("bug");
                }),
                new Trouble(
                        "overload",
                        builder -> full(builder.overloaded(failure -> failure instanceof IOException)),
                        () -> fail(new IOException("429"))),
                new Trouble(
                        "unclassed",
                        builder -> full(builder.fallbackOn(failure -> failure instanceof FileNotFoundException)),
                        () -> fail(new IllegalStateException("403"))),
                new Trouble(
                        "failing template",
                        builder -> builder.fallback(
                                        chain -> chain.template(StaticTemplate.of("last", "x"), (template, call) -> {
                                            throw new IllegalStateException("fill");
                                        }))
                                .build(),
                        () -> fail(new IOException("down"))),
                new Trouble(
                        "spare says bad request",
                        builder -> builder.fallback(chain -> chain.spareCall(
                                        "second", (call, context) -> fail(new BadRequestException("nor here"))))
                                .build(),
                        () -> fail(new IOException("down"))),
                new Trouble(
                        "breaker opens at once",
                        builder -> full(builder.circuitBreaker(breaker -> breaker.requestVolumeThreshold(1))),
                        () -> fail(new IOException("down"))));
        List<Arguments> all = new ArrayList<>();
        for (Trouble trouble : troubles) {
            all.add(Arguments.of(trouble, "pool"));
            all.add(Arguments.of(trouble, "semaphore"));
        }
        all.add(Arguments.of(
                new Trouble("timeout", builder -> full(builder.timeout(Duration.ofMillis(30))), EntryPointsTest::hang),
                "pool"));
        return all.stream();
    }

    private static Seen see(EntryPoint entry, Trouble trouble, String bulkhead) throws Exception {
        try (Commands commands = Commands.create()) {
            CommandSpec.Builder<Call, String> builder = Call.declared();
            CommandSpec<Call, String> spec = trouble.spec.apply(
                    bulkhead.equals("pool") ? builder.threadPool(pool -> pool.size(2)) : builder.semaphore());
            List<String> answers = new ArrayList<>();
            Throwable thrown = null;
            for (int call = 0;
                    call < 2;
                    call++) { // the second call finds what the first has left: an open breaker, a copy
                thrown = catchThrowable(() -> answers.add(entry.run(new Call(commands, spec, "1", trouble.body))));
            }
            CommandView view = commands.commands().iterator().next();
            Map<EventType, Long> events = new EnumMap<>(EventType.class);
            for (EventType event : EventType.values()) {
                events.put(event, view.events(event));
            }
            List<StageReason> reasons = thrown instanceof CommandException failed
                    ? failed.trail().stream().map(report -> report.reason()).toList()
                    : List.of();
            assertThat(view.received()).isEqualTo(2);
            assertThat(view.inFlight()).isZero();
            return new Seen(String.join(",", answers), thrown == null ? null : describe(thrown), events, reasons);
        }
    }

    /** What the user catches; the id of the call differs from run to run, and so does the time in a message. */
    private static String describe(Throwable thrown) {
        Throwable cause = thrown.getCause();
        return thrown.getClass().getName()
                + (thrown instanceof CommandException ? "" : " " + thrown.getMessage())
                + (cause == null ? "" : " caused by " + cause);
    }

    @ParameterizedTest(name = "{0} on a {1}")
    @MethodSource("troublesOnEveryBulkhead")
    void every_entry_point_gives_the_same(Trouble trouble, String bulkhead) throws Exception {
        Seen byExecute = see(EntryPoint.EXECUTE, trouble, bulkhead);

        for (EntryPoint entry : EntryPoint.values()) {
            assertThat(see(entry, trouble, bulkhead)).as("%s", entry).isEqualTo(byExecute);
        }
    }
}
