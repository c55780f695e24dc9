package io.degradable.state;

import io.degradable.model.CallOutcome;
import io.degradable.model.Source;
import io.degradable.model.Trigger;
import javax.annotation.Nullable;

/**
 * By what calls are told apart on every channel.
 *
 * @param source who answered; null for nobody
 */
public record CallKind(CallOutcome outcome, @Nullable Source source, Trigger trigger) {}
