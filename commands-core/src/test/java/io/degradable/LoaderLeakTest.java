package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.cache.CacheSpec;
import io.degradable.event.CommandLog;
import io.degradable.template.StaticTemplate;
import io.degradable.time.Deadline;
import java.io.IOException;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An application server loads the library with each application, and drops both with it. */
@Timeout(60)
final class LoaderLeakTest {

    /** Has the library and its tests once more; everything else is its parent's. */
    private static final class Application extends URLClassLoader {

        private Application() {
            super(new URL[] {locationOf(Commands.class), locationOf(LoaderLeakTest.class)}, parent());
        }

        private static ClassLoader parent() {
            return LoaderLeakTest.class.getClassLoader();
        }

        private static URL locationOf(Class<?> type) {
            return type.getProtectionDomain().getCodeSource().getLocation();
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                if (!name.startsWith("io.degradable.")) {
                    return super.loadClass(name, resolve);
                }
                Class<?> known = findLoadedClass(name);
                return known == null ? findClass(name) : known;
            }
        }
    }

    /** Does a bit of everything on the calling thread, which lives on, and closes. */
    static final class Program implements Callable<List<String>> {

        private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");

        private final ThreadLocal<String> user = new ThreadLocal<>();
        private final AtomicInteger heard = new AtomicInteger();

        @Override
        public List<String> call() throws Exception {
            List<String> answers = new ArrayList<>();
            try (Commands commands = Commands.builder()
                    .name("loader-leak")
                    .carry(() -> {
                        String mine = user.get();
                        return () -> {
                            user.set(mine);
                            return user::remove;
                        };
                    })
                    .listener(new CommandLog())
                    .listener(event -> heard.incrementAndGet())
                    .inlineListener(event -> heard.incrementAndGet())
                    .build()) {
                user.set("ann");
                for (CommandSpec<Call, String> spec : specs()) {
                    for (EntryPoint entry : EntryPoint.values()) {
                        answers.add(entry.run(new Call(commands, spec, "1", this::body)));
                        answers.add(entry.run(new Call(commands, spec, "2", () -> {
                            throw new IOException("down");
                        })));
                    }
                }
                answers.add(new Call(commands, impatient(), "3", () -> {
                            new CountDownLatch(1).await();
                            return "never";
                        })
                        .queue()
                        .get());
            } finally {
                user.remove();
            }
            LibraryThreads.assertThatAllEnd("loader-leak");
            answers.add("heard " + (heard.get() > answers.size()));
            return answers;
        }

        private String body() {
            return Deadline.current() == Deadline.NONE || user.get() == null ? "without context" : "live";
        }

        private static List<CommandSpec<Call, String>> specs() {
            List<CommandSpec<Call, String>> specs = new ArrayList<>();
            specs.add(degrading("Pooled")
                    .threadPool(pool -> pool.named("loader-leak-one"))
                    .build());
            specs.add(degrading("Counted").semaphore(2).build());
            if (Runtime.version().feature() >= 21) {
                specs.add(degrading("Virtual").virtualThreads(2).build());
            }
            return specs;
        }

        private static CommandSpec.Builder<Call, String> degrading(String name) {
            return Call.declared()
                    .name(name)
                    .timeout(Duration.ofSeconds(20))
                    .noCircuitBreaker()
                    .repeatable()
                    .retry(retry -> retry.attempts(2)
                            .backoff(Duration.ofMillis(1), Duration.ofMillis(1))
                            .budget(100, 1000))
                    .fallback(chain -> chain.spareCall(
                                    "spare",
                                    (call, context) -> {
                                        throw new IOException("down, too");
                                    },
                                    stage -> stage.threadPool(pool ->
                                            pool.named("loader-leak-two").size(2)))
                            .cached(COPIES, call -> call.id, Duration.ofMinutes(1))
                            .template(StaticTemplate.of("last", "template")));
        }

        private static CommandSpec<Call, String> impatient() {
            return Call.declared()
                    .name("Impatient")
                    .threadPool(pool -> pool.named("loader-leak-one"))
                    .timeout(Duration.ofMillis(1))
                    .fallback(chain -> chain.template(StaticTemplate.of("last", "template")))
                    .build();
        }
    }

    /**
     * Deployed twice, since the JVM keeps one loader by itself: the one whose record was compared last, in a cache for one
     * entry inside {@code java.lang.runtime.ObjectMethods}.
     */
    @DisplayName("B133: when its container is closed and it is deployed anew, nothing holds the loader of the library")
    @Test
    void the_loader_of_the_library_is_garbage_after_a_close() throws Exception {
        ReferenceQueue<ClassLoader> gone = new ReferenceQueue<>();

        Reference<ClassLoader> first = usedAndDropped(gone);
        var second = usedAndDropped(new ReferenceQueue<>());

        assertThat(Garbage.collected(gone)).isSameAs(first).isNotSameAs(second);
    }

    @Tag("virtual-threads")
    @DisplayName("B133: the same on a JVM with virtual threads, with bodies and continuations on them")
    @Test
    void the_loader_is_garbage_although_virtual_threads_ran_its_code() throws Exception {
        the_loader_of_the_library_is_garbage_after_a_close();
    }

    /** On a thread that lives on, as those of a server do: what stays in it stays. */
    private static Reference<ClassLoader> usedAndDropped(ReferenceQueue<ClassLoader> gone) throws Exception {
        try (Application application = new Application()) {
            Class<?> type = application.loadClass(Program.class.getName());
            assertThat(type).isNotSameAs(Program.class);
            var made = type.getDeclaredConstructor();
            made.setAccessible(true);

            Object answers = ((Callable<?>) made.newInstance()).call();

            assertThat(String.valueOf(answers))
                    .contains("live, template, live")
                    .doesNotContain("without")
                    .endsWith("template, heard true]");
            return new PhantomReference<>(application, gone);
        }
    }
}
