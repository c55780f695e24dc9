package io.degradable.settings;

import io.degradable.settings.SettingTable.Value;
import javax.annotation.Nullable;

/** Settings that Hystrix makes up of several properties, each of which it looks for by itself, for the name and for all. */
final class HystrixParts {

    private static final int DEFAULT_SIZE = 10;
    private static final int DEFAULT_THRESHOLD = 5;

    private HystrixParts() {}

    private static @Nullable Value first(@Nullable Value a, @Nullable Value b) {
        return a == null ? b : a;
    }

    /** What is said of a timeout for the name. */
    static @Nullable Value timeout(SettingTable own, SettingTable all) {
        Value enabled = own.part(HystrixNames.TIMEOUT_ENABLED);
        if (enabled != null && enabled.is(false)) {
            return enabled.meaning(GuardSettings.NO_TIMEOUT);
        }
        Value millis = own.part(HystrixNames.TIMEOUT);
        Value forAll = all.ours("timeout") == null ? all.part(HystrixNames.TIMEOUT_ENABLED) : null;
        return millis != null && enabled == null && forAll != null && forAll.is(false)
                ? forAll.meaning(GuardSettings.NO_TIMEOUT)
                : millis;
    }

    /** What is said of a timeout for all names. */
    static @Nullable Value timeoutOfAll(SettingTable own, SettingTable all) {
        Value enabled = first(own.part(HystrixNames.TIMEOUT_ENABLED), all.part(HystrixNames.TIMEOUT_ENABLED));
        return enabled != null && enabled.is(false)
                ? enabled.meaning(GuardSettings.NO_TIMEOUT)
                : all.part(HystrixNames.TIMEOUT);
    }

    /**
     * What is said of a pool's size.
     *
     * @param own what is said for the level that is looked at
     * @param all what is said for all names
     * @param code what the code has set; null when it has not
     */
    static @Nullable Value size(SettingTable own, SettingTable all, @Nullable Integer code) {
        Value core = own.part(HystrixNames.CORE_SIZE);
        Value most = own.part(HystrixNames.MAXIMUM_SIZE);
        Value ownDiverges = own.part(HystrixNames.DIVERGES);
        Value diverges = first(ownDiverges, all.part(HystrixNames.DIVERGES));
        Value sayer = first(core, first(most, ownDiverges));
        if (sayer == null || diverges == null || diverges.is(false)) {
            return core;
        }
        int least = core == null && code != null
                ? code
                : number(first(core, all.part(HystrixNames.CORE_SIZE)), DEFAULT_SIZE);
        int maximum = number(first(most, all.part(HystrixNames.MAXIMUM_SIZE)), DEFAULT_SIZE);
        Value larger = most != null && maximum > least ? most : sayer;
        return larger.meaning(Math.max(least, maximum));
    }

    /** What is said of a pool's size for all names. */
    static @Nullable Value sizeOfAll(SettingTable own, SettingTable all) {
        Value diverges = own.part(HystrixNames.DIVERGES);
        return diverges != null && diverges.is(false)
                ? all.part(HystrixNames.CORE_SIZE)
                : size(all, SettingTable.EMPTY, null);
    }

    /** What is said of a pool's queue, with the same arguments. */
    static @Nullable Value queue(SettingTable own, SettingTable all, @Nullable Integer code) {
        Value length = own.part(HystrixNames.MAX_QUEUE);
        Value threshold = own.part(HystrixNames.QUEUE_THRESHOLD);
        Value sayer = first(length, threshold);
        if (sayer == null) {
            return null;
        }
        int places =
                length == null && code != null ? code : number(first(length, all.part(HystrixNames.MAX_QUEUE)), -1);
        if (places <= 0) {
            return length == null ? null : length.meaning(0); // a threshold alone has nothing to bound
        }
        int bound = number(first(threshold, all.part(HystrixNames.QUEUE_THRESHOLD)), DEFAULT_THRESHOLD);
        Value smaller = threshold != null && bound < places ? threshold : sayer;
        return smaller.meaning(Math.min(places, bound));
    }

    private static int number(@Nullable Value value, int otherwise) {
        return value == null ? otherwise : (Integer) value.parsed();
    }
}
