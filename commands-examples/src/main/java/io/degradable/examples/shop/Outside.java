package io.degradable.examples.shop;

import io.degradable.Commands;
import io.degradable.cache.RemoteCaches;
import io.degradable.control.OverrideStore;
import io.degradable.settings.SettingSource;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import redis.clients.jedis.RedisClient;

/**
 * What a shop has outside of its process. Whoever made what lies behind it closes that, after the shop.
 *
 * @param copies where its copies are kept as well; null for nowhere
 * @param switches where its switches are kept; null for nowhere
 * @param settings where its settings come from, the first said wins
 */
record Outside(@Nullable RemoteCaches copies, @Nullable OverrideStore switches, List<SettingSource> settings) {

    static final Outside NOTHING = new Outside(null, null, List.of());

    /** All that there is of a file of settings and a Redis. What the file says goes before what Redis says. */
    static Outside of(@Nullable SettingsFile file, @Nullable RedisClient redis) {
        List<SettingSource> settings = new ArrayList<>();
        if (file != null) {
            settings.add(file.source());
        }
        if (redis != null) {
            settings.add(Redis.settings(redis));
        }
        return redis == null
                ? new Outside(null, null, settings)
                : new Outside(Redis.copies(redis), Redis.switches(redis), settings);
    }

    Commands.Builder copiesOf(Commands.Builder builder) {
        return copies == null ? builder : builder.caches(copies);
    }

    Commands.Builder allOf(Commands.Builder builder) {
        copiesOf(builder);
        if (switches != null) {
            builder.switches(switches);
        }
        settings.forEach(builder::settings);
        return builder;
    }
}
