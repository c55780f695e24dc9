package io.degradable.json;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.AnnotationIntrospector;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.NopAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** How JSON is read and written here, whatever the mapper is that somebody gives. */
final class Strict {

    static final ObjectMapper MAPPER = JsonMapper.builder().build();

    private Strict() {}

    /** Writes all fields, in one order, and reads nothing twice, nothing that follows and nothing that was not there. */
    @SuppressWarnings("deprecation") // a mapper that was given has no builder
    static ObjectMapper copyOf(ObjectMapper given) {
        ObjectMapper mapper = given.copy();
        mapper.setAnnotationIntrospector(AnnotationIntrospector.pair(
                new WritesAll(), given.getSerializationConfig().getAnnotationIntrospector()));
        return mapper.setSerializationInclusion(JsonInclude.Include.ALWAYS)
                .configure(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY, true)
                .configure(MapperFeature.SORT_CREATOR_PROPERTIES_FIRST, false)
                .configure(MapperFeature.ALLOW_COERCION_OF_SCALARS, false)
                .configure(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS, true)
                .configure(SerializationFeature.INDENT_OUTPUT, false)
                .configure(SerializationFeature.FAIL_ON_EMPTY_BEANS, false)
                .configure(JsonParser.Feature.STRICT_DUPLICATE_DETECTION, true)
                .configure(DeserializationFeature.FAIL_ON_TRAILING_TOKENS, true)
                .configure(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES, true)
                .configure(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS, true)
                .configure(DeserializationFeature.ACCEPT_FLOAT_AS_INT, false);
    }

    /** A field that is left out when it is null would be missing when it is read. */
    private static final class WritesAll extends NopAnnotationIntrospector {

        private static final long serialVersionUID = 1;

        @Override
        public JsonInclude.Value findPropertyInclusion(Annotated annotated) {
            return JsonInclude.Value.construct(JsonInclude.Include.ALWAYS, JsonInclude.Include.ALWAYS);
        }
    }
}
