package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.event.ContextCarrier;
import io.degradable.template.StaticTemplate;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.annotation.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What belongs to the calling thread is there wherever a run works for it, and nowhere after. */
@Timeout(30)
final class ContextTest {

    private static final ThreadLocal<String> USER = new ThreadLocal<>();

    private final AtomicInteger captures = new AtomicInteger();
    private final Queue<String> seen = new ConcurrentLinkedQueue<>();
    private final Commands commands = Commands.builder().carry(this::user).build();

    @AfterEach
    void close() {
        USER.remove();
        commands.close();
    }

    private ContextCarrier.Captured user() {
        captures.incrementAndGet();
        String user = USER.get();
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

    /** A primary, a spare and a template, all of which look who the user is; the first two fail. */
    private CommandSpec<Call, String> looking() {
        return Call.declared()
                .threadPool(pool -> pool.named("one").size(1))
                .fallback(chain -> chain.spareCall(
                                "spare",
                                (call, context) -> {
                                    see("spare");
                                    throw new IOException("down");
                                },
                                stage -> stage.threadPool(
                                        pool -> pool.named("two").size(1)))
                        .template(StaticTemplate.of("last", "template"), (value, call) -> {
                            see("fill");
                            return value;
                        }))
                .build();
    }

    private Call call(CommandSpec<Call, String> spec) {
        return new Call(commands, spec, "1", () -> {
            see("primary");
            throw new IOException("down");
        });
    }

    @ParameterizedTest
    @EnumSource
    void each_stage_of_a_run_sees_what_its_caller_had_and_the_next_run_what_its_own_caller_had(EntryPoint entry)
            throws Exception {
        CommandSpec<Call, String> spec = looking();

        USER.set("ann");
        assertThat(entry.run(call(spec))).isEqualTo("template");
        USER.set("ben");
        assertThat(entry.run(call(spec))).isEqualTo("template");
        USER.remove();
        assertThat(entry.run(call(spec))).isEqualTo("template");

        assertThat(seen)
                .containsExactly(
                        "primary ann",
                        "spare ann",
                        "fill ann",
                        "primary ben",
                        "spare ben",
                        "fill ben",
                        "primary null",
                        "spare null",
                        "fill null");
        assertThat(captures).as("once for each run").hasValue(3);
    }

    @Test
    void a_run_that_stays_on_its_callers_thread_captures_nothing() {
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore()
                .fallback(chain -> chain.template(StaticTemplate.of("last", "template")))
                .build();

        assertThat(call(spec).execute()).isEqualTo("template");

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
