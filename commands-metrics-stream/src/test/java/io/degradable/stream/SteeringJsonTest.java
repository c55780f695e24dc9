package io.degradable.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.control.Order;
import io.degradable.control.OverrideStore;
import io.degradable.control.Position;
import io.degradable.control.Target;
import io.degradable.settings.SettingSource;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import javax.annotation.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What hands hold, what was changed and what settings come from outside, as the state shows it. */
@Timeout(60)
final class SteeringJsonTest {

    private static final Target ANSWER = Target.command("GetAnswer");
    private static final Order ANNA = Order.by("anna", "the oracle sleeps");
    private static final String TIMEOUT = "degradable.command.GetAnswer.timeout";

    /** What ends a string, a line or an element, and what JSON itself has to escape. */
    private static final String HOSTILE = "\"</script><b>\n\r\t\\\u0000\u2028\ud83d\ude00'";

    private final ManualTicker ticker = new ManualTicker();
    private final long start = ticker.epochMillis();
    private final List<Source> sources = new ArrayList<>();
    private final CommandSpec<Ask, String> spec = Ask.withChain("GetAnswer")
            .semaphore(7)
            .timeout(Duration.ofMillis(150))
            .build();
    private @Nullable Commands made;

    @AfterEach
    void close() {
        commands().close();
    }

    /** A source that the test fills before the container is made. */
    private record Source(
            String name,
            Map<String, String> texts,
            @Nullable Exception broken) implements SettingSource {

        @Override
        public Map<String, String> read() throws Exception {
            if (broken != null) {
                throw broken;
            }
            return texts;
        }

        @Override
        public AutoCloseable watch(Watcher watcher) {
            return () -> {};
        }
    }

    /** A store that has something and takes nothing. */
    private record Full(String name, Map<String, Entry> load) implements OverrideStore {

        @Override
        public void save(Map<String, Entry> entries) throws IOException {
            throw new IOException(HOSTILE);
        }

        @Override
        public AutoCloseable watch(Runnable changed) {
            return () -> {};
        }
    }

    /** A container with what the sources say by then. */
    private Commands commands() {
        if (made == null) {
            made = builder().build();
        }
        return made;
    }

    private Commands.Builder builder() {
        Commands.Builder builder = Commands.builder().ticker(ticker);
        sources.forEach(builder::settings);
        return builder;
    }

    private void source(String name, String... texts) {
        Map<String, String> properties = new TreeMap<>();
        for (int i = 0; i < texts.length; i += 2) {
            properties.put(texts[i], texts[i + 1]);
        }
        sources.add(new Source(name, properties, null));
    }

    private JsonNode read() {
        try {
            return Web.json(text());
        } catch (IOException noJson) {
            throw new AssertionError(noJson);
        }
    }

    private String text() {
        return new String(new StateJson(commands(), "shop").bytes(), StandardCharsets.UTF_8);
    }

    private JsonNode command() {
        return read().get("commands").get(0);
    }

    private static void until(Callable<Boolean> holds) {
        await().atMost(Duration.ofSeconds(20)).until(holds);
    }

    private static String json(String text) {
        return text.replace('\'', '"');
    }

    @Test
    void a_switch_is_shown_with_who_why_and_until_when_and_at_the_commands_that_it_decides_for() {
        commands().register(spec, Ask.named("Elsewhere").group("other").build());
        ticker.advance(Duration.ofSeconds(3));

        commands().switches().set(Target.group("oracle"), Position.CACHE_ONLY, ANNA.expiresIn(Duration.ofMinutes(7)));
        ticker.advance(Duration.ofSeconds(4));

        JsonNode state = read();
        assertThat(state.get("switches").toString())
                .isEqualTo(json("[{'target':'group:oracle','position':'1','author':'anna','reason':'the oracle sleeps',"
                        + "'since':" + (start + 3_000) + ",'expiresAt':" + (start + 3_000 + 7 * 60_000)
                        + ",'origin':'hand','pending':false,'notServed':'','stored':true}]"));
        assertThat(state.get("changes").toString())
                .isEqualTo(json("[{'id':1,'at':" + (start + 3_000) + ",'kind':'set','subject':'group:oracle','from':'',"
                        + "'to':'1','author':'anna','reason':'the oracle sleeps','expiresAt':"
                        + (start + 3_000 + 7 * 60_000) + "}]"));
        assertThat(state.get("switchStore").isNull()).isTrue();
        assertThat(state.get("commands").findValuesAsText("name")).startsWith("Elsewhere");
        assertThat(state.get("commands").get(0).get("switch").isNull()).isTrue();
        assertThat(state.get("commands").get(0).get("primaryShare").intValue()).isEqualTo(100);
        assertThat(state.get("commands").get(1).get("switch").toString())
                .isEqualTo(json("{'target':'group:oracle','position':'1'}"));
        assertThat(state.get("commands").get(1).get("primaryShare").intValue()).isZero();
    }

    @Test
    void a_switch_for_nobody_yet_is_pending_and_has_no_end_when_none_was_said() {
        commands().switches().set(ANSWER, Position.STATIC_ONLY, ANNA.untilCleared());

        JsonNode held = read().get("switches").get(0);

        assertThat(held.get("pending").booleanValue()).isTrue();
        assertThat(held.get("expiresAt").isNull()).isTrue();
        commands().register(spec);
        assertThat(read().get("switches").get(0).get("pending").booleanValue()).isFalse();
        assertThat(command().get("primaryShare").intValue()).isZero();
    }

    @Test
    void what_a_switch_does_not_move_and_what_was_refused_say_why() {
        commands().register(Ask.named("Bare").build(), spec);
        assertThatThrownBy(() -> commands().switches().set(Target.command("Bare"), Position.STATIC_ONLY, ANNA))
                .isInstanceOf(IllegalArgumentException.class);

        commands().switches().set(Target.all(), Position.STATIC_ONLY, ANNA);

        JsonNode state = read();
        assertThat(state.get("switches").get(0).get("notServed").textValue())
                .isEqualTo("Bare has no template: it goes on with its primary");
        assertThat(state.get("commands").findValuesAsText("primaryShare")).containsExactly("100", "0");
        assertThat(state.get("changes").get(0).toString())
                .isEqualTo(
                        json("{'id':1,'at':" + start + ",'kind':'refused','subject':'command:Bare','from':'','to':'2',"
                                + "'author':'anna','reason':'the switch of command Bare cannot be 2: it has no template, its"
                                + " chain is []','expiresAt':null}"));
    }

    @Test
    void a_switch_that_has_ended_by_itself_is_gone_and_the_record_says_that_it_was_there() {
        commands().register(spec);
        commands().switches().set(ANSWER, Position.STATIC_ONLY, ANNA.expiresIn(Duration.ofSeconds(50)));

        ticker.advance(Duration.ofSeconds(50));
        until(() -> read().get("switches").isEmpty());

        JsonNode state = read();
        assertThat(state.get("changes")).hasSize(2);
        JsonNode expired = state.get("changes").get(1);
        assertThat(expired.get("kind").textValue()).isEqualTo("expired");
        assertThat(expired.get("from").textValue()).isEqualTo("2");
        assertThat(expired.get("to").textValue()).isEmpty();
        assertThat(expired.get("author").textValue()).isEqualTo("expiry");
        assertThat(expired.get("at").longValue()).isEqualTo(start + 50_000);
        until(() -> command().get("primaryShare").intValue() == 100);
        assertThat(command().get("switch").isNull()).isTrue();
    }

    @Test
    void on_the_way_back_the_share_of_the_primary_is_shown() {
        commands().register(spec);
        commands().switches().set(ANSWER, Position.STATIC_ONLY, ANNA);
        ticker.advance(Duration.ofMinutes(2));

        commands().switches().clear(ANSWER, ANNA);

        assertThat(command().get("switch").isNull()).isTrue();
        assertThat(command().get("primaryShare").intValue()).isEqualTo(10);
    }

    @Test
    void settings_are_shown_with_their_values_and_who_has_said_them() {
        source(
                "file",
                TIMEOUT,
                "80 ms",
                "degradable.command.default.deadline",
                "3 s",
                "degradable.pool.oracle.size",
                "4",
                "degradable.switch.command.GetAnswer",
                "1");
        source("fleet", TIMEOUT, "90 ms");
        ticker.advance(Duration.ofSeconds(2));
        commands().register(spec, Ask.named("Pooled").build());

        JsonNode state = read();

        JsonNode settings = state.get("commands").get(0).get("settings");
        assertThat(settings.get("timeout").toString())
                .isEqualTo(json("{'value':'80 ms','from':'property','property':'" + TIMEOUT + "','source':'file'}"));
        assertThat(settings.get("deadline").toString())
                .isEqualTo(json("{'value':'3 s','from':'default_property',"
                        + "'property':'degradable.command.default.deadline','source':'file'}"));
        assertThat(settings.get("semaphore.limit").toString()).isEqualTo(json("{'value':'7','from':'code'}"));
        assertThat(settings.get("budget").toString()).isEqualTo(json("{'value':'250 ms','from':'built_in'}"));
        assertThat(state.get("commands")
                        .get(0)
                        .get("stages")
                        .get(0)
                        .get("timeoutMs")
                        .intValue())
                .isEqualTo(80);
        JsonNode configuration = state.get("configuration");
        assertThat(configuration.get("sources").toString())
                .isEqualTo(json("[{'name':'file','properties':4,'readAt':" + (start + 2_000) + ",'lastFault':''},"
                        + "{'name':'fleet','properties':1,'readAt':" + (start + 2_000) + ",'lastFault':''}]"));
        assertThat(configuration.get("faults")).isEmpty();
        assertThat(configuration.get("outdone").toString())
                .isEqualTo(json("[{'property':'" + TIMEOUT + "','value':'90 ms','source':'fleet','winner':'file'}]"));
        assertThat(configuration.get("pools").fieldNames()).toIterable().containsExactly("GetAnswer/spare", "oracle");
        assertThat(configuration.get("pools").get("oracle").get("size").toString())
                .isEqualTo(json("{'value':'4','from':'property','property':'degradable.pool.oracle.size',"
                        + "'source':'file'}"));
        assertThat(state.get("pools").findValuesAsText("limit")).contains("4");
        JsonNode held = state.get("switches").get(0);
        assertThat(held.get("origin").textValue()).isEqualTo("configuration");
        assertThat(held.get("author").textValue()).contains("degradable.switch.command.GetAnswer", "file");
        assertThat(state.get("commands").get(0).get("switch").get("target").textValue())
                .isEqualTo("command:GetAnswer");
    }

    @Test
    void what_cannot_be_done_and_a_source_that_cannot_be_read_say_why() {
        source("file", TIMEOUT, "80");
        sources.add(new Source("fleet", Map.of(), new IOException("away")));
        commands().register(spec);

        JsonNode configuration = read().get("configuration");

        assertThat(configuration.get("faults")).hasSize(1);
        JsonNode fault = configuration.get("faults").get(0);
        assertThat(fault.get("property").textValue()).isEqualTo(TIMEOUT);
        assertThat(fault.get("value").textValue()).isEqualTo("80");
        assertThat(fault.get("source").textValue()).isEqualTo("file");
        assertThat(fault.get("problem").textValue()).contains("a number needs its unit");
        assertThat(fault.fieldNames())
                .toIterable()
                .containsExactly("property", "value", "source", "subject", "problem");
        assertThat(configuration.get("sources").get(1).toString())
                .isEqualTo(
                        json("{'name':'fleet','properties':0,'readAt':null,'lastFault':'java.io.IOException: away'}"));
        assertThat(command().get("settings").get("timeout").get("value").textValue())
                .isEqualTo("150 ms");
    }

    @Test
    void a_store_that_takes_nothing_and_has_what_nobody_can_read_is_shown() {
        made = builder()
                .switches(new Full("shared", Map.of("command:GetAnswer", new OverrideStore.Entry(5, HOSTILE))))
                .build();
        commands().switches().set(Target.all(), Position.NORMAL, ANNA);
        until(() -> !read().get("switchStore").get("reachable").booleanValue());

        JsonNode state = read();

        JsonNode store = state.get("switchStore");
        assertThat(store.fieldNames())
                .toIterable()
                .containsExactly("name", "reachable", "since", "lastFault", "waiting", "unreadable");
        assertThat(store.get("name").textValue()).isEqualTo("shared");
        assertThat(store.get("since").longValue()).isEqualTo(start);
        assertThat(store.get("lastFault").textValue()).endsWith(HOSTILE);
        assertThat(store.get("waiting").intValue()).isEqualTo(1);
        assertThat(store.get("unreadable")).hasSize(1);
        assertThat(store.get("unreadable").get(0).textValue()).contains("command:GetAnswer");
        assertThat(state.get("switches").get(0).get("stored").booleanValue()).isFalse();
        assertOnOneLine();
    }

    @Test
    void names_reasons_and_texts_of_any_kind_are_escaped() {
        String property = "degradable.command.GetAnswer." + HOSTILE;
        source(HOSTILE, property, HOSTILE);
        source("other", property, HOSTILE);
        sources.add(new Source("broken", Map.of(), new IOException(HOSTILE)));
        commands().register(spec);

        commands().switches().set(ANSWER, Position.NORMAL, Order.by(HOSTILE, "why" + HOSTILE));

        JsonNode state = read();
        JsonNode held = state.get("switches").get(0);
        assertThat(held.get("author").textValue()).isEqualTo(HOSTILE);
        assertThat(held.get("reason").textValue()).isEqualTo("why" + HOSTILE);
        assertThat(state.get("changes").findValuesAsText("reason")).contains("why" + HOSTILE);
        JsonNode configuration = state.get("configuration");
        assertThat(configuration.get("sources").get(0).get("name").textValue()).isEqualTo(HOSTILE);
        assertThat(configuration.get("sources").get(2).get("lastFault").textValue())
                .endsWith(HOSTILE);
        assertThat(configuration.get("faults").get(0).get("property").textValue())
                .isEqualTo(property);
        assertThat(configuration.get("faults").get(0).get("value").textValue()).isEqualTo(HOSTILE);
        assertOnOneLine();
    }

    /** What reads the state line by line, as a stream does, never sees a part of it. */
    private void assertOnOneLine() {
        assertThat(text()).doesNotContain("\n", "\r", "\t", "\u0000");
    }
}
