package io.degradable.internal.control;

import io.degradable.control.Target;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/** All holds at one moment, for readers without locks. Never changed once it is made. */
final class Table {

    static final Table EMPTY = new Table(List.of());

    private final Map<String, Held> commands = new HashMap<>();
    private final Map<String, Held> groups = new HashMap<>();
    private final Map<String, Map<String, Held>> stages = new HashMap<>();
    private final Map<String, Map<String, Held>> circuits = new HashMap<>();
    private final @Nullable Held everything;
    private final List<Held> all;

    /** What ends first of those that end by themselves; null for none. */
    final @Nullable Held endsFirst;

    /** The holds that the slots have at the moment; in their order, of each slot first the one that counts. */
    Table(Collection<Slot> slots) {
        Held ofAll = null;
        List<Held> held = new ArrayList<>();
        for (Slot slot : slots) {
            Held winner = slot.winner();
            if (winner != null) {
                held.add(winner);
                ofAll = winner.target().kind() == Target.Kind.ALL ? winner : ofAll;
                put(winner);
            }
            Held loser = slot.loser();
            if (loser != null) {
                held.add(loser);
            }
        }
        this.everything = ofAll;
        this.all = List.copyOf(held);
        this.endsFirst = endsFirst(all);
    }

    private void put(Held held) {
        String name = held.target().name();
        switch (held.target().kind()) {
            case COMMAND -> commands.put(name, held);
            case GROUP -> groups.put(name, held);
            case STAGE -> put(stages, held);
            case CIRCUIT -> put(circuits, held);
            case ALL -> {} // has a field of its own
        }
    }

    private static @Nullable Held endsFirst(List<Held> all) {
        Held first = null;
        for (Held held : all) {
            if (held.expires() && (first == null || held.expiresNanos() - first.expiresNanos() < 0)) {
                first = held;
            }
        }
        return first;
    }

    private static void put(Map<String, Map<String, Held>> ofCommands, Held held) {
        ofCommands
                .computeIfAbsent(held.target().name(), command -> new HashMap<>())
                .put(held.target().stage(), held);
    }

    @Nullable
    Held inForce(String command, String group) {
        Held own = commands.get(command);
        if (own != null) {
            return own;
        }
        Held ofGroup = groups.get(group);
        return ofGroup != null ? ofGroup : everything;
    }

    @Nullable
    Held out(String command, String stage) {
        return find(stages, command, stage);
    }

    @Nullable
    Held circuit(String command, String stage) {
        return find(circuits, command, stage);
    }

    private static @Nullable Held find(Map<String, Map<String, Held>> ofCommands, String command, String stage) {
        Map<String, Held> held = ofCommands.get(command);
        return held == null ? null : held.get(stage);
    }

    List<Held> all() {
        return all;
    }
}
