package io.degradable.internal.stage;

import io.degradable.internal.window.Sampler;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * Asks the copies and templates of a chain for a share of the calls that the primary has answered, since a path that is
 * never used rots. What comes out is counted apart and seen by nobody.
 *
 * <p>A copy is looked up in memory before the new answer takes its place, or every look would find that one. Templates run
 * code of the user, so they are filled on another thread, one rehearsal of the command at a time: one that hangs ends the
 * rehearsals of its templates, and nothing else.
 *
 * <p>Threading: every method may be called from any thread.
 */
public final class Rehearsal<C> {

    private final Sampler sampler;
    private final List<Stage<C, ?, ?>> copies;
    private final List<Stage<C, ?, ?>> templates;
    private final Predicate<Runnable> aside;
    private final AtomicBoolean filling;

    /**
     * The rehearsals of a command.
     *
     * @param percentage of the calls, above 0
     * @param filling whether a template is being filled, whoever began that; the same for all rehearsals of a command
     * @param aside does something on another thread, with what the call carries along; false when it will not
     */
    public Rehearsal(
            double percentage,
            List<Stage<C, ?, ?>> copies,
            List<Stage<C, ?, ?>> templates,
            AtomicBoolean filling,
            Predicate<Runnable> aside) {
        this.filling = filling;
        this.sampler = new Sampler(percentage);
        this.copies = List.copyOf(copies);
        this.templates = List.copyOf(templates);
        this.aside = aside;
    }

    /** The primary has answered a call, and the answer is not kept yet. Throws nothing. */
    void answered(C command) {
        if (sampler.picks()) {
            try {
                rehearse(command);
            } catch (Throwable noStackLeft) {
                // It is not needed.
            }
        }
    }

    private void rehearse(C command) {
        copies.forEach(stage -> stage.rehearse(command));
        if (!templates.isEmpty() && filling.compareAndSet(false, true) && !aside.test(() -> fill(command))) {
            filling.set(false);
        }
    }

    private void fill(C command) {
        try {
            templates.forEach(stage -> stage.rehearse(command));
        } finally {
            filling.set(false);
        }
    }
}
