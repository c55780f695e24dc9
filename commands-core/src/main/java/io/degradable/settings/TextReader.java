package io.degradable.settings;

import io.degradable.settings.HystrixNames.Alias;
import io.degradable.settings.SettingTable.Value;
import io.degradable.settings.SettingTexts.Good;
import io.degradable.settings.SettingTexts.Loser;
import io.degradable.settings.SettingTexts.Read;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/** Reads and sorts what sources say, once. */
final class TextReader {

    private static final String OURS = "degradable.";
    private static final String HYSTRIX = "hystrix.";
    private static final int LONGEST_NAME = 120;

    /** One of the things that a property may be about: where a name with dots in it ends is not to be seen. */
    private record Place(
            Map<String, SettingTable> tables, String kind, String name, boolean hystrix, String kept, Form form) {}

    private record Found(String source, String text) {}

    private final Map<String, Good> before;
    private final Map<String, Good> good = new HashMap<>();
    private final Map<String, SettingTable> commands = new HashMap<>();
    private final Map<String, SettingTable> pools = new HashMap<>();
    private final List<ControlText> switches = new ArrayList<>();
    private final List<SettingFault> faults = new ArrayList<>();
    private final List<Loser> losers = new ArrayList<>();

    TextReader(Map<String, Good> before) {
        this.before = before;
    }

    SettingTexts read(List<Read> sources) {
        TreeMap<String, List<Found>> byProperty = new TreeMap<>();
        for (Read source : sources) {
            source.texts().forEach((property, text) -> {
                if (property != null && text != null && (property.startsWith(OURS) || property.startsWith(HYSTRIX))) {
                    byProperty
                            .computeIfAbsent(property, any -> new ArrayList<>())
                            .add(new Found(source.source(), text));
                }
            });
        }
        byProperty.forEach((property, found) -> {
            if (property.startsWith(SettingTexts.SWITCHES)) {
                position(property, found);
            } else {
                setting(property, found);
            }
        });
        commands.values().forEach(table -> table.outdone(losers::add));
        pools.values().forEach(table -> table.outdone(losers::add));
        return new SettingTexts(commands, pools, switches, faults, losers, good);
    }

    private void setting(String property, List<Found> found) {
        List<Place> places = places(property);
        if (places.isEmpty()) {
            faults.add(
                    new SettingFault(property, found.get(0).text(), found.get(0).source(), "", unknown(property)));
            return;
        }
        Place first = places.get(0);
        Good said = good(property, found, first.kind() + " " + first.name(), text -> {
            Require.name(first.kind() + " name", first.name());
            places.forEach(place -> place.form().read(text)); // it can be read wherever it belongs
        });
        if (said == null) {
            return;
        }
        for (Place place : places) {
            Object parsed = place.form().read(said.text().strip());
            place.tables()
                    .computeIfAbsent(place.name(), any -> new SettingTable())
                    .put(place.hystrix(), place.kept(), new Value(parsed, property, said.source(), said.text()));
        }
    }

    private void position(String property, List<Found> found) {
        String rest = property.substring(SettingTexts.SWITCHES.length());
        int dot = rest.indexOf('.');
        String kind = dot < 0 ? rest : rest.substring(0, dot);
        String name = dot < 0 ? "" : rest.substring(dot + 1);
        boolean all = rest.equals("all");
        if (!all && !((kind.equals("command") || kind.equals("group")) && !name.isEmpty())) {
            faults.add(
                    new SettingFault(property, found.get(0).text(), found.get(0).source(), "", unknown(property)));
            return;
        }
        Good said = good(property, found, "switch of " + (all ? "everything" : kind + " " + name), text -> {
            if (!all) {
                Require.name(kind + " name", name);
            }
            WordForms.POSITION.read(text);
        });
        if (said != null) {
            switches.add(new ControlText(kind, name, "", said.text().strip(), property, said.source()));
        }
    }

    /**
     * What a property says: the first source's word; where that cannot be read what could be read last, or else the next
     * source's.
     */
    private @Nullable Good good(String property, List<Found> found, String subject, Consumer<String> check) {
        Good taken = null;
        for (Found candidate : found) {
            if (taken != null) {
                losers.add(new Loser(property, candidate.text(), candidate.source(), taken.source()));
                continue;
            }
            try {
                check.accept(candidate.text().strip());
                taken = new Good(candidate.text(), candidate.source());
            } catch (IllegalArgumentException unreadable) {
                taken = before.get(property);
                faults.add(new SettingFault(
                        property,
                        candidate.text(),
                        candidate.source(),
                        subject,
                        unreadable.getMessage()
                                + (taken == null
                                        ? "; it was never readable, so it says nothing"
                                        : "; what it said before counts, "
                                                + taken.text().strip())));
            }
        }
        if (taken != null) {
            good.put(property, taken);
        }
        return taken;
    }

    private static String unknown(String property) {
        return property.startsWith(HYSTRIX)
                ? HystrixNames.whyNot(property)
                : "is no name of a setting; the nearest is " + Nearest.to(property);
    }

    private List<Place> places(String property) {
        List<Place> places = new ArrayList<>();
        addPlaces(places, property, SettingTexts.COMMANDS, commands, "command", false);
        addPlaces(places, property, SettingTexts.POOLS, pools, "pool", false);
        addPlaces(places, property, HystrixNames.COMMANDS, commands, "command", true);
        addPlaces(places, property, HystrixNames.POOLS, pools, "pool", true);
        return places;
    }

    private static void addPlaces(
            List<Place> places,
            String property,
            String prefix,
            Map<String, SettingTable> tables,
            String kind,
            boolean hystrix) {
        if (!property.startsWith(prefix)) {
            return;
        }
        int longest = prefix.length() + LONGEST_NAME;
        for (int dot = property.indexOf('.', prefix.length() + 1);
                dot >= 0 && dot <= longest;
                dot = property.indexOf('.', dot + 1)) {
            String name = property.substring(prefix.length(), dot);
            String rest = property.substring(dot + 1);
            if (hystrix) {
                Alias alias = kind.equals("command") ? HystrixNames.ofCommand(rest) : HystrixNames.ofPool(rest);
                if (alias != null) {
                    places.add(new Place(tables, kind, name, true, alias.kept(), alias.form()));
                }
            } else {
                Form form = kind.equals("command")
                        ? SettingCatalogue.formOfCommand(rest)
                        : SettingCatalogue.formOfPool(rest);
                if (form != null) {
                    places.add(new Place(tables, kind, name, false, rest, form));
                }
            }
        }
    }
}
