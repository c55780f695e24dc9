package io.degradable;

/**
 * A chain that is complete. The types hold the order: {@link Start}, then {@link Spares}, then {@link Caches}, then at most
 * one template; each step offers only what may come next.
 *
 * @param <C> the command
 * @param <R> the answer
 */
public sealed interface FallbackSpec<C, R> permits Caches, Chain {}
