package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.event.CommandEvent.CallEnded;
import io.degradable.event.CommandEvent.StageEnded;
import io.degradable.event.RunObserver;
import io.degradable.model.CallOutcome;
import io.degradable.model.CommandKey;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.template.StaticTemplate;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.annotation.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who follows runs is where they are, hears of each end once, and is a guest. */
@Timeout(30)
final class RunObserverTest {

    private static final ThreadLocal<Followed> CURRENT = new ThreadLocal<>();

    /** A run as a tracer would follow it. */
    private static final class Followed implements RunObserver.ObservedRun {

        private final CommandKey command;
        private final @Nullable Followed parent = CURRENT.get();
        private final List<StageEnded> stages = new CopyOnWriteArrayList<>();
        private final List<CallEnded> ends = new CopyOnWriteArrayList<>();

        private Followed(CommandKey command) {
            this.command = command;
        }

        @Override
        public Runnable install() {
            Followed before = CURRENT.get();
            CURRENT.set(this);
            return () -> CURRENT.set(before);
        }

        @Override
        public void stageEnded(StageEnded stage) {
            stages.add(stage);
        }

        @Override
        public void ended(CallEnded call) {
            ends.add(call);
        }
    }

    private final List<Followed> runs = new CopyOnWriteArrayList<>();

    private Followed follow(CommandKey command) {
        Followed run = new Followed(command);
        runs.add(run);
        return run;
    }

    @ParameterizedTest
    @EnumSource
    void it_is_the_current_one_in_every_body_stage_and_queued_listener_and_nowhere_after(EntryPoint entry)
            throws Exception {
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        Queue<Boolean> heard = new ConcurrentLinkedQueue<>();
        CommandSpec<Call, String> spec = Call.declared()
                .fallback(chain -> chain.spareCall("second", (call, context) -> {
                            seen.add(CURRENT.get().command.name());
                            throw new IOException("down, too");
                        })
                        .template(StaticTemplate.of("last", "template"), (template, call) -> {
                            seen.add(CURRENT.get().command.name());
                            return template;
                        }))
                .build();

        try (Commands commands = Commands.builder()
                .observe(this::follow)
                .listener(event -> heard.add(CURRENT.get() == runs.get(0)))
                .build()) {
            String answer = entry.run(new Call(commands, spec, "1", () -> {
                seen.add(CURRENT.get().command.name());
                throw new IOException("down");
            }));

            assertThat(answer).isEqualTo("template");
            assertThat(CURRENT.get()).isNull();
        }

        assertThat(seen).containsExactly("Call", "Call", "Call");
        assertThat(heard).hasSize(4).containsOnly(true);
        assertThat(runs).hasSize(1);
        assertThat(runs.get(0).stages)
                .extracting(StageEnded::reason)
                .containsExactly(StageReason.EXCEPTION, StageReason.EXCEPTION, StageReason.ANSWER);
        assertThat(runs.get(0).ends).extracting(CallEnded::source).containsExactly(Source.STATIC);
        assertThat(runs.get(0).stages)
                .extracting(StageEnded::callId)
                .containsOnly(runs.get(0).ends.get(0).callId());
    }

    @Test
    void a_command_inside_a_body_is_followed_as_a_part_of_it() {
        CommandSpec<CallableCommand<String>, String> inner =
                CommandSpec.<String>callable("inner").group("tests").build();
        CommandSpec<Call, String> outer = Call.declared().build();
        try (Commands commands = Commands.builder().observe(this::follow).build()) {
            new Call(commands, outer, "1", () -> commands.call(inner, "1", () -> "in")).execute();
        }

        assertThat(runs).extracting(run -> run.command.name()).containsExactly("Call", "inner");
        assertThat(runs.get(1).parent).isSameAs(runs.get(0));
    }

    @Test
    void what_depends_on_an_answer_is_no_part_of_the_run_and_carriers_capture_what_its_caller_had() {
        Queue<Boolean> captured = new ConcurrentLinkedQueue<>();
        try (Commands commands = Commands.builder()
                .observe(this::follow)
                .carry(() -> {
                    captured.add(CURRENT.get() == null);
                    return null;
                })
                .build()) {
            for (CommandSpec<Call, String> spec : List.of(
                    Call.declared().name("OnPool").build(),
                    Call.declared().name("OnCaller").semaphore().build())) {
                String followedBy = new Call(commands, spec, "1", () -> "live")
                        .toMaybe()
                        .map(answer -> answer + ", then " + (CURRENT.get() == null ? "nothing" : CURRENT.get().command))
                        .blockingGet();

                assertThat(followedBy).isEqualTo("live, then nothing");
                new Call(commands, spec, "1", () -> "live").execute();
            }
        }

        assertThat(runs).hasSize(4);
        assertThat(captured).containsExactly(true, true, true, true);
    }

    @Test
    void each_attempt_of_a_primary_that_is_tried_again_is_told() {
        AtomicInteger attempts = new AtomicInteger();
        CommandSpec<Call, String> spec = Call.declared()
                .repeatable()
                .retry(retry -> retry.attempts(2).backoff(Duration.ofNanos(1), Duration.ofNanos(1)))
                .build();
        try (Commands commands = Commands.builder().observe(this::follow).build()) {
            new Call(commands, spec, "1", () -> {
                        if (attempts.incrementAndGet() == 1) {
                            throw new IOException("down");
                        }
                        return "up";
                    })
                    .execute();
        }

        assertThat(runs.get(0).stages)
                .extracting(StageEnded::reason)
                .containsExactly(StageReason.EXCEPTION, StageReason.ANSWER);
        assertThat(runs.get(0).ends).extracting(CallEnded::outcome).containsExactly(CallOutcome.NORMAL);
    }

    @Test
    void a_run_that_is_turned_away_or_not_to_be_followed_is_none() {
        Commands commands = Commands.builder()
                .observe(this::follow)
                .observe(command -> null)
                .build();
        CommandSpec<Call, String> spec = Call.declared().build();
        new Call(commands, spec, "1", () -> "live").execute();
        commands.close();

        assertThatThrownBy(() -> new Call(commands, spec, "1", () -> "live").execute())
                .isInstanceOf(IllegalStateException.class);

        assertThat(runs).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void whatever_it_throws_is_counted_and_changes_no_call(EntryPoint entry) throws Exception {
        RunObserver bad = command -> new RunObserver.ObservedRun() {
            @Override
            public Runnable install() {
                throw new IllegalStateException("install");
            }

            @Override
            public void stageEnded(StageEnded stage) {
                throw new AssertionError("stage");
            }

            @Override
            public void ended(CallEnded call) {
                throw new IllegalStateException("end");
            }
        };
        RunObserver worse = command -> {
            throw new IllegalStateException("begin");
        };
        try (Commands commands = Commands.builder()
                .observe(bad)
                .observe(worse)
                .observe(this::follow)
                .build()) {
            CommandSpec<Call, String> spec = Call.declared().semaphore().build();

            assertThat(entry.run(new Call(commands, spec, "1", () -> "live"))).isEqualTo("live");

            assertThat(commands.listenerMistakes()).isGreaterThanOrEqualTo(4);
        }
        assertThat(runs.get(0).ends).hasSize(1);
    }
}
