package io.degradable.internal.execution;

import io.degradable.model.CommandKey;
import io.degradable.settings.Require;
import io.degradable.state.TemplateView;
import io.degradable.template.StaticTemplate;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import javax.annotation.Nullable;

/**
 * A template in a container: what stages read, and may be replaced while they do.
 *
 * <p>Threading: every method may be called from any thread. There is no lock, since rules and values are the user's code.
 */
final class LiveTemplate<T> implements Supplier<T> {

    private static final VarHandle CURRENT;

    static {
        try {
            CURRENT = MethodHandles.lookup().findVarHandle(LiveTemplate.class, "current", Version.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** A version, with its value at hand. */
    private record Version<T>(T value, StaticTemplate<T> template, long sinceMillis) {}

    private final StaticTemplate<T> declared;
    private final CommandKey command;
    private volatile Version<T> current;
    private final LongAdder swaps = new LongAdder();
    private final LongAdder refused = new LongAdder();

    /**
     * A template in its first version.
     *
     * @param command by which it became known
     */
    LiveTemplate(StaticTemplate<T> declared, CommandKey command, long nowMillis) {
        this.declared = declared;
        this.command = command;
        this.current = new Version<>(declared.value(), declared, nowMillis);
    }

    /** The value now. */
    @Override
    public T get() {
        return current.value;
    }

    StaticTemplate<T> declared() {
        return declared;
    }

    StaticTemplate<T> current() {
        return current.template;
    }

    CommandKey command() {
        return command;
    }

    /**
     * Takes another version.
     *
     * @return the one that it has taken the place of; null when it is the current one
     * @throws IllegalArgumentException when it does not fit
     */
    @Nullable
    StaticTemplate<T> swap(StaticTemplate<?> given, long nowMillis) {
        StaticTemplate<T> next = declared.succeededBy(given);
        Version<T> after = new Version<>(next.value(), next, nowMillis);
        while (true) {
            Version<T> before = current;
            if (before.template.version().equals(next.version())) {
                Require.that(
                        before.template.isSameAs(next),
                        "version " + next.version() + " of template " + declared.name()
                                + " has another content now: what is changed takes a new version");
                return null;
            }
            if (CURRENT.compareAndSet(this, before, after)) {
                swaps.increment();
                return before.template;
            }
        }
    }

    void refused() {
        refused.increment();
    }

    boolean wasSwapped() {
        return swaps.sum() > 0;
    }

    TemplateView view() {
        Version<T> now = current;
        return new TemplateView(
                declared.name(),
                now.template.version(),
                Instant.ofEpochMilli(now.sinceMillis),
                now.template.loadedFrom(),
                swaps.sum(),
                refused.sum());
    }
}
