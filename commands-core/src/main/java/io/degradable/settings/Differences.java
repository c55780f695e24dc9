package io.degradable.settings;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.annotation.Nullable;

/** Says in which fields two settings differ, for the message that refuses the second. */
public final class Differences {

    private Differences() {}

    /** For instance {@code key.group was "catalog", now "stock"}; one text, empty when nothing differs. */
    public static String between(Record known, Record given) {
        List<String> found = new ArrayList<>();
        compare("", known, given, found);
        return String.join("; ", found);
    }

    private static void compare(String path, @Nullable Object known, @Nullable Object given, List<String> found) {
        if (Objects.equals(known, given)) {
            return;
        }
        if (known instanceof Record a && given instanceof Record b && a.getClass() == b.getClass()) {
            for (RecordComponent component : a.getClass().getRecordComponents()) {
                String name = path.isEmpty() ? component.getName() : path + "." + component.getName();
                compare(name, read(component, a), read(component, b), found);
            }
        } else if (known instanceof List<?> a && given instanceof List<?> b && a.size() == b.size()) {
            for (int place = 0; place < a.size(); place++) {
                compare(path + "[" + place + "]", a.get(place), b.get(place), found);
            }
        } else {
            found.add(path + " was " + text(known) + ", now " + text(given));
        }
    }

    private static @Nullable Object read(RecordComponent component, Record record) {
        try {
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(component + " of a public record cannot be read", e);
        }
    }

    /** A record in a list by its first component, which is its name. */
    private static @Nullable Object name(Object element) {
        return element instanceof Record record ? read(record.getClass().getRecordComponents()[0], record) : element;
    }

    private static String text(@Nullable Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(Differences::name).toList().toString();
        }
        if (value instanceof Duration span) {
            return Require.text(span);
        }
        return value instanceof CharSequence ? "\"" + value + "\"" : String.valueOf(value);
    }
}
