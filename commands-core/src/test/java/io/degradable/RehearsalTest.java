package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.TimedCache;
import io.degradable.cache.Timestamped;
import io.degradable.model.EventType;
import io.degradable.model.StageReason;
import io.degradable.state.CommandView;
import io.degradable.state.RehearsalView;
import io.degradable.state.StageView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("H12: a share of the calls that the primary answers also asks copies and templates, and nobody sees it")
@Timeout(30)
final class RehearsalTest {

    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");
    private static final Duration WINDOW = Duration.ofMinutes(5);

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands =
            Commands.builder().name("rehearsal").ticker(ticker).build();

    @AfterEach
    void close() {
        commands.close();
    }

    private static CommandSpec.Builder<Call, String> withBoth() {
        return Call.declared()
                .semaphore()
                .fallback(chain ->
                        chain.cached(COPIES, call -> call.id, WINDOW).template(StaticTemplate.of("last", "template")));
    }

    private void callPrimary(CommandSpec<Call, String> spec, String id) {
        assertThat(new Call(commands, spec, id, () -> "live").execute()).isEqualTo("live");
    }

    private CommandView view() {
        return commands.commands().iterator().next();
    }

    private RehearsalView rehearsal(int stage) {
        return view().stages().get(stage).rehearsal().orElseThrow();
    }

    private void awaitTemplates(long asked) {
        await().atMost(20, TimeUnit.SECONDS)
                .until(() -> view().stages().stream()
                                .map(StageView::rehearsal)
                                .flatMap(Optional::stream)
                                .reduce((first, last) -> last)
                                .orElseThrow()
                                .asked()
                        >= asked);
    }

    @Test
    void a_copy_is_judged_as_it_was_before_the_new_answer_took_its_place() {
        CommandSpec<Call, String> spec = withBoth().rehearse(100).build();

        callPrimary(spec, "1");
        ticker.advance(Duration.ofSeconds(40));
        callPrimary(spec, "1");
        ticker.advance(WINDOW);
        callPrimary(spec, "1");
        ticker.advance(WINDOW.plusNanos(1));
        callPrimary(spec, "1");

        RehearsalView copies = rehearsal(1);
        assertThat(copies.asked()).isEqualTo(4);
        assertThat(copies.answers()).isEqualTo(2);
        assertThat(copies.ended())
                .isEqualTo(Map.of(StageReason.ABSENT, 1L, StageReason.ANSWER, 2L, StageReason.TOO_OLD, 1L));
        assertThat(copies.longestAge()).isEqualTo(WINDOW);
        assertThat(copies.meanAge()).isEqualTo(WINDOW.plusSeconds(40).dividedBy(2));
    }

    @Test
    void it_moves_no_other_figure_than_its_own() {
        CommandSpec<Call, String> spec = withBoth().rehearse(100).build();

        for (int call = 0; call < 10; call++) {
            callPrimary(spec, "1");
        }
        awaitTemplates(1);

        assertThat(view().received()).isEqualTo(10);
        assertThat(view().events(EventType.SUCCESS)).isEqualTo(10);
        for (EventType event : EventType.values()) {
            if (event != EventType.SUCCESS) {
                assertThat(view().events(event)).as("%s", event).isZero();
            }
        }
        assertThat(view().servedCopies()).isZero();
        for (StageView stage : view().stages().subList(1, 3)) {
            assertThat(stage.reached()).isZero();
            for (StageReason reason : StageReason.values()) {
                assertThat(stage.ended(reason))
                        .as("%s %s", stage.name(), reason)
                        .isZero();
            }
        }
        assertThat(view().stages().get(0).rehearsal()).isEmpty();
    }

    @Test
    void only_calls_that_the_primary_answers_are_rehearsed() {
        CommandSpec<Call, String> spec = withBoth().rehearse(100).build();

        for (int call = 0; call < 10; call++) {
            new Call(commands, spec, "1", () -> {
                        throw new IOException("down");
                    })
                    .execute();
        }

        assertThat(rehearsal(1).asked()).isZero();
        assertThat(rehearsal(2).asked()).isZero();
    }

    @ParameterizedTest
    @ValueSource(doubles = {1, 0.5, 12.5, 33, 100})
    void the_share_is_exact_and_the_first_is_not_drawn_before_its_turn(double percentage) {
        CommandSpec<Call, String> spec = withBoth().rehearse(percentage).build();
        int calls = 2_000;
        List<Integer> drawnAt = new ArrayList<>();

        for (int call = 1; call <= calls; call++) {
            callPrimary(spec, "1");
            if (rehearsal(1).asked() > drawnAt.size()) {
                drawnAt.add(call);
            }
        }

        assertThat(drawnAt).hasSize((int) (calls * percentage / 100));
        assertThat(drawnAt.get(0)).isEqualTo((int) Math.ceil(100 / percentage));
    }

    @Test
    void one_in_a_hundred_is_the_default_and_zero_turns_it_off() {
        CommandSpec<Call, String> byDefault = withBoth().name("default").build();
        CommandSpec<Call, String> off = withBoth().name("off").rehearse(0).build();

        for (int call = 0; call < 300; call++) {
            callPrimary(byDefault, "1");
            callPrimary(off, "1");
        }

        for (CommandView one : commands.commands()) {
            StageView copies = one.stages().get(1);
            if (one.key().name().equals("off")) {
                assertThat(copies.rehearsal()).isEmpty();
            } else {
                assertThat(copies.rehearsal().orElseThrow().asked()).isEqualTo(3);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_template_is_filled_on_another_thread_under_the_context_of_the_call(EntryPoint entry) throws Exception {
        ThreadLocal<String> request = new ThreadLocal<>();
        Queue<Thread> threads = new ConcurrentLinkedQueue<>();
        Queue<String> requests = new ConcurrentLinkedQueue<>();
        Set<Thread> bodies = ConcurrentHashMap.newKeySet();
        try (Commands carrying = Commands.builder()
                .carry(() -> {
                    String mine = request.get();
                    return () -> {
                        request.set(mine);
                        return request::remove;
                    };
                })
                .build()) {
            CommandSpec<Call, String> spec = Call.declared()
                    .rehearse(100)
                    .fallback(chain -> chain.template(StaticTemplate.of("last", "template"), (template, call) -> {
                        threads.add(Thread.currentThread());
                        requests.add(String.valueOf(request.get()));
                        return template;
                    }))
                    .build();
            request.set("seven");

            entry.run(new Call(carrying, spec, "1", () -> {
                bodies.add(Thread.currentThread());
                return "live";
            }));
            await().atMost(20, TimeUnit.SECONDS).until(() -> !requests.isEmpty());
            request.remove();
        }

        assertThat(requests).containsExactly("seven");
        assertThat(threads).doesNotContain(Thread.currentThread()).doesNotContainAnyElementsOf(bodies);
    }

    @ParameterizedTest
    @EnumSource
    void a_carrier_is_asked_no_more_often_and_only_on_the_thread_of_the_caller(EntryPoint entry) throws Exception {
        Queue<Thread> captured = new ConcurrentLinkedQueue<>();
        CountDownLatch filled = new CountDownLatch(1);
        try (Commands carrying = Commands.builder()
                .carry(() -> {
                    captured.add(Thread.currentThread());
                    throw new IllegalStateException("no request here");
                })
                .build()) {
            CommandSpec<Call, String> spec = Call.declared()
                    .rehearse(100)
                    .fallback(chain -> chain.template(StaticTemplate.of("last", "template"), (template, call) -> {
                        filled.countDown();
                        return template;
                    }))
                    .build();

            entry.run(new Call(carrying, spec, "1", () -> "live"));
            assertThat(filled.await(20, TimeUnit.SECONDS)).isTrue();

            assertThat(captured).hasSize(1);
            assertThat(carrying.commands().iterator().next().stages().get(0).userMistakes())
                    .isEqualTo(1);
        }
    }

    @Test
    void above_the_cap_on_names_nothing_is_rehearsed_and_nothing_tried_again() throws Exception {
        AtomicInteger fills = new AtomicInteger();
        AtomicInteger bodies = new AtomicInteger();
        try (Commands capped = Commands.builder().maxNames(1).ticker(ticker).build()) {
            for (int name = 0; name < 5; name++) {
                CommandSpec<Call, String> spec = CommandSpec.<Call, String>named("n" + name)
                        .group("test")
                        .rehearse(100)
                        .repeatable()
                        .retry(retry -> retry.attempts(5)
                                .budget(100, 1_000)
                                .backoff(Duration.ofNanos(1), Duration.ofNanos(1))
                                .jitter(1))
                        .fallback(chain -> chain.template(StaticTemplate.of("last", "template"), (template, call) -> {
                            fills.incrementAndGet();
                            return template;
                        }))
                        .build();
                if (name > 0) {
                    assertThat(new Call(capped, spec, "1", () -> "live").execute())
                            .isEqualTo("live");
                    assertThat(new Call(capped, spec, "1", () -> {
                                        bodies.incrementAndGet();
                                        throw new IOException("down");
                                    })
                                    .execute())
                            .isEqualTo("template");
                } else {
                    capped.register(spec);
                }
            }
        }

        assertThat(bodies).as("one attempt for each call").hasValue(4);
        assertThat(fills).as("for those that were degraded").hasValue(4);
    }

    @Test
    void a_fill_or_key_that_throws_or_answers_null_is_seen_here_and_nowhere_else() {
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore()
                .rehearse(100)
                .fallback(chain -> chain.cached(COPIES, call -> call.id.substring(5), WINDOW)
                        .template(StaticTemplate.of("last", "template"), (template, call) -> {
                            throw new IllegalStateException("no template for you");
                        }))
                .build();

        callPrimary(spec, "1");
        awaitTemplates(1);

        assertThat(rehearsal(1).ended()).isEqualTo(Map.of(StageReason.EXCEPTION, 1L));
        assertThat(rehearsal(2).ended()).isEqualTo(Map.of(StageReason.EXCEPTION, 1L));
        assertThat(rehearsal(2).answers()).isZero();
        assertThat(view().stages().get(2).userMistakes()).isZero();
        assertThat(view().events(EventType.SUCCESS)).isEqualTo(1);
    }

    @Test
    void a_fill_that_hangs_holds_up_no_call_and_no_other_rehearsal_waits_for_it_and_closing_ends_it() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        AtomicInteger fills = new AtomicInteger();
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore()
                .rehearse(100)
                .fallback(chain -> chain.cached(COPIES, call -> call.id, WINDOW)
                        .template(StaticTemplate.of("last", "template"), (template, call) -> {
                            fills.incrementAndGet();
                            begun.countDown();
                            try {
                                new CountDownLatch(1).await();
                            } catch (InterruptedException e) {
                                interrupted.countDown();
                            }
                            return template;
                        }))
                .build();

        callPrimary(spec, "1");
        assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
        for (int call = 0; call < 50; call++) {
            callPrimary(spec, "1");
        }

        assertThat(fills).hasValue(1);
        assertThat(rehearsal(1).asked()).isEqualTo(51);
        commands.close();
        assertThat(interrupted.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void a_copy_that_is_only_looked_at_is_evicted_before_one_that_is_read() {
        TimedCache<Integer, String> cache =
                commands.cache(CacheSpec.<Integer, String>named("hundred").maximumSize(100));
        for (int key = 0; key < 100; key++) {
            cache.put(key, new Timestamped<>("copy", ticker.nanos()));
        }
        for (int use = 0; use < 200; use++) {
            cache.read(use % 10, WINDOW);
            cache.peek(50 + use % 10, WINDOW);
        }

        for (int key = 1_000; key < 3_000; key++) {
            cache.put(key, new Timestamped<>("copy", ticker.nanos()));
        }

        assertThat(copiesOf(cache, 0)).isGreaterThan(7);
        assertThat(copiesOf(cache, 50)).isLessThan(4);
    }

    private static long copiesOf(TimedCache<Integer, String> cache, int first) {
        return IntStream.range(first, first + 10)
                .filter(key -> cache.peek(key, WINDOW).value() != null)
                .count();
    }

    @ParameterizedTest
    @ValueSource(doubles = {-1, 100.1, Double.NaN, Double.POSITIVE_INFINITY})
    void a_share_that_is_none_is_refused_with_its_value(double percentage) {
        CommandSpec.Builder<Call, String> spec = withBoth().rehearse(percentage);

        assertThatThrownBy(spec::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("command Call: rehearse must be a percentage from 0 to 100, was " + percentage);
    }
}
