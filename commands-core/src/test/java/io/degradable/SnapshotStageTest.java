package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.degradable.event.CommandEvent.CallEnded;
import io.degradable.model.CommandResult;
import io.degradable.model.EventType;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.state.CommandView;
import io.degradable.state.StageView;
import io.degradable.template.StaticSnapshot;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ChainContract;
import io.degradable.testing.ManualTicker;
import io.degradable.testing.RecordedEvents;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.annotation.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** D3: at the end of a chain a record of a snapshot answers with the age of the snapshot; what it has not, a template. */
@Timeout(60)
final class SnapshotStageTest {

    private static final Duration AGE = Duration.ofMinutes(40);

    /** A snapshot of one record; another cannot be read. */
    private static final class Records implements StaticSnapshot<String, String> {

        @Override
        public String name() {
            return "records";
        }

        @Override
        public @Nullable Found<String> find(String key) throws IOException {
            if (key.equals("broken")) {
                throw new IOException("record broken");
            }
            return key.equals("known") ? new Found<>("a record", AGE.toNanos()) : null;
        }

        @Override
        public View view() {
            return new View(name(), 1, null, AGE.toNanos(), 1, 100, 1, 0, null);
        }
    }

    private static final StaticTemplate<String> UNKNOWN = StaticTemplate.of("unavailable", "data unavailable");

    private final Records records = new Records();
    private final RecordedEvents events = new RecordedEvents();
    private final Commands quiet = Commands.builder().ticker(new ManualTicker()).build();
    private final Commands followed =
            Commands.builder().ticker(new ManualTicker()).inlineListener(events).build();
    private final CommandSpec<Call, String> spec = declared().build();

    private CommandSpec.Builder<Call, String> declared() {
        return Call.declared().fallback(chain -> chain.template(records, SnapshotStageTest::key, UNKNOWN));
    }

    /** Fails for an id that nobody should have. */
    private static String key(Call call) {
        if (call.id.isEmpty()) {
            throw new IllegalStateException("no id");
        }
        return call.id.toLowerCase(Locale.ROOT);
    }

    @AfterEach
    void close() {
        quiet.close();
        followed.close();
    }

    private Call failing(Commands commands, String id) {
        return new Call(commands, spec, id, () -> {
            throw new IOException("down");
        });
    }

    private static CommandView command(Commands commands) {
        return commands.commands().iterator().next();
    }

    private static StageView stage(Commands commands) {
        return command(commands).stages().get(1);
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    @DisplayName("D3: a record answers as static, by every entry point")
    void a_record_answers(EntryPoint entry) throws Exception {
        assertThat(entry.run(failing(quiet, "KNOWN"))).isEqualTo("a record");
        assertThat(command(quiet).events(EventType.FALLBACK_SUCCESS)).isEqualTo(1);
        assertThat(stage(quiet).kind()).isEqualTo(Source.STATIC);
        assertThat(stage(quiet).refersTo()).isEqualTo("records");
    }

    @Test
    @DisplayName("H8, D3: a record has the age of its snapshot, in the result, its headers and the figures")
    void a_record_has_the_age_of_its_snapshot() {
        for (Commands commands : new Commands[] {quiet, followed}) { // by the short way and by the long one
            CommandResult<String> result = failing(commands, "known").executeForResult();

            assertThat(result.value()).isEqualTo("a record");
            assertThat(result.source()).isEqualTo(Source.STATIC);
            assertThat(result.age()).contains(AGE);
            assertThat(result.headers()).containsAllEntriesOf(Map.of("X-Data-Source", "static", "X-Data-Age", "2400"));
            assertThat(command(commands).servedCopies()).isEqualTo(1);
            assertThat(command(commands).servedAgeNanos()).isEqualTo(AGE.toNanos());
        }
        assertThat(events.all(CallEnded.class))
                .singleElement()
                .satisfies(call -> assertThat(call.age()).isEqualTo(AGE));
    }

    @Test
    @DisplayName("D3: what is not there is answered with the marker, which has no age")
    void what_is_not_there_is_answered_by_the_template() {
        for (Commands commands : new Commands[] {quiet, followed}) {
            CommandResult<String> result = failing(commands, "other").executeForResult();

            assertThat(result.value()).isEqualTo("data unavailable");
            assertThat(result.source()).isEqualTo(Source.STATIC);
            assertThat(result.age()).isEmpty();
            assertThat(result.headers()).doesNotContainKey("X-Data-Age");
            assertThat(command(commands).servedCopies()).isZero();
            assertThat(stage(commands).userMistakes()).isZero();
        }
    }

    @Test
    @DisplayName("D3: a key that throws or a record that is broken does not cost the answer, and shows as a mistake")
    void a_mistake_is_counted_and_the_template_answers() {
        assertThat(failing(quiet, "").execute()).isEqualTo("data unavailable");
        assertThat(failing(quiet, "broken").execute()).isEqualTo("data unavailable");

        assertThat(stage(quiet).userMistakes()).isEqualTo(2);
        assertThat(stage(quiet).ended(StageReason.ANSWER)).isEqualTo(2);
        assertThat(command(quiet).events(EventType.FALLBACK_FAILURE)).isZero();
    }

    @Test
    void the_marker_is_a_template_that_can_be_swapped() {
        failing(quiet, "other").execute();

        quiet.templates().replace(UNKNOWN, "2", "data will be back at noon");

        assertThat(failing(quiet, "other").execute()).isEqualTo("data will be back at noon");
        assertThat(failing(quiet, "known").execute()).isEqualTo("a record");
    }

    @Test
    @DisplayName("H12: a snapshot is rehearsed, and one that is broken shows before it is needed")
    void a_snapshot_is_rehearsed() throws Exception {
        CommandSpec<Call, String> rehearsed = declared().rehearse(100).build();
        new Call(quiet, rehearsed, "broken", () -> "live").execute();
        await().atMost(20, TimeUnit.SECONDS)
                .until(() -> stage(quiet).rehearsal().orElseThrow().asked() == 1);

        assertThat(stage(quiet).rehearsal().orElseThrow().ended()).isEqualTo(Map.of(StageReason.EXCEPTION, 1L));
        assertThat(stage(quiet).userMistakes()).isZero();
    }

    @Test
    void a_chain_that_ends_in_a_snapshot_keeps_the_contract() {
        ChainContract.of(() -> new Call(quiet, spec, "known", () -> "live")).check();
        ChainContract.of(() -> new Call(quiet, spec, "", () -> "live")).check();
    }
}
