package io.degradable.redis;

import static org.awaitility.Awaitility.await;

import io.degradable.testing.Heard;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;

/** Waits for what it is to hear, and knows which threads listen. */
class Ear extends Heard {

    static final Duration PATIENT = Duration.ofSeconds(30);

    /** Waits until it has heard more than so many. */
    void awaitMoreThan(int heard, Duration limit) {
        await().dontCatchUncaughtExceptions()
                .atMost(limit)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> changes() > heard);
    }

    void awaitFailure() {
        await().dontCatchUncaughtExceptions()
                .atMost(PATIENT)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> !failures().isEmpty());
    }

    /** The living threads of the subscriptions to a channel. */
    static Set<String> threads(String channel) {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.equals("degradable-listen " + channel) || name.equals("degradable-ask " + channel))
                .collect(Collectors.toSet());
    }
}
