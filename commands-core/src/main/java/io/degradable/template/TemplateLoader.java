package io.degradable.template;

/**
 * Gets a version of a template from where it is kept. Runs on the thread of whoever asks for it, never on that of a call, so
 * it may read a file.
 *
 * @param <T> the type of the answer
 */
@FunctionalInterface
public interface TemplateLoader<T> {

    /**
     * The version that is there now.
     *
     * @throws Exception when there is none, or a bad one
     */
    StaticTemplate<T> load() throws Exception;
}
