package io.degradable.testing;

import io.degradable.event.CommandEvent;
import io.degradable.event.CommandListener;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Keeps what it hears, in order, for a test that has no result in its hands: the call was made by the code under test.
 *
 * <pre>{@code
 * RecordedEvents recorded = new RecordedEvents();
 * Commands commands = Commands.builder().inlineListener(recorded).build();
 * ...
 * recorded.assertThat("GetProduct")
 *         .moved(EventType.FALLBACK_SUCCESS, 1)
 *         .hasTrail("primary: failed", "spare: answered")
 *         .hasChanged(CircuitState.CLOSED, CircuitState.OPEN);
 * }</pre>
 *
 * <p>As an {@code inlineListener} it has heard of a call before the caller has the answer. {@link DegradableExtension} gives
 * one that is listening already.
 *
 * <p>Threading: every method may be called from any thread.
 */
public final class RecordedEvents implements CommandListener {

    private final Queue<CommandEvent> heard = new ConcurrentLinkedQueue<>();

    /** Nothing heard yet. */
    public RecordedEvents() {}

    @Override
    public void on(CommandEvent event) {
        heard.add(event);
    }

    /** All events so far, in the order in which they were heard. */
    public List<CommandEvent> all() {
        return List.copyOf(heard);
    }

    /** Those of one type, for instance {@code all(CallEnded.class)}. */
    public <E extends CommandEvent> List<E> all(Class<E> type) {
        Objects.requireNonNull(type, "type must not be null");
        return heard.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** Forgets them. */
    public void clear() {
        heard.clear();
    }

    /**
     * Begins assertions on what was heard of a command so far.
     *
     * @throws AssertionError when that is nothing: a name that is wrong must not pass as a command that did nothing
     */
    public EventsAssert assertThat(String command) {
        Objects.requireNonNull(command, "command must not be null");
        return new EventsAssert(command, all());
    }
}
