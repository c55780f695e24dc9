package io.degradable.settings;

import io.degradable.settings.SettingTable.Value;
import javax.annotation.Nullable;

/** Who says what of a thread pool. */
final class PoolSayers implements Levels.Sayers {

    private final PoolDeclaration declared;
    private final SettingTable own;
    private final SettingTable all;

    PoolSayers(PoolDeclaration declared, SettingTexts texts) {
        this.declared = declared;
        this.own = texts.pool(declared.settings().name());
        this.all = texts.pool(SettingTexts.DEFAULT);
    }

    @Override
    public @Nullable Value named(String setting) {
        Value ours = own.ours(setting);
        if (ours != null) {
            return ours;
        }
        return switch (setting) {
            case "size" ->
                HystrixParts.size(own, all, isSaid("size") ? declared.settings().size() : null);
            case "queue" ->
                HystrixParts.queue(
                        own, all, isSaid("queue") ? declared.settings().queue() : null);
            default -> null;
        };
    }

    @Override
    public boolean isSaid(String setting) {
        return declared.said().contains(setting);
    }

    @Override
    public @Nullable Value ofAll(String setting) {
        Value ours = all.ours(setting);
        if (ours != null) {
            return ours;
        }
        return switch (setting) {
            case "size" -> HystrixParts.sizeOfAll(own, all);
            case "queue" -> HystrixParts.queue(all, SettingTable.EMPTY, null);
            default -> null;
        };
    }

    @Override
    public @Nullable String bar(String setting, Object value) {
        return null;
    }

    /** Tells which parts of Hystrix's have nothing to be a part of. */
    void useless(Levels levels) {
        Value most = own.part(HystrixNames.MAXIMUM_SIZE);
        Value diverges = own.part(HystrixNames.DIVERGES);
        if (diverges == null) {
            diverges = all.part(HystrixNames.DIVERGES);
        }
        if (most != null && own.ours("size") == null && (diverges == null || diverges.is(false))) {
            levels.useless(most, "has no effect without " + HystrixNames.DIVERGES + " = true, as with Hystrix");
        }
        Value threshold = own.part(HystrixNames.QUEUE_THRESHOLD);
        if (threshold != null && named("queue") == null) {
            levels.useless(
                    threshold, "has no effect without a " + HystrixNames.MAX_QUEUE + " above 0, as with Hystrix");
        }
    }
}
