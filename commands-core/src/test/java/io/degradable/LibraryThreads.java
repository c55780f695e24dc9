package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

/** The threads that a container has made, by what the names of the container and of its pools begin with. */
final class LibraryThreads {

    private LibraryThreads() {}

    /** Those alive. The prefix must be the test's own, since other tests have containers, too. */
    static List<Thread> of(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("degradable-" + prefix)
                        || thread.getName().startsWith("degradable-timer-" + prefix))
                .toList();
    }

    /** Waits for the end of all of them, which is a matter of microseconds once nothing runs. */
    static void assertThatAllEnd(String prefix) throws InterruptedException {
        for (Thread thread : of(prefix)) {
            thread.join(5_000);
        }
        assertThat(of(prefix)).isEmpty();
    }
}
