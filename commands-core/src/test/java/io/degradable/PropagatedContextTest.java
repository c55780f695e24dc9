package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.context.PropagatedContext;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.annotation.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is registered with Micrometer's context-propagation comes along by itself, where that is on the class path. */
@Timeout(30)
final class PropagatedContextTest {

    private static final ThreadLocal<String> USER = new ThreadLocal<>();
    private static final String KEY = "PropagatedContextTest/user";

    private final Queue<String> seen = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void register() {
        ContextRegistry.getInstance().registerThreadLocalAccessor(KEY, USER);
    }

    @AfterEach
    void remove() {
        ContextRegistry.getInstance().removeThreadLocalAccessor((Object) KEY);
        USER.remove();
    }

    private void see(String where) {
        seen.add(where + " " + USER.get());
    }

    private static CommandSpec.Builder<Call, String> onOneWorker() {
        return Call.declared().threadPool(pool -> pool.named("one").size(1));
    }

    private Call looking(Commands commands, CommandSpec<Call, String> spec) {
        return new Call(commands, spec, "1", () -> "by " + USER.get());
    }

    private static long mistakes(Commands commands) {
        return commands.commands().iterator().next().stages().get(0).userMistakes();
    }

    @ParameterizedTest
    @EnumSource
    void body_stages_and_queued_listeners_have_what_their_caller_had_and_the_next_call_has_its_own(EntryPoint entry)
            throws Exception {
        CommandSpec<Call, String> spec = onOneWorker()
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
        Queue<String> heard = new ConcurrentLinkedQueue<>();
        try (Commands commands = Commands.builder()
                .ticker(new ManualTicker())
                .listener(event -> heard.add("heard of " + USER.get()))
                .build()) {
            Call call = new Call(commands, spec, "1", () -> {
                see("primary");
                throw new IOException("down");
            });

            USER.set("ann");
            entry.run(call);
            USER.remove();
            entry.run(call);

            assertThat(mistakes(commands)).isZero();
        }

        assertThat(seen)
                .containsExactly("primary ann", "spare ann", "fill ann", "primary null", "spare null", "fill null");
        assertThat(heard).hasSize(8).startsWith("heard of ann").endsWith("heard of null");
    }

    @Test
    void it_can_be_left_alone() {
        try (Commands commands = Commands.builder().noContextPropagation().build()) {
            USER.set("ann");

            assertThat(looking(commands, onOneWorker().build()).execute()).isEqualTo("by null");
        }
    }

    @Test
    void a_registry_of_ones_own_stands_for_the_shared_one() {
        ThreadLocal<String> tenant = new ThreadLocal<>();
        ContextRegistry own = new ContextRegistry().registerThreadLocalAccessor("tenant", tenant);
        try (Commands commands =
                Commands.builder().carry(new PropagatedContext(own)).build()) {
            USER.set("ann");
            tenant.set("shop");

            String answer =
                    new Call(commands, onOneWorker().build(), "1", () -> tenant.get() + " of " + USER.get()).execute();

            assertThat(answer).isEqualTo("shop of null");
        }
    }

    @Test
    void what_a_user_carries_himself_goes_on_top() {
        try (Commands commands = Commands.builder()
                .carry(() -> () -> {
                    String before = USER.get();
                    USER.set("another");
                    return () -> USER.set(before);
                })
                .build()) {
            USER.set("ann");

            assertThat(looking(commands, onOneWorker().build()).execute()).isEqualTo("by another");
        }
    }

    @Test
    void a_caller_that_has_nothing_takes_nothing_along() {
        ContextRegistry registry = new ContextRegistry();
        PropagatedContext carrier = new PropagatedContext(registry);

        assertThat(carrier.capture()).isNull();
        registry.registerThreadLocalAccessor(KEY, USER);
        assertThat(carrier.capture()).isNull();
        USER.set("ann");
        assertThat(carrier.capture()).isNotNull();
    }

    /** Has a value on every thread that it was not asked to leave, and throws at one moment. */
    private static final class Throwing implements ThreadLocalAccessor<String> {

        private static final ThreadLocal<String> VALUE = new ThreadLocal<>();
        private final String key;
        private final String moment;

        Throwing(String key, String moment) {
            this.key = key;
            this.moment = moment;
        }

        private void failIf(String now) {
            if (moment.equals(now)) {
                throw new IllegalStateException("a mistake");
            }
        }

        @Override
        public Object key() {
            return key;
        }

        @Override
        public @Nullable String getValue() {
            failIf("capture");
            return VALUE.get();
        }

        @Override
        public void setValue(String value) {
            failIf("set");
            VALUE.set(value);
            failIf("half-way");
        }

        @Override
        public void setValue() {
            VALUE.remove();
        }

        @Override
        public void restore() {
            VALUE.remove();
            failIf("restore");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"capture", "set", "half-way", "restore"})
    void an_accessor_that_throws_is_counted_and_neither_the_call_nor_the_other_accessors_hear_of_it(String moment) {
        ContextRegistry registry = new ContextRegistry()
                .registerThreadLocalAccessor(new Throwing("first", moment))
                .registerThreadLocalAccessor(KEY, USER)
                .registerThreadLocalAccessor(new Throwing("last", moment));
        CommandSpec<Call, String> spec = onOneWorker().build();
        try (Commands commands =
                Commands.builder().carry(new PropagatedContext(registry)).build()) {
            USER.set("ann");
            Throwing.VALUE.set("value");

            assertThat(looking(commands, spec).execute()).isEqualTo("by ann");
            assertThat(mistakes(commands)).isEqualTo(1);

            USER.remove();
            Throwing.VALUE.remove();
            assertThat(new Call(commands, spec, "1", () -> USER.get() + " and " + Throwing.VALUE.get()).execute())
                    .as("what is left on the worker")
                    .isEqualTo("null and null");
        }
    }

    // ---- without the library ----

    /** Defines our own classes and the library anew, and may hide the library from ours. */
    private static class Anew extends ClassLoader {

        private final boolean hidden;

        Anew(boolean hidden) {
            super(PropagatedContextTest.class.getClassLoader());
            this.hidden = hidden;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            boolean ofLibrary = name.startsWith("io.micrometer.context.");
            if (ofLibrary && hidden) {
                throw new ClassNotFoundException(name);
            }
            if (!ofLibrary && !name.startsWith("io.degradable.")) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? defined(name) : loaded;
        }

        private Class<?> defined(String name) throws ClassNotFoundException {
            try (InputStream stream = getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (stream == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = stream.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException unreadable) {
                throw new ClassNotFoundException(name, unreadable);
            }
        }

        private Object probe() throws Exception {
            var constructor =
                    Class.forName(PropagationProbe.class.getName(), true, this).getDeclaredConstructor();
            constructor.setAccessible(true);
            return ((Callable<?>) constructor.newInstance()).call();
        }
    }

    @Test
    void without_the_library_calls_go_to_their_workers_as_ever() throws Exception {
        Anew without = new Anew(true);

        assertThat(without.probe()).isEqualTo("degradable-tests-1, 0 mistakes");

        assertThatThrownBy(() -> Class.forName(ContextRegistry.class.getName(), true, without))
                .isInstanceOf(ClassNotFoundException.class);
    }

    @Test
    void an_accessor_of_somebody_that_cannot_be_loaded_is_counted_and_keeps_no_container_from_being_made(
            @TempDir Path folder) throws Exception {
        Path services = Files.writeString(folder.resolve("services"), "no.such.Accessor");
        Anew broken = new Anew(false) {
            @Override
            public Enumeration<URL> getResources(String name) throws IOException {
                return name.equals("META-INF/services/" + ThreadLocalAccessor.class.getName())
                        ? Collections.enumeration(List.of(services.toUri().toURL()))
                        : super.getResources(name);
            }
        };
        Thread self = Thread.currentThread();
        ClassLoader before = self.getContextClassLoader();
        self.setContextClassLoader(broken);
        try {
            assertThat(broken.probe()).isEqualTo("degradable-tests-1, 1 mistakes");
        } finally {
            self.setContextClassLoader(before);
        }
    }
}
