package io.degradable.testing;

import io.degradable.Commands;
import java.lang.annotation.Annotation;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives each test a container of its own and closes it afterwards. A test that leaves threads of its container behind
 * fails, with their names.
 *
 * <pre>{@code
 * @ExtendWith(DegradableExtension.class)
 * final class GetProductTest {
 *     @Test
 *     void a_test(Commands commands, ManualTicker ticker, RecordedEvents events) { ... }
 * }
 * }</pre>
 *
 * <p>Parameters of type {@link Commands}, {@link ManualTicker} and {@link RecordedEvents}, of the constructor, of
 * {@code @BeforeEach} and {@code @AfterEach} methods and of the test itself. The container runs on the ticker when one of
 * them asks for it, else on the JVM's clocks; its events are recorded, inline, when one of them asks for those.
 *
 * <p>Needs JUnit 5.12 or newer.
 *
 * <p>Threading: as JUnit calls it; tests may run at the same time. What runs on a thread pool of the same name in another
 * container, begun meanwhile, is told apart only as long as this container's pool has no thread left.
 */
public final class DegradableExtension implements ParameterResolver, AfterEachCallback {

    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(DegradableExtension.class);
    private static final AtomicLong MADE = new AtomicLong();
    private static final Set<Class<?>> GIVEN = Set.of(Commands.class, ManualTicker.class, RecordedEvents.class);
    private static final Set<Class<? extends Annotation>> AROUND_EACH = Set.of(BeforeEach.class, AfterEach.class);

    /** Called by JUnit. */
    public DegradableExtension() {}

    /** A constructor is called for one test, and gets that one's container. */
    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
        return ExtensionContextScope.TEST_METHOD;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return GIVEN.contains(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        if (context.getTestMethod().isEmpty()) {
            throw new ParameterResolutionException("each test has a container of its own, so "
                    + parameter.getDeclaringExecutable() + " has none: it is called for several tests");
        }
        TestContainer container = container(context);
        Class<?> type = parameter.getParameter().getType();
        if (type == Commands.class) {
            return container.commands();
        }
        return type == ManualTicker.class ? container.ticker() : container.events();
    }

    private static TestContainer container(ExtensionContext context) {
        ExtensionContext.Store store = context.getStore(NAMESPACE);
        TestContainer known = store.get(TestContainer.class, TestContainer.class);
        if (known != null) {
            return known;
        }
        Set<Class<?>> asked = askedFor(context);
        TestContainer made = new TestContainer(
                name(context), asked.contains(ManualTicker.class), asked.contains(RecordedEvents.class));
        store.put(TestContainer.class, made);
        return made;
    }

    private static String name(ExtensionContext context) {
        String test = context.getRequiredTestClass().getSimpleName() + "."
                + context.getRequiredTestMethod().getName();
        String clean = test.replaceAll("[^A-Za-z0-9._-]", "_");
        // Its own number, since its threads are known by its name, and a repeated test may run beside itself.
        return clean.substring(0, Math.min(clean.length(), 100)) + "-" + MADE.incrementAndGet();
    }

    /** Looked up before anything is made: a container cannot change its clock or its listeners. */
    private static Set<Class<?>> askedFor(ExtensionContext context) {
        List<Executable> called = new ArrayList<>();
        called.add(context.getRequiredTestMethod());
        for (Class<?> outer = context.getRequiredTestClass(); outer != null; outer = outer.getEnclosingClass()) {
            called.addAll(Arrays.asList(outer.getDeclaredConstructors()));
            for (Class<?> type = outer; type != null; type = type.getSuperclass()) {
                for (Method method : type.getDeclaredMethods()) {
                    if (AROUND_EACH.stream().anyMatch(method::isAnnotationPresent)) {
                        called.add(method);
                    }
                }
            }
        }
        return called.stream()
                .flatMap(one -> Arrays.stream(one.getParameterTypes()))
                .collect(Collectors.toSet());
    }

    @Override
    public void afterEach(ExtensionContext context) {
        TestContainer container = context.getStore(NAMESPACE).get(TestContainer.class, TestContainer.class);
        if (container != null) {
            container.close();
        }
    }
}
