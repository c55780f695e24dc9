package io.degradable.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import javax.annotation.Nullable;

/**
 * Finds what reads like knowledge in an answer that knows nothing: a null where something is expected, a zero, an empty list
 * without a word. Fields are named by their path from the top, {@code shipping.cents}; those of a list's items by the path
 * of the list and their own, {@code items.id}; a value that is no object by {@value #ALL}.
 */
final class Misleading {

    /** The path of a value that has no fields. */
    static final String ALL = "value";

    /** A number that was written as a text says 0 all the same. */
    private static final Pattern ZERO = Pattern.compile("\\s*[-+]?0+([.,]0*)?\\s*");

    private final Set<String> mayLack;
    private final Set<String> zeros;
    private final Set<String> empties;
    private final String notice;
    private final Map<String, String> found = new LinkedHashMap<>();

    Misleading(Set<String> mayLack, Set<String> zeros, Set<String> empties, String notice) {
        this.mayLack = mayLack;
        this.zeros = zeros;
        this.empties = empties;
        this.notice = notice;
    }

    /** Looks at all of a value. */
    void look(JsonNode value) {
        look(value, "", false);
    }

    /** What is wrong, in order; empty when nothing is. */
    String all() {
        return String.join("; ", found.values());
    }

    private void look(JsonNode node, String path, boolean excused) {
        if (node.isNull() || node.isMissingNode()) {
            if (!mayLack.contains(named(path))) {
                say(path, "is null or missing: it needs a value, or mayLack(\"" + named(path) + "\")");
            }
        } else if (node.isDouble() && !Double.isFinite(node.doubleValue())) {
            say(path, "is " + node.asText() + ", which is no number");
        } else if (isZero(node)) {
            if (!zeros.contains(named(path))) {
                say(
                        path,
                        "is " + node + ", which reads as known: leave it out, or say zeroMeans(\"" + named(path)
                                + "\", why)");
            }
        } else if (node.isContainerNode() && node.isEmpty()) {
            if (!excused && !empties.contains(named(path))) {
                say(
                        path,
                        "is " + node + ", which reads as none: put a text into \"" + notice
                                + "\" beside it, or say emptyMeans(\"" + named(path) + "\", why)");
            }
        } else if (node.isArray()) {
            node.forEach(item -> look(item, path, false));
        } else if (node.isObject()) {
            boolean says = says(node.get(notice));
            node.properties().forEach(field -> look(field.getValue(), under(path, field.getKey()), says));
        }
    }

    private static boolean isZero(JsonNode node) {
        return node.isNumber()
                ? node.decimalValue().signum() == 0
                : node.isTextual() && ZERO.matcher(node.textValue()).matches();
    }

    private static boolean says(@Nullable JsonNode text) {
        return text != null && text.isTextual() && !text.textValue().isBlank();
    }

    private static String under(String path, String field) {
        return path.isEmpty() ? field : path + "." + field;
    }

    private static String named(String path) {
        return path.isEmpty() ? ALL : path;
    }

    private void say(String path, String problem) {
        found.putIfAbsent(path, "field " + named(path) + " " + problem);
    }
}
