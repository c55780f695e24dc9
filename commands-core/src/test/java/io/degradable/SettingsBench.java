package io.degradable;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.Codec;
import io.degradable.settings.CommandDeclaration;
import io.degradable.settings.EffectivePool;
import io.degradable.settings.EffectiveSettings;
import io.degradable.settings.SettingResolver;
import io.degradable.settings.SettingTexts;
import io.degradable.template.StaticTemplate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.annotation.Nullable;

/** A command whose properties change, without anything that runs. */
final class SettingsBench {

    static final String OURS = "degradable.command.Call.";
    static final String ALL = "degradable.command.default.";
    static final String HYSTRIX = "hystrix.command.Call.";

    private final CommandSpec<Call, String> spec;
    private final Map<String, String> texts = new TreeMap<>();
    private SettingTexts read = SettingTexts.NONE;
    private @Nullable EffectiveSettings last;
    private @Nullable EffectivePool lastPool;

    SettingsBench(CommandSpec<Call, String> spec) {
        this.spec = spec;
    }

    /** A command that has whatever can be set, but for the bulkheads that it has not. */
    static CommandSpec.Builder<Call, String> everything() {
        CacheSpec<String, String> copies = CacheSpec.<String, String>named("copies")
                .stored(Codec.strings(), Codec.strings())
                .keepFor(Duration.ofMinutes(10));
        CommandSpec<Call, String> other =
                Call.declared().name("Other").group("other").build();
        return Call.declared()
                .repeatable()
                .fallback(chain -> chain.spareCall("replica", (call, context) -> "x")
                        .spare(other, call -> call)
                        .cached(
                                copies,
                                call -> call.id,
                                Duration.ofMinutes(5),
                                stage -> stage.beforePrimary(Duration.ofSeconds(10))
                                        .atMost(7))
                        .template(StaticTemplate.of("last", "x")));
    }

    CommandDeclaration declaration() {
        return spec.definition().declaration();
    }

    SettingsBench with(String property, String text) {
        texts.put(property, text);
        return this;
    }

    SettingsBench without(String property) {
        texts.remove(property);
        return this;
    }

    SettingTexts read() {
        read = SettingTexts.read(List.of(new SettingTexts.Read("test", texts)), read);
        return read;
    }

    EffectiveSettings resolve() {
        return resolve(false);
    }

    EffectiveSettings resolve(boolean running) {
        last = SettingResolver.command(declaration(), UnaryOperator.identity(), read(), last, running);
        return last;
    }

    EffectivePool resolvePool() {
        lastPool = SettingResolver.pool(Objects.requireNonNull(declaration().pool(null)), read(), lastPool);
        return lastPool;
    }

    /** What a setting is now, as a text. */
    String value(String setting) {
        return Objects.requireNonNull(resolve().origins().get(setting), setting).value();
    }

    /** Where it comes from. */
    String from(String setting) {
        return Objects.requireNonNull(resolve().origins().get(setting), setting)
                .from()
                .name();
    }

    /** The problems that there are now, of texts and of the command. */
    List<String> problems() {
        List<String> command = resolve().faults().stream()
                .map(fault -> fault.property() + ": " + fault.problem())
                .toList();
        List<String> reading = read.faults().stream()
                .map(fault -> fault.property() + ": " + fault.problem())
                .toList();
        return Stream.of(reading, command).flatMap(List::stream).toList();
    }
}
