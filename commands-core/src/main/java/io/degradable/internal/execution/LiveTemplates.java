package io.degradable.internal.execution;

import io.degradable.event.CommandEvent;
import io.degradable.model.CommandKey;
import io.degradable.settings.Require;
import io.degradable.state.TemplateView;
import io.degradable.template.StaticTemplate;
import io.degradable.template.TemplateCatalog;
import io.degradable.template.TemplateLoader;
import io.degradable.time.Ticker;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/**
 * The templates of a container by their names.
 *
 * <p>Threading: every method may be called from any thread. What commands are assembled with is looked up under the
 * container's lock, so no code of the user runs there: {@link #declare} is called before.
 */
final class LiveTemplates implements TemplateCatalog {

    private final String container;
    private final Ticker ticker;
    private final int most;
    private final @Nullable Listeners listeners;
    private final Map<String, LiveTemplate<?>> known = new ConcurrentHashMap<>();

    /** @param most how many may be known; those above serve their commands, and cannot be replaced */
    LiveTemplates(String container, Ticker ticker, int most, @Nullable Listeners listeners) {
        this.container = container;
        this.ticker = ticker;
        this.most = most;
        this.listeners = listeners;
    }

    /**
     * Makes the templates of a chain known.
     *
     * @throws IllegalStateException when a name is known with another value
     */
    <C, R> void declare(CommandDefinition<C, R> definition) {
        for (StageDefinition<C, R> stage : definition.stages()) {
            StaticTemplate<?> template = stage.template();
            if (template != null) {
                StaticTemplate<?> first =
                        live(template, definition.settings().key()).declared();
                if (!isSame(first, template)) {
                    throw new IllegalStateException("template " + template.name() + " of command "
                            + definition.settings().key().name() + " is known in " + container
                            + " with another value or version: declare it once, or give it another name");
                }
            }
        }
    }

    private static boolean isSame(StaticTemplate<?> one, StaticTemplate<?> other) {
        try {
            return one.isSameAs(other);
        } catch (RuntimeException thrown) {
            return false; // equals() is the user's code
        }
    }

    /** What a stage reads. No code of the user runs. */
    @SuppressWarnings("unchecked") // declare has compared the values
    <T> LiveTemplate<T> live(StaticTemplate<T> template, CommandKey command) {
        LiveTemplate<?> live = known.get(template.name());
        if (live == null) {
            LiveTemplate<T> made = new LiveTemplate<>(template, command, ticker.epochMillis());
            if (known.size() >= most) {
                return made;
            }
            live = known.putIfAbsent(template.name(), made);
            if (live == null) {
                return made;
            }
        }
        return (LiveTemplate<T>) live;
    }

    /** Forgets those that no command uses any more, unless somebody has laid a hand on them. */
    void keep(Set<String> used) {
        known.values().removeIf(live -> !used.contains(live.declared().name()) && !live.wasSwapped());
    }

    @Override
    public <T> StaticTemplate<T> current(StaticTemplate<T> declared) {
        return known(declared).current();
    }

    @Override
    public <T> void replace(StaticTemplate<T> declared, String version, T value) {
        LiveTemplate<T> live = known(declared);
        put(live, () -> live.declared().next(version, value));
    }

    @Override
    public void replace(StaticTemplate<?> next) {
        put(named(next), () -> next);
    }

    @Override
    public <T> void load(StaticTemplate<T> declared, TemplateLoader<T> loader) {
        Objects.requireNonNull(loader, "loader must not be null");
        put(known(declared), loader::load);
    }

    @Override
    public void reload(StaticTemplate<?> declared) {
        LiveTemplate<?> live = known(declared);
        TemplateLoader<?> loader = Require.notNull(
                "loader of template " + declared.name(),
                live.declared().loader(),
                "it was not loaded, so say what is to take its place");
        put(live, loader::load);
    }

    @Override
    public void reload() {
        IllegalArgumentException first = null;
        for (LiveTemplate<?> live : known.values()) {
            TemplateLoader<?> loader = live.declared().loader();
            if (loader == null) {
                continue;
            }
            try {
                put(live, loader::load);
            } catch (IllegalArgumentException refusal) {
                if (first == null) {
                    first = refusal;
                } else {
                    first.addSuppressed(refusal);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    @Override
    public List<TemplateView> views() {
        return known.values().stream()
                .<TemplateView>map(LiveTemplate::view)
                .sorted(Comparator.comparing(TemplateView::name))
                .toList();
    }

    /** The one that somebody has declared, and with that its type. */
    @SuppressWarnings("unchecked") // both are the same
    private <T> LiveTemplate<T> known(StaticTemplate<T> declared) {
        LiveTemplate<?> live = named(declared);
        Require.that(
                isSame(live.declared(), declared),
                "template " + declared.name() + " is known in " + container
                        + " with another value or version: say the one that its commands declare");
        return (LiveTemplate<T>) live;
    }

    private LiveTemplate<?> named(StaticTemplate<?> template) {
        Objects.requireNonNull(template, "template must not be null");
        LiveTemplate<?> live = known.get(template.name());
        if (live == null) {
            String names = known.keySet().stream().sorted().limit(20).collect(Collectors.joining(", "));
            throw new IllegalArgumentException("template " + template.name() + " is not known in " + container
                    + ": register a command that uses it or call it first; known are [" + names + "]");
        }
        return live;
    }

    /** What gets a version; its type is checked after. */
    private interface Getter {
        StaticTemplate<?> get() throws Exception;
    }

    private <T> void put(LiveTemplate<T> live, Getter getter) {
        try {
            StaticTemplate<?> next = Objects.requireNonNull(getter.get(), "its loader returned null");
            StaticTemplate<T> before = live.swap(next, ticker.epochMillis());
            if (before != null) {
                tell(new CommandEvent.TemplateSwapped(
                        live.command(), next.name(), before.version(), next.version(), next.loadedFrom()));
            }
        } catch (Throwable refusal) { // also an Error: loaders and rules are the user's, and others wait for their turn
            if (refusal instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw refused(live, refusal);
        }
    }

    private IllegalArgumentException refused(LiveTemplate<?> live, Throwable refusal) {
        live.refused();
        String version = live.current().version();
        String message = refusal.getMessage();
        String why = message != null && refusal instanceof IllegalArgumentException ? message : refusal.toString();
        tell(new CommandEvent.TemplateRefused(live.command(), live.declared().name(), version, why));
        return new IllegalArgumentException(
                "template " + live.declared().name() + " stays at version " + version + ": " + why, refusal);
    }

    private void tell(CommandEvent event) {
        if (listeners != null) {
            listeners.tellNow(event);
        }
    }
}
