package io.degradable.bench;

import io.degradable.model.CallOutcome;
import io.degradable.state.CallKind;
import io.degradable.state.CommandView;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Calls that have ended, by outcome and by the group of their command: a group is a command here, but for made-up names.
 *
 * <p>Threading: every method may be called from any thread.
 */
final class SoakCounts {

    private static final CallOutcome[] OUTCOMES = CallOutcome.values();

    private final Map<String, LongAdder[]> groups = new ConcurrentHashMap<>();

    void add(String group, CallOutcome outcome) {
        add(group, outcome, 1);
    }

    /** What the library has counted of a command. */
    void add(CommandView command) {
        for (CallKind kind : command.possibleCalls()) {
            add(command.key().group(), kind.outcome(), command.calls(kind));
        }
    }

    void add(SoakCounts others) {
        others.groups.forEach((group, counts) -> {
            for (CallOutcome outcome : OUTCOMES) {
                add(group, outcome, counts[outcome.ordinal()].sum());
            }
        });
    }

    private void add(String group, CallOutcome outcome, long calls) {
        groups
                .computeIfAbsent(
                        group,
                        one -> Stream.generate(LongAdder::new)
                                .limit(OUTCOMES.length)
                                .toArray(LongAdder[]::new))[outcome.ordinal()]
                .add(calls);
    }

    Set<String> groups() {
        return new TreeSet<>(groups.keySet());
    }

    long of(String group, CallOutcome outcome) {
        LongAdder[] counts = groups.get(group);
        return counts == null ? 0 : counts[outcome.ordinal()].sum();
    }

    long of(String group) {
        return Arrays.stream(OUTCOMES).mapToLong(outcome -> of(group, outcome)).sum();
    }

    long of(CallOutcome outcome) {
        return groups.keySet().stream().mapToLong(group -> of(group, outcome)).sum();
    }

    long all() {
        return groups.keySet().stream().mapToLong(this::of).sum();
    }

    /** One group in words. */
    String text(String group) {
        return Arrays.stream(OUTCOMES)
                .map(outcome -> outcome.tag() + " " + of(group, outcome))
                .collect(Collectors.joining(", "));
    }
}
