package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.degradable.event.CommandEvent.TemplateRefused;
import io.degradable.event.CommandEvent.TemplateSwapped;
import io.degradable.state.TemplateView;
import io.degradable.template.StaticTemplate;
import io.degradable.template.TemplateOrigin;
import io.degradable.testing.ManualTicker;
import io.degradable.testing.Race;
import io.degradable.testing.RecordedEvents;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** H6: a container has one current version of each template; a new one is taken while calls go on, a bad one is not. */
@Timeout(60)
final class TemplateCatalogTest {

    private static final StaticTemplate<String> UNKNOWN =
            StaticTemplate.of("unknown", "to be confirmed").checked("a sentence", text -> text.length() > 3);

    private final ManualTicker ticker = new ManualTicker();
    private final RecordedEvents events = new RecordedEvents();
    private final Commands commands = Commands.builder()
            .name("shop")
            .ticker(ticker)
            .inlineListener(events)
            .build();

    @AfterEach
    void close() {
        commands.close();
    }

    private static CommandSpec<Call, String> ending(StaticTemplate<String> template) {
        return Call.declared().fallback(chain -> chain.template(template)).build();
    }

    private Call failing(CommandSpec<Call, String> spec) {
        return new Call(commands, spec, "7", () -> {
            throw new IOException("down");
        });
    }

    private TemplateView view() {
        assertThat(commands.templates().views()).hasSize(1);
        return commands.templates().views().get(0);
    }

    @Test
    @DisplayName("H6: what a command declares is the first version, and a new one answers the next call")
    void a_new_version_answers_the_next_call() {
        CommandSpec<Call, String> spec = ending(UNKNOWN);
        Call call = failing(spec);
        assertThat(call.execute()).isEqualTo("to be confirmed");
        assertThat(view()).isEqualTo(new TemplateView("unknown", "built-in", commands.startedAt(), "code", 0, 0));
        ticker.advance(Duration.ofSeconds(9));

        commands.templates().replace(UNKNOWN, "2026-11-30", "call us: 0800 555 0100");

        assertThat(call.execute()).isEqualTo("call us: 0800 555 0100");
        assertThat(commands.templates().current(UNKNOWN).version()).isEqualTo("2026-11-30");
        assertThat(view())
                .isEqualTo(new TemplateView(
                        "unknown", "2026-11-30", commands.startedAt().plusSeconds(9), "code", 1, 0));
        assertThat(events.all(TemplateSwapped.class))
                .containsExactly(
                        new TemplateSwapped(spec.settings().key(), "unknown", "built-in", "2026-11-30", "code"));
        events.assertThat("Call").hasTaken("unknown", "2026-11-30");
    }

    @Test
    @DisplayName("H6: a call keeps the version that it has begun with")
    void a_call_keeps_the_version_that_it_has_begun_with() {
        Call call = failing(Call.declared()
                .fallback(chain -> chain.template(UNKNOWN, (text, command) -> {
                    commands.templates().replace(UNKNOWN, "2", "the second");
                    return text + ", " + command.id;
                }))
                .build());

        assertThat(call.execute()).isEqualTo("to be confirmed, 7");
        assertThat(call.execute()).isEqualTo("the second, 7");
    }

    @Test
    @DisplayName("H6: a bad new version is refused with a reason, counted and told of, and the old one stays")
    void a_bad_version_is_refused_and_the_old_one_stays() {
        CommandSpec<Call, String> spec = ending(UNKNOWN);
        Call call = failing(spec);
        call.execute();
        commands.templates().replace(UNKNOWN, "2", "the second");
        String why = "template unknown must satisfy \"a sentence\", was 0";

        assertThatThrownBy(() -> commands.templates().replace(UNKNOWN, "3", "0"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("template unknown stays at version 2: " + why);

        assertThat(call.execute()).isEqualTo("the second");
        assertThat(view().version()).isEqualTo("2");
        assertThat(view().swaps()).isEqualTo(1);
        assertThat(view().refused()).isEqualTo(1);
        assertThat(events.all(TemplateRefused.class))
                .containsExactly(new TemplateRefused(spec.settings().key(), "unknown", "2", why));
        assertThat(events.all(TemplateSwapped.class)).hasSize(1);
    }

    @Test
    @DisplayName("H6: what a loader throws is a refusal like any other")
    void a_loader_that_fails_is_a_refusal() {
        commands.register(ending(UNKNOWN));

        assertThatThrownBy(() -> commands.templates().load(UNKNOWN, () -> {
                    throw new IOException("no such file");
                }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("template unknown stays at version built-in: java.io.IOException: no such file")
                .hasCauseInstanceOf(IOException.class);

        assertThat(view().refused()).isEqualTo(1);
        assertThat(events.all(TemplateRefused.class)).hasSize(1);
    }

    @Test
    void a_version_with_another_content_needs_another_name() {
        commands.register(ending(UNKNOWN));
        commands.templates().replace(UNKNOWN, "2", "the second");

        commands.templates().replace(UNKNOWN, "2", "the second");
        assertThatThrownBy(() -> commands.templates().replace(UNKNOWN, "2", "another"))
                .hasMessage("template unknown stays at version 2: version 2 of template unknown has another content"
                        + " now: what is changed takes a new version");
        commands.templates().replace(UNKNOWN, "1", "to be confirmed");

        assertThat(view().version()).isEqualTo("1");
        assertThat(view().swaps()).isEqualTo(2);
    }

    @Test
    void a_name_that_is_not_known_is_refused_with_those_that_are() {
        commands.register(ending(UNKNOWN));

        assertThatThrownBy(() -> commands.templates().replace(StaticTemplate.of("unknwon", "typed wrong")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("template unknwon is not known in shop: register a command that uses it or call it"
                        + " first; known are [unknown]");
    }

    @Test
    @DisplayName("H6: a template of another type does not get in")
    void another_type_is_refused() {
        StaticTemplate<List<Long>> ids = StaticTemplate.of("ids", List.of(1L));
        CommandSpec<CallableCommand<List<Long>>, List<Long>> list = CommandSpec.<List<Long>>callable("list")
                .group("test")
                .fallback(chain -> chain.template(ids))
                .build();
        commands.register(list);

        assertThatThrownBy(() -> commands.templates().replace(StaticTemplate.of("ids", List.of("a text"))))
                .hasMessageContaining("template ids is of another type");
        assertThatThrownBy(() -> commands.templates().replace(StaticTemplate.of("ids", 7)))
                .hasMessage("template ids stays at version built-in: template ids is of another type: it is"
                        + " java.lang.Integer, not java.util.ImmutableCollections$List12");
        commands.templates().replace(ids, "2", List.of(1L, 2L, 3L));
        commands.templates().replace(commands.templates().current(ids).next("3", List.of(4L)));

        assertThat(commands.call(list, () -> {
                    throw new IOException("down");
                }))
                .containsExactly(4L);
    }

    @Test
    void two_values_under_one_name_are_a_mistake_that_is_found_before_a_call() {
        commands.register(ending(UNKNOWN));
        StaticTemplate<String> other = StaticTemplate.of("unknown", "another text");

        assertThatThrownBy(() -> commands.register(Call.declared()
                        .name("Second")
                        .fallback(chain -> chain.template(other))
                        .build()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("template unknown of command Second is known in shop with another value or version:"
                        + " declare it once, or give it another name");
        assertThatThrownBy(() -> commands.templates().replace(other, "2", "no"))
                .hasMessageContaining("say the one that its commands declare");
        assertThat(commands.commands()).hasSize(1);
    }

    @Test
    void reload_takes_what_is_good_and_tells_of_all_that_is_not() {
        String[] there = {"first"};
        StaticTemplate<String> a = loaded("a", there);
        StaticTemplate<String> b = loaded("b", there).checked("never b", text -> !text.equals("second"));
        StaticTemplate<String> c = loaded("c", there).checked("never c", text -> !text.equals("second"));
        commands.register(ending(UNKNOWN));
        List.of(a, b, c)
                .forEach(one -> commands.register(Call.declared()
                        .name(one.name())
                        .fallback(chain -> chain.template(one))
                        .build()));
        commands.templates().reload();
        assertThat(events.all()).isEmpty();
        there[0] = "second";

        assertThatThrownBy(() -> commands.templates().reload())
                .isInstanceOf(IllegalArgumentException.class)
                .satisfies(first -> {
                    assertThat(first.getSuppressed()).hasSize(1);
                    assertThat(first.getMessage() + first.getSuppressed()[0].getMessage())
                            .contains("template b stays at version first", "template c stays at version first");
                });

        assertThat(commands.templates().views())
                .extracting(TemplateView::name, TemplateView::version)
                .containsExactly(
                        tuple("a", "second"), tuple("b", "first"), tuple("c", "first"), tuple("unknown", "built-in"));
        assertThatThrownBy(() -> commands.templates().reload(UNKNOWN))
                .hasMessage("loader of template unknown is missing: it was not loaded, so say what is to take its"
                        + " place");
    }

    private static StaticTemplate<String> loaded(String name, String[] there) {
        return StaticTemplate.loaded(
                name,
                there[0],
                new TemplateOrigin<>(there, String.class, there[0], "memory", null, () -> loaded(name, there)));
    }

    @Test
    void of_versions_that_are_put_in_at_once_each_takes_the_place_of_one() throws Exception {
        commands.register(ending(UNKNOWN));
        int rounds = 5_000;
        try (Race race = new Race(2)) {
            race.round(side -> {
                for (int round = 0; round < rounds; round++) {
                    commands.templates().replace(UNKNOWN, side + "-" + round, "version " + round);
                }
                return side;
            });
        }

        List<String> replaced = new ArrayList<>(List.of(view().version()));
        events.all(TemplateSwapped.class).forEach(swap -> replaced.add(swap.from()));
        assertThat(replaced).doesNotHaveDuplicates().hasSize(2 * rounds + 1);
        assertThat(view().swaps()).isEqualTo(2L * rounds);
    }

    @Test
    void a_template_goes_with_its_last_command_unless_it_was_swapped() {
        StaticTemplate<String> passing = StaticTemplate.of("passing", "text");
        StaticTemplate<String> touched = StaticTemplate.of("touched", "text");
        List.of(passing, touched)
                .forEach(template -> failing(Call.declared()
                                .name("by-" + template.name())
                                .fallback(chain -> chain.template(template))
                                .build())
                        .execute());
        commands.templates().replace(touched, "2", "by hand");

        ticker.advance(Duration.ofHours(3)); // the first look sees them idle, the second lets them go
        assertThat(commands.commands()).hasSize(2);
        ticker.advance(Duration.ofHours(3));

        assertThat(commands.commands()).isEmpty();
        assertThat(view().name()).isEqualTo("touched");
        assertThat(failing(Call.declared()
                                .name("by-touched")
                                .fallback(chain -> chain.template(touched))
                                .build())
                        .execute())
                .isEqualTo("by hand");
    }

    @Test
    void a_flood_of_names_is_answered_and_not_kept() {
        try (Commands small = Commands.builder().maxNames(2).build()) {
            for (int number = 0; number < 9; number++) {
                StaticTemplate<String> own = StaticTemplate.of("unknown-" + number, "text " + number);
                String answer = new Call(
                                small,
                                Call.declared()
                                        .name("command-" + number)
                                        .fallback(chain -> chain.template(own))
                                        .build(),
                                "1",
                                () -> {
                                    throw new IOException("down");
                                })
                        .execute();

                assertThat(answer).isEqualTo("text " + number);
            }

            assertThat(small.templates().views()).hasSize(2);
        }
    }

    @Test
    void a_rule_that_throws_is_not_satisfied() {
        assertThatThrownBy(() -> UNKNOWN.checked("a number", text -> Integer.parseInt(text) > 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        "template unknown could not be checked for \"a number\": " + "java.lang.NumberFormatException")
                .hasMessageEndingWith(", was to be confirmed");
    }

    @Test
    @DisplayName(
            "H6: a rule or a loader that throws an Error is a refusal like any other, and the others have their turn")
    void an_error_is_a_refusal_like_any_other() {
        StaticTemplate<String> strict = StaticTemplate.of("strict", "good").checked("good", text -> {
            if (!text.equals("good")) {
                throw new AssertionError("it is " + text);
            }
            return true;
        });
        commands.register(ending(strict));

        assertThatThrownBy(() -> commands.templates().replace(strict, "2", "bad"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("could not be checked for \"good\": java.lang.AssertionError: it is bad");
        assertThatThrownBy(() -> commands.templates().load(strict, () -> {
                    throw new NoClassDefFoundError("for the test");
                }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("template strict stays at version built-in: java.lang.NoClassDefFoundError: for the test");

        assertThat(view().refused()).isEqualTo(2);
        assertThat(events.all(TemplateRefused.class)).hasSize(2);
    }
}
