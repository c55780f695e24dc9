package io.degradable.internal.execution;

import io.degradable.model.CallOutcome;
import io.degradable.model.Source;
import io.degradable.model.Trigger;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.CommandSettings;
import io.degradable.settings.StageSettings;
import io.degradable.state.CallKind;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Set;

/** Which kinds of call a command can produce, so that their meters can be there at zero and no others are. */
final class PossibleCalls {

    private PossibleCalls() {}

    static Set<CallKind> of(CommandSettings settings) {
        Set<CallKind> kinds = new LinkedHashSet<>();
        kinds.add(new CallKind(CallOutcome.NORMAL, Source.PRIMARY, Trigger.NONE));
        kinds.add(new CallKind(CallOutcome.BAD_REQUEST, null, Trigger.NONE));
        kinds.add(new CallKind(CallOutcome.CANCELLED, null, Trigger.NONE));
        if (settings.shortCut() != null) {
            kinds.add(new CallKind(CallOutcome.DEGRADED, Source.CACHE, Trigger.RESPONSE_FROM_CACHE));
            kinds.add(new CallKind(CallOutcome.REJECTED, null, Trigger.OVERLOADED)); // by the refill
        }
        addByHand(kinds, settings);
        for (Trigger trigger : triggers(settings)) {
            for (StageSettings stage : settings.stages()) {
                if (stage.entry().on().contains(trigger)) {
                    kinds.add(new CallKind(CallOutcome.DEGRADED, stage.kind(), trigger));
                    if (stage.kind() == Source.SPARE) {
                        kinds.add(new CallKind(CallOutcome.BAD_REQUEST, null, trigger));
                    }
                }
                // The caller may go while the chain is under way, also before a stage that would be skipped.
                kinds.add(new CallKind(CallOutcome.CANCELLED, null, trigger));
            }
            if (trigger == Trigger.FAILURE || trigger == Trigger.OVERLOADED || trigger == Trigger.TIMEOUT) {
                kinds.add(new CallKind(CallOutcome.FAILED, null, trigger));
            }
            if (trigger != Trigger.FAILURE && trigger != Trigger.OVERLOADED) {
                kinds.add(new CallKind(CallOutcome.REJECTED, null, trigger));
            }
        }
        return Collections.unmodifiableSet(kinds);
    }

    /** A switch, the way back from it, and a primary that is out: there the stages' own triggers do not count. */
    private static void addByHand(Set<CallKind> kinds, CommandSettings settings) {
        for (Trigger trigger : EnumSet.of(Trigger.SWITCH, Trigger.RAMP)) {
            for (StageSettings stage : settings.stages()) {
                if (stage.kind() != Source.SPARE) {
                    kinds.add(new CallKind(CallOutcome.DEGRADED, stage.kind(), trigger));
                } else if (trigger == Trigger.SWITCH) {
                    kinds.add(new CallKind(CallOutcome.DEGRADED, Source.SPARE, trigger));
                    kinds.add(new CallKind(CallOutcome.BAD_REQUEST, null, trigger));
                }
            }
            if (!settings.stages().isEmpty()) {
                kinds.add(new CallKind(CallOutcome.CANCELLED, null, trigger));
                kinds.add(new CallKind(CallOutcome.REJECTED, null, trigger));
            }
        }
    }

    private static Set<Trigger> triggers(CommandSettings settings) {
        Set<Trigger> triggers = EnumSet.of(Trigger.FAILURE, Trigger.TIMEOUT, Trigger.OVERLOADED);
        triggers.add(
                settings.guard().bulkhead() instanceof BulkheadSettings.Semaphore
                        ? Trigger.SEMAPHORE_REJECTED
                        : Trigger.THREAD_POOL_REJECTED); // virtual threads too
        if (settings.key().name().equals(Container.OTHER)) {
            triggers.add(Trigger.SEMAPHORE_REJECTED); // who shares it may run on the caller's thread
        }
        triggers.add(Trigger.SHORT_CIRCUITED); // also of a breaker that is switched off: it can be forced open
        return triggers;
    }
}
