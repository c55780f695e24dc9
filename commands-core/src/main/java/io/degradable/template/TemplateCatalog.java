package io.degradable.template;

import io.degradable.state.TemplateView;
import java.util.List;

/**
 * The templates of a container, each in its current version. A template is known with the first command that uses it, and
 * the version that command declares is the first. A newer one is taken at once: a call reads the version once, so it sees
 * the old or the new one and nothing in between.
 *
 * <p>A version that is bad is refused: whoever wanted to put it in hears why, it is counted, listeners are told, and the old
 * one stays. The rules of the declared template hold for each that takes its place.
 *
 * <p>Threading: every method may be called from any thread. Loaders and rules run on the calling one.
 */
public interface TemplateCatalog {

    /**
     * The current version.
     *
     * @throws IllegalArgumentException when it is not known; the message names those that are
     */
    <T> StaticTemplate<T> current(StaticTemplate<T> declared);

    /**
     * Puts in a new version, made in code.
     *
     * @param version its name; 1 to 120 letters, digits and {@code . _ - /}
     * @throws IllegalArgumentException when it is refused: the template is not known, the value breaks a rule, or another
     *     value has this version now
     */
    <T> void replace(StaticTemplate<T> declared, String version, T value);

    /**
     * Puts in a template that has the name of a known one and was made apart from it.
     *
     * @throws IllegalArgumentException when it is refused: also when its type is another, or cannot be seen to be the same
     */
    void replace(StaticTemplate<?> next);

    /**
     * Puts in what a loader gets; when it fails, that is a refusal as well.
     *
     * @throws IllegalArgumentException when it is refused
     */
    <T> void load(StaticTemplate<T> declared, TemplateLoader<T> loader);

    /**
     * Loads a template again from where it was declared to be. Nothing happens when that has not changed.
     *
     * @throws IllegalArgumentException when it is refused, or was made in code
     */
    void reload(StaticTemplate<?> declared);

    /**
     * Loads all that were declared to be loaded. Each is taken or refused for itself.
     *
     * @throws IllegalArgumentException the first refusal, when all have been tried; the others are suppressed in it
     */
    void reload();

    /** What can be looked at, by name. */
    List<TemplateView> views();
}
