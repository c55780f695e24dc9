package io.degradable.settings;

import java.util.List;
import java.util.Locale;
import javax.annotation.Nullable;

/** Finds what somebody may have meant by a name that is none. */
final class Nearest {

    private static final int LONGEST = 300;
    private static final String COMMANDS = SettingTexts.COMMANDS;
    private static final String POOLS = SettingTexts.POOLS;

    private final String prefix;
    private int best = Integer.MAX_VALUE;
    private @Nullable String found;

    private Nearest(String prefix) {
        this.prefix = prefix;
    }

    /** The nearest known name to a property that begins with {@code degradable.}. */
    static String to(String property) {
        if (property.length() > LONGEST) {
            return "degradable.command.<name>.<setting>";
        }
        String[] parts = property.split("\\.", 3);
        String rest = parts.length > 2 ? parts[2] : "";
        String kind = nearest(parts.length > 1 ? parts[1] : "", List.of("command", "pool", "switch"));
        if (kind.equals("switch")) {
            String of = nearest(rest.split("\\.", 2)[0], List.of("command", "group", "all"));
            return "degradable.switch." + (of.equals("all") ? of : of + ".<name>");
        }
        Nearest search = new Nearest(kind.equals("pool") ? POOLS : COMMANDS);
        search.among(rest, kind.equals("pool"));
        return search.found == null ? search.prefix + "<name>.<setting>" : search.found;
    }

    private void among(String rest, boolean pool) {
        List<String> names = SettingCatalogue.namesOf(pool ? SettingCatalogue.POOLS : SettingCatalogue.COMMANDS);
        List<String> ofStages = SettingCatalogue.namesOf(SettingCatalogue.STAGES);
        for (int dot = rest.indexOf('.'); dot >= 0; dot = rest.indexOf('.', dot + 1)) {
            String name = rest.substring(0, dot);
            String tail = rest.substring(dot + 1);
            look(name + ".", tail, names);
            if (!pool && tail.startsWith(SettingCatalogue.STAGE)) {
                int stage = SettingCatalogue.STAGE.length();
                for (int end = tail.indexOf('.', stage); end >= 0; end = tail.indexOf('.', end + 1)) {
                    look(name + "." + tail.substring(0, end + 1), tail.substring(end + 1), ofStages);
                }
            }
        }
        if (found == null) {
            look("<name>.", rest, names);
        }
    }

    private void look(String before, String given, List<String> names) {
        for (String name : names) {
            int distance = distance(given, name);
            if (distance < best) {
                best = distance;
                found = prefix + before + name;
            }
        }
    }

    private static String nearest(String given, List<String> names) {
        String nearest = names.get(0);
        for (String name : names) {
            if (distance(given, name) < distance(given, nearest)) {
                nearest = name;
            }
        }
        return nearest;
    }

    /** How many letters must be put in, taken out or changed; upper or lower case is the same. */
    private static int distance(String one, String other) {
        String a = one.toLowerCase(Locale.ROOT);
        String b = other.toLowerCase(Locale.ROOT);
        int[] row = new int[b.length() + 1];
        for (int column = 0; column <= b.length(); column++) {
            row[column] = column;
        }
        for (int line = 1; line <= a.length(); line++) {
            int diagonal = row[0];
            row[0] = line;
            for (int column = 1; column <= b.length(); column++) {
                int above = row[column];
                int changed = diagonal + (a.charAt(line - 1) == b.charAt(column - 1) ? 0 : 1);
                row[column] = Math.min(changed, 1 + Math.min(above, row[column - 1]));
                diagonal = above;
            }
        }
        return row[b.length()];
    }
}
