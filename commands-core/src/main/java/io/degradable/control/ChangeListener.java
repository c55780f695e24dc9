package io.degradable.control;

/**
 * Hears of every {@link Change}, for instance to keep it. Told on another thread than the change was made on, in order and
 * one at a time; what it throws is counted. One that is more than 1,000 changes behind misses the oldest, which is counted.
 */
@FunctionalInterface
public interface ChangeListener {

    void on(Change change);
}
