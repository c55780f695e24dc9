package io.degradable.bench;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.openjdk.jmh.annotations.CompilerControl;
import org.slf4j.LoggerFactory;

/**
 * What every peer has to do, and the duties all of them are set to. The bodies are never inlined: to a guard they are what
 * a real one is, a call that it cannot see through, and what they throw has to be caught for real.
 */
final class Work {

    static final int LIMIT = 10;
    static final int ERROR_PERCENTAGE = 50;
    static final int MINIMUM_CALLS = 20;
    static final Duration WINDOW = Duration.ofSeconds(10);
    static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** Longer than any run: what is open stays open. */
    static final Duration OPEN_FOR = Duration.ofHours(1);

    static final String ANSWER = "answer";
    static final String TEMPLATE = "template";
    static final String COPY = "copy";
    static final Long KEY = 42L;

    /** The failure of a body; it is always the same one, so what a call allocates is the peer's doing. */
    static final class Broken extends Exception {
        Broken() {
            super("broken", null, false, false);
        }
    }

    private static final Broken BROKEN = new Broken();
    private static final Cache<Long, String> COPIES =
            Caffeine.newBuilder().maximumSize(1_000).build();

    static {
        COPIES.put(KEY, COPY);
        // Some peers write each failure down at a level that is off in production.
        ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.ERROR);
    }

    /** Bodies as objects, for who wants one. */
    static final Callable<String> ANSWERS = Work::answer;

    static final Callable<String> FAILS = Work::fail;

    private Work() {}

    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    static String answer() {
        return ANSWER;
    }

    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    static String fail() throws Broken {
        throw BROKEN;
    }

    /** What a fallback reads. */
    static String copy() {
        return COPIES.getIfPresent(KEY);
    }

    /** How often a body must fail before every peer has opened. */
    static void enoughToOpen(Runnable failing) {
        for (int call = 0; call < 3 * MINIMUM_CALLS; call++) {
            failing.run();
        }
    }
}
