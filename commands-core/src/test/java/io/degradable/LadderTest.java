package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.properties.HasParameterTypes;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.degradable.settings.ClimbsTheLadder;
import io.degradable.settings.WatchesTheClock;
import io.degradable.settings.unlisted.OnNoList;
import io.degradable.testing.ManualTicker;
import java.lang.reflect.Method;
import java.time.Clock;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.Timer;
import java.util.TreeSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The ladder of packages, and who may look at a clock (B29). A package imports only packages that stand before it on the
 * list. Looked at are direct dependencies, one by one: a rule on slices would not see a cycle through the root package, and
 * one on calls would not see {@code System::nanoTime}.
 */
final class LadderTest {

    private static final List<String> RUNGS = List.of(
            "io.degradable.time",
            "io.degradable.model",
            "io.degradable.settings",
            "io.degradable.event",
            "io.degradable.state",
            "io.degradable.cache",
            "io.degradable.template",
            "io.degradable.control",
            "io.degradable.internal.window",
            "io.degradable.internal.breaker",
            "io.degradable.internal.bulkhead",
            "io.degradable.internal.guard",
            "io.degradable.internal.stage",
            "io.degradable.internal.control",
            "io.degradable.internal.level",
            "io.degradable.internal.execution",
            "io.degradable.rx",
            "io.degradable");

    /** They import any rung, the front door too, and nothing imports them. */
    private static final Set<String> EDGES = Set.of(
            "io.degradable.archaius",
            "io.degradable.micrometer",
            "io.degradable.redis",
            "io.degradable.json",
            "io.degradable.context",
            "io.degradable.snapshots",
            "io.degradable.testing");

    private static final Set<String> CLOCKS_AND_TIMERS =
            Set.of(Clock.class.getName(), Timer.class.getName(), ScheduledExecutorService.class.getName());
    private static final Set<String> TIMED_NAMES =
            Set.of("nanoTime", "currentTimeMillis", "parkNanos", "parkUntil", "sleep", "awaitNanos", "awaitUntil");

    /** What lies where the front door lies: main code, without test code. */
    private static final JavaClasses LIBRARY = new ClassFileImporter()
            .importUrl(Commands.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    void every_package_is_on_the_list() {
        assertThat(LIBRARY).anyMatch(type -> type.getPackageName().equals("io.degradable"));
        assertThat(unlisted(LIBRARY)).isEmpty();
    }

    @Test
    void a_package_imports_only_packages_below_it() {
        assertThat(climbs(LIBRARY)).isEmpty();
    }

    @Test
    void nobody_but_the_ticker_looks_at_a_clock_or_waits_with_a_limit() {
        assertThat(timed(LIBRARY)).isEmpty();
    }

    @Test
    void junit_which_users_may_not_have_is_touched_by_the_test_kit_only() {
        assertThat(dependencies(LIBRARY)
                        .filter(dependency ->
                                dependency.getTargetClass().getPackageName().startsWith("org.junit"))
                        .map(dependency -> dependency.getOriginClass().getPackageName()))
                .isNotEmpty()
                .containsOnly("io.degradable.testing");
    }

    @Test
    void context_propagation_which_users_may_not_have_is_touched_by_its_edge_only() {
        assertThat(dependencies(LIBRARY)
                        .filter(dependency ->
                                dependency.getTargetClass().getPackageName().startsWith("io.micrometer.context"))
                        .map(dependency -> dependency.getOriginClass().getPackageName()))
                .isNotEmpty()
                .containsOnly("io.degradable.context");
    }

    @Test
    void jackson_which_users_may_not_have_is_touched_by_its_edge_only() {
        assertThat(dependencies(LIBRARY)
                        .filter(dependency ->
                                dependency.getTargetClass().getPackageName().startsWith("com.fasterxml.jackson"))
                        .map(dependency -> dependency.getOriginClass().getPackageName()))
                .isNotEmpty()
                .containsOnly("io.degradable.json");
    }

    @Test
    void jedis_which_users_may_not_have_is_touched_by_its_edge_only() {
        assertThat(dependencies(LIBRARY)
                        .filter(dependency ->
                                dependency.getTargetClass().getPackageName().startsWith("redis.clients"))
                        .map(dependency -> dependency.getOriginClass().getPackageName()))
                .isNotEmpty()
                .containsOnly("io.degradable.redis");
    }

    @Test
    void archaius_is_touched_by_its_edge_only() {
        assertThat(dependencies(LIBRARY)
                        .filter(dependency ->
                                dependency.getTargetClass().getPackageName().startsWith("com.netflix.archaius"))
                        .map(dependency -> dependency.getOriginClass().getPackageName()))
                .isNotEmpty()
                .containsOnly("io.degradable.archaius");
    }

    // ---- the checks find what they are there for ----

    @Test
    void a_package_on_no_list_is_found() {
        assertThat(unlisted(imported(OnNoList.class))).containsExactly("io.degradable.settings.unlisted");
        assertThat(climbs(imported(OnNoList.class))).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                ClimbsTheLadder.ToTheNextRung.class,
                ClimbsTheLadder.ToTheFrontDoor.class,
                ClimbsTheLadder.ToAnEdge.class,
                ClimbsTheLadder.InASignature.class,
                ClimbsTheLadder.InAMethodReference.class,
            })
    void an_import_of_a_higher_package_is_found(Class<?> offender) {
        assertThat(climbs(imported(offender))).isNotEmpty();
    }

    @Test
    void a_call_or_a_method_reference_that_tells_the_time_or_waits_is_found() {
        Set<String> methods = new TreeSet<>();
        for (Method method : WatchesTheClock.class.getDeclaredMethods()) {
            if (!method.isSynthetic()) {
                methods.add(method.getName());
            }
        }

        Set<String> found = new TreeSet<>();
        for (JavaAccess<?> access : timedAccesses(imported(WatchesTheClock.class))) {
            found.add(access.getOrigin().getName());
        }

        assertThat(found).isEqualTo(methods);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                WatchesTheClock.HoldsAClock.class,
                WatchesTheClock.HoldsATimer.class,
                WatchesTheClock.HoldsAScheduler.class,
            })
    void a_clock_or_timer_of_its_own_is_found(Class<?> offender) {
        assertThat(timed(imported(offender))).isNotEmpty();
    }

    private static JavaClasses imported(Class<?> type) {
        return new ClassFileImporter().importClasses(type);
    }

    // ---- the checks ----

    private static Set<String> unlisted(JavaClasses types) {
        Set<String> found = new TreeSet<>();
        for (JavaClass type : types) {
            if (rung(type) < 0) {
                found.add(type.getPackageName());
            }
        }
        return found;
    }

    private static List<String> climbs(JavaClasses types) {
        return dependencies(types)
                .filter(dependency -> climbs(
                        dependency.getOriginClass(), dependency.getTargetClass().getBaseComponentType()))
                .map(Dependency::getDescription)
                .toList();
    }

    private static boolean climbs(JavaClass from, JavaClass to) {
        boolean ours = to.getPackageName().equals("io.degradable")
                || to.getPackageName().startsWith("io.degradable.");
        return ours && !from.getPackageName().equals(to.getPackageName()) && rung(from) <= rung(to);
    }

    /** The height of its package: edges stand side by side on top, and what is on no list is below everything. */
    private static int rung(JavaClass type) {
        return EDGES.contains(type.getPackageName()) ? RUNGS.size() : RUNGS.indexOf(type.getPackageName());
    }

    private static List<String> timed(JavaClasses types) {
        Stream<String> accesses = timedAccesses(types).stream().map(JavaAccess::getDescription);
        Stream<String> clocks = dependencies(types)
                .filter(dependency -> !mayWatchTheClock(dependency.getOriginClass()))
                .filter(dependency ->
                        CLOCKS_AND_TIMERS.contains(dependency.getTargetClass().getName()))
                .map(Dependency::getDescription);
        return Stream.concat(accesses, clocks).toList();
    }

    private static Stream<Dependency> dependencies(JavaClasses types) {
        return types.stream().map(JavaClass::getDirectDependenciesFromSelf).flatMap(Collection::stream);
    }

    private static Set<JavaAccess<?>> timedAccesses(JavaClasses types) {
        Set<JavaAccess<?>> found = new HashSet<>();
        for (JavaClass type : types) {
            if (!mayWatchTheClock(type)) {
                Stream.of(
                                type.getAccessesFromSelf(),
                                type.getCodeUnitReferencesFromSelf(),
                                type.getMethodReferencesFromSelf())
                        .flatMap(Collection::stream)
                        .filter(LadderTest::isTimed)
                        .forEach(found::add);
            }
        }
        return found;
    }

    private static boolean mayWatchTheClock(JavaClass type) {
        return type.getPackageName().equals("io.degradable.time")
                || type.getName().equals(ManualTicker.class.getName())
                || type.getName().startsWith(ManualTicker.class.getName() + "$");
    }

    /** By name and parameters and not by owner, which is the static type: a pool of ours inherits its timed waits. */
    private static boolean isTimed(JavaAccess<?> access) {
        JavaClass owner = access.getTargetOwner();
        String name = access.getName();
        List<String> parameters = access.getTarget() instanceof HasParameterTypes target
                ? target.getRawParameterTypes().stream().map(JavaClass::getName).toList()
                : List.of();
        boolean constructor = name.equals(JavaConstructor.CONSTRUCTOR_NAME);
        boolean timeUnit = owner.isEquivalentTo(TimeUnit.class);
        boolean meter = owner.getPackageName().startsWith("io.micrometer"); // told in which unit it gets its figures
        return TIMED_NAMES.contains(name)
                || (name.equals("now") && owner.getPackageName().startsWith("java.time"))
                || (constructor && owner.getName().equals("java.util.Date") && parameters.isEmpty())
                || (name.equals("getInstance") && owner.getName().equals("java.util.Calendar"))
                || (name.equals("wait") && !parameters.isEmpty())
                || (name.equals("join") && !parameters.isEmpty() && owner.isAssignableTo(Thread.class))
                || (timeUnit && Arrays.asList("timedWait", "timedJoin").contains(name))
                || (!constructor && !timeUnit && !meter && parameters.contains(TimeUnit.class.getName()));
    }
}
