package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.cache.CacheSpec;
import io.degradable.model.BadRequestException;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.EventType;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.state.CommandView;
import io.degradable.state.StageView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** H7: a spare is a command of its own, always bounded, whose guard its direct users share. */
@Timeout(60)
final class SpareCommandTest {

    private final Commands commands =
            Commands.builder().ticker(new ManualTicker()).build();
    private final Callers callers = new Callers();

    /** The spare's body, as each test needs it. */
    private interface Body {
        String answer(String id) throws Exception;
    }

    private static final class Spare extends DegradableCommand<String> {
        private final Body body;
        private final String id;

        Spare(Commands commands, CommandSpec<Spare, String> spec, Body body, String id) {
            super(commands, spec);
            this.body = body;
            this.id = id;
        }

        @Override
        protected String run() throws Exception {
            return body.answer(id);
        }

        static CommandSpec.Builder<Spare, String> declared() {
            return CommandSpec.of(Spare.class).group("spares");
        }
    }

    @AfterEach
    void close() {
        callers.close();
        commands.close();
    }

    private CommandSpec<Call, String> withSpare(CommandSpec<Spare, String> spare, Body body) {
        return Call.declared()
                .threadPool(pool -> pool.size(8).queue(600))
                .noCircuitBreaker()
                .fallback(chain -> chain.spare(spare, call -> new Spare(commands, spare, body, call.id))
                        .template(StaticTemplate.of("last", "template")))
                .build();
    }

    private Call failing(CommandSpec<Call, String> spec, String id) {
        return new Call(commands, spec, id, () -> {
            throw new IOException("down");
        });
    }

    private CommandView view(String name) {
        return commands.commands().stream()
                .filter(command -> command.key().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void a_spare_command_gets_the_calls_arguments_and_answers_in_its_place() {
        CommandSpec<Spare, String> spare = Spare.declared().build();

        CommandResult<String> result =
                failing(withSpare(spare, id -> "spare " + id), "7").executeForResult();

        assertThat(result.value()).isEqualTo("spare 7");
        assertThat(result.source()).isEqualTo(Source.SPARE);
        assertThat(result.age()).contains(Duration.ZERO);
    }

    @Test
    void its_guard_is_shared_with_direct_users_and_its_calls_are_not() {
        CommandSpec<Spare, String> spare = Spare.declared()
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(2))
                .build();
        Body down = id -> {
            throw new IOException("spare down");
        };
        CommandSpec<Call, String> spec = withSpare(spare, down);

        failing(spec, "1").execute();
        assertThatThrownBy(new Spare(commands, spare, down, "2")::execute).isInstanceOf(CommandException.class);
        CommandResult<String> third = failing(spec, "3").executeForResult();

        assertThat(third.trail())
                .extracting(StageReport::reason)
                .containsExactly(StageReason.EXCEPTION, StageReason.SHORT_CIRCUITED, StageReason.ANSWER);
        assertThat(view("Spare").received()).isEqualTo(1);
        StageView stage = view("Call").stages().get(1);
        assertThat(stage.ended(StageReason.EXCEPTION)).isEqualTo(2);
        assertThat(stage.left(StageReason.EXCEPTION)).isEqualTo(1);
    }

    @Test
    void its_own_chain_and_its_cache_are_not_used() {
        CacheSpec<String, String> copies = CacheSpec.named("copies");
        CommandSpec<Spare, String> spare = Spare.declared()
                .fallback(chain -> chain.cached(copies, command -> command.id, Duration.ofMinutes(1))
                        .template(StaticTemplate.of("of-spare", "the spare's own template")))
                .build();
        CommandSpec<Call, String> spec = withSpare(spare, id -> {
            if (id.equals("bad")) {
                throw new IOException("spare down");
            }
            return "spare " + id;
        });

        assertThat(failing(spec, "good").execute()).isEqualTo("spare good");
        assertThat(failing(spec, "bad").execute()).isEqualTo("template");
        assertThat(commands.cache(copies).size()).isZero();
    }

    @Test
    void a_404_of_the_spare_is_an_answer() {
        CommandSpec<Spare, String> spare = Spare.declared().build();
        CommandSpec<Call, String> spec = withSpare(spare, id -> {
            throw new BadRequestException("no such id");
        });

        assertThatThrownBy(failing(spec, "1")::execute)
                .isInstanceOf(BadRequestException.class)
                .hasMessage("no such id");
        assertThat(view("Call").events(EventType.BAD_REQUEST)).isEqualTo(1);
        assertThat(view("Call").events(EventType.FAILURE)).isEqualTo(1);
        assertThat(view("Call").events(EventType.FALLBACK_FAILURE)).isZero();
    }

    @Test
    void its_answer_can_be_mapped() {
        CommandSpec<Spare, String> spare = Spare.declared().build();
        CommandSpec<Call, String> spec = Call.declared()
                .fallback(chain -> chain.spareMapped(
                        spare, call -> new Spare(commands, spare, id -> "x" + id, call.id), answer -> answer + "!"))
                .build();

        assertThat(failing(spec, "1").execute()).isEqualTo("x1!");
    }

    @Test
    void an_open_spare_creates_no_object() {
        AtomicInteger made = new AtomicInteger();
        CommandSpec<Spare, String> spare = Spare.declared()
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(1))
                .build();
        CommandSpec<Call, String> spec = Call.declared()
                .fallback(chain -> chain.spare(spare, call -> {
                            made.incrementAndGet();
                            throw new IllegalStateException("the factory is broken");
                        })
                        .template(StaticTemplate.of("last", "template")))
                .build();

        failing(spec, "1").execute();
        failing(spec, "2").execute();

        assertThat(made).hasValue(1);
    }

    @Test
    @DisplayName("B77: at total outage a full spare moves on, and everybody gets an answer")
    void at_total_outage_everybody_gets_an_answer_and_the_spare_never_more_than_it_bears() throws Exception {
        AtomicInteger inSpare = new AtomicInteger();
        AtomicInteger mostInSpare = new AtomicInteger();
        CountDownLatch full = new CountDownLatch(4);
        CountDownLatch release = new CountDownLatch(1);
        CommandSpec<Spare, String> spare =
                Spare.declared().threadPool(pool -> pool.size(4)).noTimeout().build();
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore(500)
                .noTimeout()
                .noCircuitBreaker()
                .fallback(chain -> chain.within(Duration.ofMinutes(1))
                        .spare(
                                spare,
                                call -> new Spare(
                                        commands,
                                        spare,
                                        id -> {
                                            mostInSpare.accumulateAndGet(inSpare.incrementAndGet(), Math::max);
                                            full.countDown();
                                            release.await();
                                            inSpare.decrementAndGet();
                                            return "spare";
                                        },
                                        call.id))
                        .template(StaticTemplate.of("last", "template")))
                .build();
        CyclicBarrier start = new CyclicBarrier(500);
        List<FutureTask<CommandResult<String>>> answers = new ArrayList<>();
        for (int caller = 0; caller < 500; caller++) {
            answers.add(callers.start(() -> {
                start.await();
                return failing(spec, "1").executeForResult();
            }));
        }
        full.await();
        List<Source> early = new ArrayList<>();
        for (FutureTask<CommandResult<String>> answer : answers) {
            if (answer.isDone()) {
                early.add(answer.get().source());
            }
        }

        release.countDown();

        assertThat(early).doesNotContain(Source.SPARE);
        List<Source> sources = new ArrayList<>();
        for (FutureTask<CommandResult<String>> answer : answers) {
            sources.add(answer.get().source());
        }
        assertThat(sources).hasSize(500).containsOnly(Source.SPARE, Source.STATIC);
        assertThat(mostInSpare).hasValueLessThanOrEqualTo(4);
        assertThat(view("Call").events(EventType.FALLBACK_SUCCESS)).isEqualTo(500);
        assertThat(view("Call").stages().get(1).left(StageReason.THREAD_POOL_FULL)
                        + view("Call").stages().get(1).left(StageReason.AT_MOST))
                .isEqualTo(sources.stream()
                        .filter(source -> source == Source.STATIC)
                        .count());
    }

    @Test
    void a_quota_bounds_what_the_spare_takes_in_a_second() {
        CommandSpec<Spare, String> spare = Spare.declared().build();
        ManualTicker ticker = new ManualTicker();
        try (Commands timed = Commands.builder().ticker(ticker).build()) {
            CommandSpec<Call, String> spec = Call.declared()
                    .noCircuitBreaker()
                    .fallback(chain -> chain.spare(
                                    spare,
                                    call -> new Spare(timed, spare, id -> "spare", call.id),
                                    entry -> entry.quota(5))
                            .template(StaticTemplate.of("last", "template")))
                    .build();

            List<String> first = answers(timed, spec, 20);
            ticker.advance(Duration.ofSeconds(1));
            List<String> second = answers(timed, spec, 20);

            assertThat(first.stream().filter("spare"::equals)).hasSize(5);
            assertThat(second.stream().filter("spare"::equals)).hasSize(5);
        }
    }

    private List<String> answers(Commands timed, CommandSpec<Call, String> spec, int calls) {
        List<String> answers = new ArrayList<>();
        for (int call = 0; call < calls; call++) {
            answers.add(timed.execute(failing(spec, "1")));
        }
        return answers;
    }
}
