package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.degradable.model.CommandException;
import io.degradable.model.EventType;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.template.StaticTemplate;
import java.io.IOException;
import javax.annotation.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** H6: a template is typed, never null, and says what it must say. */
@Timeout(30)
final class TemplateStageTest {

    @SuppressWarnings("NullAway") // what a careless caller does
    private static String careless(@Nullable String value) {
        return value;
    }

    @Test
    @DisplayName("H6: null is no template")
    void null_is_refused_by_name() {
        assertThatThrownBy(() -> StaticTemplate.of("price", careless(null)))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("template price must not be null");
    }

    @Test
    @DisplayName("H6: a filled template that is null is a miss, never an answer")
    void a_fill_that_gives_null_is_a_miss() {
        try (Commands commands = Commands.create()) {
            CommandSpec<Call, String> spec = Call.declared()
                    .fallback(chain ->
                            chain.template(StaticTemplate.of("price", "to be confirmed"), (price, call) -> null))
                    .build();

            CommandException thrown = catchThrowableOfType(
                    CommandException.class,
                    () -> new Call(commands, spec, "1", () -> {
                                throw new IOException("down");
                            })
                            .execute());

            assertThat(thrown).hasRootCauseMessage("down");
            assertThat(thrown.trail())
                    .extracting(StageReport::reason)
                    .containsExactly(StageReason.EXCEPTION, StageReason.NULL_ANSWER);
            assertThat(commands.commands().iterator().next().events(EventType.FALLBACK_FAILURE))
                    .isEqualTo(1);
        }
    }

    @Test
    @DisplayName("H6: a misleading zero or an empty list is refused where the template says so")
    void a_template_that_misleads_is_refused() {
        assertThatThrownBy(() -> StaticTemplate.of("price", 0).checked("a price above 0", price -> price > 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("template price must satisfy \"a price above 0\", was 0");
        assertThat(StaticTemplate.of("price", 7)
                        .checked("a price above 0", price -> price > 0)
                        .value())
                .isEqualTo(7);
    }
}
