package io.degradable.settings;

import io.degradable.settings.SettingTable.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.annotation.Nullable;

/**
 * All that sources say, read and sorted by whom it is about. What cannot be read keeps what its property said before, and is
 * a fault. It is made by {@link #read}, which is a function of its arguments.
 *
 * <p>Threading: immutable.
 */
public final class SettingTexts {

    static final String COMMANDS = "degradable.command.";
    static final String POOLS = "degradable.pool.";
    static final String SWITCHES = "degradable.switch.";

    /** For all names. */
    static final String DEFAULT = "default";

    private static final String PRIMARY = "primary";

    /** Nothing is said. */
    public static final SettingTexts NONE = read(List.of(), null);

    /**
     * All of one source.
     *
     * @param source its name
     * @param texts by property
     */
    public record Read(String source, Map<String, String> texts) {}

    /**
     * A text that does nothing, since another one for the same comes first.
     *
     * @param property its name
     * @param value as it was found
     * @param source where it was found
     * @param winner the source or the property that comes first
     */
    public record Loser(String property, String value, String source, String winner) {}

    /** What a property last said that could be read. */
    record Good(String text, String source) {}

    private final Map<String, SettingTable> commands;
    private final Map<String, SettingTable> pools;
    private final List<ControlText> switches;
    private final List<SettingFault> faults;
    private final List<Loser> losers;
    private final Map<String, Good> good;

    SettingTexts(
            Map<String, SettingTable> commands,
            Map<String, SettingTable> pools,
            List<ControlText> switches,
            List<SettingFault> faults,
            List<Loser> losers,
            Map<String, Good> good) {
        this.commands = commands;
        this.pools = pools;
        this.switches = List.copyOf(switches);
        this.faults = List.copyOf(faults);
        this.losers = List.copyOf(losers);
        this.good = Map.copyOf(good);
    }

    /**
     * Reads sources.
     *
     * @param sources the first has precedence
     * @param before what was read of them last; null for nothing
     */
    public static SettingTexts read(List<Read> sources, @Nullable SettingTexts before) {
        return new TextReader(before == null ? Map.of() : before.good).read(sources);
    }

    /** What could not be read and what is no setting, by property; each is there once. */
    public List<SettingFault> faults() {
        return faults;
    }

    /** What another source or another name outdoes, by property. */
    public List<Loser> losers() {
        return losers;
    }

    /** Where switches are held, by property. */
    public List<ControlText> switches() {
        return switches;
    }

    /** What is held of a command: breakers by force, and stages that are out. Nobody has looked whether it has those stages. */
    public List<ControlText> controls(String command) {
        SettingTable own = command(command);
        SettingTable all = command(DEFAULT);
        Set<String> stages = new TreeSet<>();
        List.of(own, all).forEach(table -> table.names().forEach(name -> addStage(stages, name)));
        List<ControlText> held = new ArrayList<>();
        for (String stage : stages) {
            Value open = control(own, all, stage, SettingCatalogue.FORCE_OPEN);
            Value closed = control(own, all, stage, SettingCatalogue.FORCE_CLOSED);
            Value out = control(own, all, stage, SettingCatalogue.OUT);
            if (open != null && open.is(true)) {
                held.add(held("circuit", command, stage, "open", open));
            } else if (closed != null && closed.is(true)) {
                held.add(held("circuit", command, stage, "closed", closed));
            }
            if (out != null && out.is(true)) {
                held.add(held("stage", command, stage, "out", out));
            }
        }
        return List.copyOf(held);
    }

    private static void addStage(Set<String> stages, String name) {
        for (String control : SettingCatalogue.CONTROLS.keySet()) {
            if (name.equals(control)) {
                stages.add(PRIMARY);
            } else if (name.startsWith(SettingCatalogue.STAGE) && name.endsWith("." + control)) {
                stages.add(name.substring(SettingCatalogue.STAGE.length(), name.length() - control.length() - 1));
            }
        }
    }

    private static @Nullable Value control(SettingTable own, SettingTable all, String stage, String control) {
        String name = SettingCatalogue.STAGE + stage + "." + control;
        for (SettingTable table : List.of(own, all)) {
            Value said = table.get(name);
            if (said == null && stage.equals(PRIMARY)) {
                said = table.get(control);
            }
            if (said != null) {
                return said;
            }
        }
        return null;
    }

    private static ControlText held(String kind, String command, String stage, String position, Value by) {
        return new ControlText(kind, command, stage, position, by.property(), by.source());
    }

    SettingTable command(String name) {
        return commands.getOrDefault(name, SettingTable.EMPTY);
    }

    SettingTable pool(String name) {
        return pools.getOrDefault(name, SettingTable.EMPTY);
    }
}
