package io.degradable.control;

import java.util.List;
import java.util.Optional;

/**
 * What a human may turn while it runs: switches of commands, groups and everything; stages taken out for maintenance;
 * breakers held open or closed. It outranks everything automatic, is visible, and ends by itself unless somebody has said
 * that it must not.
 *
 * <p>The most specific switch wins: a command's over its group's over the one of everything; of two for the same target
 * (configuration and hand) the later. {@link Position#NORMAL} is a position like the others: it lifts a less specific switch.
 *
 * <p>Threading: every method may be called from any thread; a change holds when the method returns, for calls that begin then.
 */
public interface Switches {

    /**
     * Holds a target somewhere, in place of what a hand has held it at before.
     *
     * @return what holds now
     * @throws IllegalArgumentException when the target is known and cannot be held there: the command has no stage that could
     *     serve, there is no such stage, or it has no breaker. The message names it
     */
    ManualOverride set(Target target, Position position, Order order);

    /**
     * Ends what a hand has held. A command whose primary was kept from calls for more than a minute gets them back in steps
     * (10, 25, 50, 75, 100 %), unless the order says {@link Order#atOnce()}. What configuration says stays.
     *
     * @return whether a hand had held it
     */
    boolean clear(Target target, Order order);

    /** Everything that is held now, in the order of the targets' texts; what another one outranks is among them. */
    List<ManualOverride> all();

    /** The switch that decides for the calls of a command; empty when none does. Stages and breakers are in {@link #all()}. */
    Optional<ManualOverride> decidesFor(String command);

    /** How the store of what hands hold is; empty when there is none. */
    Optional<StoreState> store();

    /** The last 1,000 changes, the latest last. */
    List<Change> changes();
}
