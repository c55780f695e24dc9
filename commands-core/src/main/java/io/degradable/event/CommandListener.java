package io.degradable.event;

/**
 * Hears what becomes of calls and breakers. Given to {@code Commands.builder().listener(...)}, which tells it on a thread of
 * its own, in order; or to {@code inlineListener(...)}, which tells it on the thread where it happens.
 *
 * <p>A listener is a guest: what it throws is counted ({@code commands.listenerMistakes()}) and changes no call, and the
 * others hear of the event all the same. It may call commands.
 *
 * <p>Threading: as a {@code listener} it is called by one thread; as an {@code inlineListener} by many at once.
 */
@FunctionalInterface
public interface CommandListener {

    /** Something has happened. */
    void on(CommandEvent event);
}
