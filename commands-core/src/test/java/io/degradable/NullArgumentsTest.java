package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.Codec;
import io.degradable.model.Trigger;
import io.degradable.template.StaticSnapshot;
import io.degradable.template.StaticTemplate;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whoever gives null hears which argument it was, in our words. */
@SuppressWarnings({"NullAway", "FutureReturnValueIgnored"}) // null is what this is about
final class NullArgumentsTest {

    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");
    private static final Duration AN_HOUR = Duration.ofHours(1);
    private static final StaticTemplate<String> LAST = StaticTemplate.of("last", "x");
    private static final StaticSnapshot<String, String> RECORDS = new Records();
    private static final CommandSpec<Call, String> SPARE = Call.declared()
            .name("Spare")
            .threadPool(pool -> pool.named("other"))
            .build();

    private static final class Records implements StaticSnapshot<String, String> {

        @Override
        public String name() {
            return "records";
        }

        @Override
        public Found<String> find(String key) {
            return new Found<>(key, 0);
        }

        @Override
        public View view() {
            return new View(name(), 1, null, 0, 1, 1, 1, 0, null);
        }
    }

    private static Arguments refused(String message, Callable<?> attempt) {
        return Arguments.of(message, attempt);
    }

    private static Arguments container(String message, UnaryOperator<Commands.Builder> setting) {
        return refused(message, () -> setting.apply(Commands.builder()).build());
    }

    private static Arguments spec(String message, UnaryOperator<CommandSpec.Builder<Call, String>> setting) {
        return refused(message, () -> setting.apply(Call.declared()).build());
    }

    private static Arguments chain(
            String message, Function<? super Start<Call, String>, ? extends FallbackSpec<Call, String>> chain) {
        return spec(message, spec -> spec.fallback(chain));
    }

    private static Arguments used(String message, Function<Commands, ?> use) {
        return refused(message, () -> {
            try (Commands commands = Commands.create()) {
                return use.apply(commands);
            }
        });
    }

    private static final class Command extends DegradableCommand<String> {
        Command(CommandSpec<Command, String> spec) {
            super(spec);
        }

        Command(Commands commands, CommandSpec<Command, String> spec) {
            super(commands, spec);
        }

        @Override
        protected String run() {
            return "live";
        }
    }

    static Stream<Arguments> containers() {
        return Stream.of(
                container("container name must be 1 to 120 characters", builder -> builder.name(null)),
                container("ticker must not be null", builder -> builder.ticker(null)),
                container("caches must not be null", builder -> builder.caches(null)),
                refused("codec for the keys of cache copies must not be null", () -> COPIES.stored(null, null)),
                refused("weigher of cache copies must not be null", () -> COPIES.maximumWeight(1, null)),
                refused(
                        "clockSkew of cache copies must not be null",
                        () -> COPIES.stored(Codec.strings(), Codec.strings()).clockSkew(null)),
                container("closeGrace must be positive, was null", builder -> builder.closeGrace(null)),
                container("evictIdleAfter must be positive, was null", builder -> builder.evictIdleAfter(null)),
                container("continuations must not be null", builder -> builder.continuations(null)),
                container("carrier must not be null", builder -> builder.carry(null)),
                spec("retry must not be null", builder -> builder.retry(null)),
                spec(
                        "backoff must not be null",
                        builder -> builder.repeatable().retry(retry -> retry.backoff(null, AN_HOUR))),
                spec(
                        "longest backoff must not be null",
                        builder -> builder.repeatable().retry(retry -> retry.backoff(AN_HOUR, null))),
                spec(
                        "onFailure must not be null",
                        builder -> builder.repeatable().retry(retry -> retry.onFailure(null))),
                container("listener must not be null", builder -> builder.listener(null)),
                container("listener must not be null", builder -> builder.inlineListener(null)),
                used("command must not be null", commands -> commands.execute(null)),
                used("command must not be null", commands -> commands.executeForResult(null)),
                used("command must not be null", commands -> commands.queue(null)),
                used("command must not be null", commands -> commands.queueForResult(null)),
                used("command must not be null", commands -> commands.toMaybe(null)),
                used("command must not be null", commands -> commands.toResultSingle(null)),
                used("command must not be null", commands -> commands.observe(null)),
                used("specs must not be null", commands -> {
                    commands.register((CommandSpec<?, ?>[]) null);
                    return null;
                }),
                used("spec must not be null", commands -> {
                    commands.register(SPARE, null);
                    return null;
                }),
                used("pool must not be null", commands -> {
                    commands.resizePool(null, 1, 1);
                    return null;
                }),
                used("command must not be null", commands -> {
                    commands.resize(null, 1);
                    return null;
                }),
                used("command must not be null", commands -> commands.circuit(null)),
                used("command must not be null", commands -> commands.circuit(null, "primary")),
                used("stage must not be null", commands -> commands.circuit("Call", null)),
                used("spec must not be null", commands -> commands.cache(null)),
                used(
                        "template must not be null",
                        commands -> commands.templates().current(null)),
                used("template must not be null", commands -> {
                    commands.templates().replace(null);
                    return null;
                }),
                used("observer must not be null", commands -> {
                    commands.watch(null);
                    return null;
                }),
                refused("spec must not be null", () -> new Command(null)),
                used("spec must not be null", commands -> new Command(commands, null)),
                refused(
                        "commands must not be null",
                        () -> new Command(
                                null,
                                CommandSpec.of(Command.class).group("test").build())));
    }

    static Stream<Arguments> specs() {
        return Stream.of(
                refused("type must not be null", () -> CommandSpec.of((Class<Call>) null)),
                refused(
                        "command name must be 1 to 120 characters",
                        () -> CommandSpec.<Call, String>named(null)
                                .group("test")
                                .build()),
                spec("command name must be 1 to 120 characters", spec -> spec.name(null)),
                spec("group is missing", spec -> spec.group(null)),
                spec("operationId must not be null", spec -> spec.operationId(null)),
                spec("threadPool must not be null", spec -> spec.threadPool(null)),
                spec("timeout must be positive, was null", spec -> spec.timeout(null)),
                spec("deadline must be positive, was null", spec -> spec.deadline(null)),
                spec("slowCall must not be null", spec -> spec.slowCall(null)),
                spec("boundedBy must not be null", spec -> spec.boundedBy(null)),
                spec("circuitBreaker must not be null", spec -> spec.circuitBreaker(null)),
                spec("ignore must not be null", spec -> spec.ignore(null)),
                spec("fatal must not be null", spec -> spec.fatal(null)),
                spec("overloaded must not be null", spec -> spec.overloaded(null)),
                spec("fallbackOn must not be null", spec -> spec.fallbackOn(null)),
                spec("unknownOn must not be null", spec -> spec.unknownOn(null)),
                spec("fallback must not be null", spec -> spec.fallback(null)),
                spec("threadPool.name must be 1 to 120", spec -> spec.threadPool(pool -> pool.named(null))),
                spec(
                        "threadPool.queueTimeout must be positive, was null",
                        spec -> spec.threadPool(pool -> pool.queue(1).queueTimeout(null))),
                spec(
                        "circuitBreaker.window must be positive, was null",
                        spec -> spec.circuitBreaker(breaker -> breaker.window(null))),
                spec(
                        "circuitBreaker.sleepWindow must not be null",
                        spec -> spec.circuitBreaker(breaker -> breaker.sleepWindow(null))),
                spec(
                        "circuitBreaker.maxSleepWindow must not be null",
                        spec -> spec.circuitBreaker(breaker -> breaker.maxSleepWindow(null))),
                spec(
                        "circuitBreaker.ramp must not be null",
                        spec -> spec.circuitBreaker(breaker -> breaker.ramp(1, (int[]) null))));
    }

    static Stream<Arguments> chains() {
        return Stream.of(
                chain("budget of the chain (within) must be positive, was null", chain -> chain.within(null)),
                chain(
                        "the spec of a spare must not be null",
                        chain -> chain.spare((CommandSpec<Call, String>) null, call -> call)),
                chain("the command of spare Spare must not be null", chain -> chain.spare(SPARE, null)),
                chain("the settings of spare Spare must not be null", chain -> chain.spare(SPARE, call -> call, null)),
                chain(
                        "the spec of a spare must not be null",
                        chain -> chain.spareMapped((CommandSpec<Call, String>) null, call -> call, answer -> answer)),
                chain(
                        "the command of spare Spare must not be null",
                        chain -> chain.spareMapped(SPARE, null, answer -> answer)),
                chain("the map of spare Spare must not be null", chain -> chain.spareMapped(SPARE, call -> call, null)),
                chain(
                        "the settings of spare Spare must not be null",
                        chain -> chain.spareMapped(SPARE, call -> call, answer -> answer, null)),
                chain("stage name must be 1 to 120", chain -> chain.spareCall(null, (call, context) -> "x")),
                chain("the call of spare second must not be null", chain -> chain.spareCall("second", null)),
                chain(
                        "the settings of spare second must not be null",
                        chain -> chain.spareCall("second", (call, context) -> "x", null)),
                chain("the spec of a cache must not be null", chain -> chain.<String>cached(null, call -> "", AN_HOUR)),
                chain(
                        "beforePrimary must not be null",
                        chain -> chain.cached(COPIES, call -> call.id, AN_HOUR, stage -> stage.beforePrimary(null))),
                chain("the key of cache copies must not be null", chain -> chain.cached(COPIES, null, AN_HOUR)),
                chain(
                        "freshness of copies must be positive, was null",
                        chain -> chain.cached(COPIES, call -> call.id, null)),
                chain(
                        "the settings of cache copies must not be null",
                        chain -> chain.cached(COPIES, call -> call.id, AN_HOUR, null)),
                chain("pending must not be null", chain -> chain.pending(null)),
                chain("template must not be null", chain -> chain.template(null)),
                chain("template must not be null", chain -> chain.template(null, stage -> {})),
                chain(
                        "template must not be null",
                        chain -> chain.template((StaticTemplate<String>) null, (value, call) -> value)),
                chain("the fill of template last must not be null", chain -> chain.template(LAST, null, stage -> {})),
                chain(
                        "the settings of template last must not be null",
                        chain -> chain.template(LAST, (value, call) -> value, null)),
                chain(
                        "snapshot must not be null",
                        chain -> chain.template((StaticSnapshot<String, String>) null, call -> call.id, LAST)),
                chain(
                        "the key of snapshot records must not be null",
                        chain -> chain.template(RECORDS, (Function<Call, String>) null, LAST)),
                chain(
                        "the template behind snapshot records must not be null",
                        chain -> chain.template(RECORDS, call -> call.id, null)),
                chain(
                        "the settings of template records must not be null",
                        chain -> chain.template(RECORDS, call -> call.id, LAST, null)),
                stage("trigger must not be null", stage -> stage.on(null)),
                stage("triggers must not be null", stage -> stage.on(Trigger.FAILURE, (Trigger[]) null)),
                stage("trigger must not be null", stage -> stage.on(Trigger.FAILURE, Trigger.TIMEOUT, null)),
                stage("onFailure must not be null", stage -> stage.onFailure(null)),
                stage("threadPool must not be null", stage -> stage.threadPool(null)),
                stage("timeout must not be null", stage -> stage.timeout(null)),
                stage("circuitBreaker must not be null", stage -> stage.circuitBreaker(null)));
    }

    private static Arguments stage(String message, Consumer<StageSpec> setting) {
        return chain(message, chain -> chain.spareCall("second", (call, context) -> "x", setting));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"containers", "specs", "chains"})
    void null_is_refused_by_the_name_of_the_argument(String message, Callable<?> attempt) {
        Throwable refusal = catchThrowable(attempt::call);

        assertThat(refusal).isInstanceOfAny(NullPointerException.class, IllegalArgumentException.class);
        assertThat(refusal.getMessage().replace("command Call: ", "")).startsWith(message);
    }

    @Test
    void of_a_list_with_a_null_in_it_nothing_is_registered() {
        try (Commands commands = Commands.create()) {
            Throwable refusal = catchThrowable(() -> commands.register(SPARE, null));

            assertThat(refusal).isInstanceOf(NullPointerException.class);
            assertThat(commands.commands()).isEmpty();
        }
    }
}
