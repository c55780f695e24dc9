package io.degradable.state;

/** Hears of commands as they come and go. What it throws breaks nothing. */
@FunctionalInterface
public interface CommandObserver {

    /** A command is known from now on. Called by the thread that made it known; of one command perhaps twice. */
    void known(CommandView command);

    /** A command that nobody has used for long is known no more. Its name may have become known anew already. */
    default void gone(CommandView command) {}
}
