package io.degradable.testing;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import kotlin.jvm.functions.Function1;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.StressOptions;

/**
 * How much Lincheck tries: little, for it is slow, but of what is known to go wrong. Nothing is run before the threads start: it would use up the permits that they are to fight for,
 * and a class that is wrong would pass.
 */
public final class Interleavings {

    /** Threads of a history, numbered from 1. */
    public static final int THREADS = 2;

    /** The number of who comes when they are through. */
    public static final int AFTERWARDS = THREADS + 1;

    private Interleavings() {}

    /** What two threads do, and what is done when they are through. */
    public static ExecutionScenario history(List<Actor> first, List<Actor> second, Actor... afterwards) {
        return new ExecutionScenario(List.of(), List.of(first, second), List.of(afterwards), null);
    }

    /** An operation of a test with its arguments. */
    public static Actor step(Class<?> test, String operation, Object... arguments) {
        Method method = Arrays.stream(test.getDeclaredMethods())
                .filter(candidate -> candidate.getName().equals(operation))
                .findAny()
                .orElseThrow(() -> new AssertionError("no operation " + operation));
        return new Actor(method, List.of(arguments));
    }

    /** The interleavings of some histories, played one after the other. */
    public static ModelCheckingOptions modelChecked(ExecutionScenario... histories) {
        Function1<String, Boolean> notUnderTest = Interleavings::isNotUnderTest;
        ModelCheckingOptions options = new ModelCheckingOptions()
                .iterations(0)
                .invocationsPerIteration(50)
                .threads(THREADS)
                .minimizeFailedScenario(false)
                .addGuarantee(ManagedStrategyGuaranteeKt.forClasses(notUnderTest)
                        .allMethods()
                        .treatAsAtomic());
        for (ExecutionScenario history : histories) {
            options.addCustomScenario(history);
        }
        return options;
    }

    /** Collections that no two threads share, and windows, which have tests of their own: no thread is switched in them. */
    private static boolean isNotUnderTest(String className) {
        return (className.startsWith("java.util.") && !className.startsWith("java.util.concurrent."))
                || className.startsWith("io.degradable.internal.window.")
                || className.startsWith("io.degradable.settings.");
    }

    /**
     * The same histories on real threads. No random ones: they would mix moments that no two threads read at once, and a
     * breaker may see a time that is over in one of two ways then.
     */
    public static StressOptions stressed(ExecutionScenario... histories) {
        StressOptions options = new StressOptions()
                .iterations(0)
                .invocationsPerIteration(200)
                .threads(THREADS)
                .minimizeFailedScenario(false);
        for (ExecutionScenario history : histories) {
            options.addCustomScenario(history);
        }
        return options;
    }
}
