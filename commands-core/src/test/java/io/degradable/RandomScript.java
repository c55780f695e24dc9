package io.degradable;

import java.util.Random;

/** What one random call will do: drawn before it begins, so that a seed draws the same again. */
record RandomScript(
        EntryPoint entry,
        RandomCall.Act act,
        RandomCall.Spare spare,
        RandomCall.Leaving leaving,
        boolean fillThrows,
        boolean keyThrows,
        boolean interrupts) {

    private static final EntryPoint[] ENTRIES = EntryPoint.values();
    private static final EntryPoint[] TELLING = {
        EntryPoint.EXECUTE_FOR_RESULT, EntryPoint.QUEUE_FOR_RESULT, EntryPoint.TO_RESULT_SINGLE
    };
    private static final RandomCall.Leaving[] FROM_FUTURE = {
        RandomCall.Leaving.CANCEL, RandomCall.Leaving.COMPLETE, RandomCall.Leaving.FAIL, RandomCall.Leaving.OR_TIMEOUT
    };

    static RandomScript draw(RandomCommand kind, Random random, boolean nested) {
        EntryPoint[] entries = kind.tellsAll ? TELLING : ENTRIES;
        EntryPoint entry = entries[random.nextInt(entries.length)];
        boolean leaves = !nested
                && RandomCall.canLeave(entry)
                && (kind.patient ? random.nextInt(3) == 0 : kind.leavers && random.nextInt(4) == 0);
        RandomCall.Leaving leaving = RandomCall.Leaving.STAY;
        if (leaves) {
            boolean future = entry == EntryPoint.QUEUE || entry == EntryPoint.QUEUE_FOR_RESULT;
            leaving = future ? FROM_FUTURE[random.nextInt(FROM_FUTURE.length)] : RandomCall.Leaving.DISPOSE;
        }
        RandomCall.Act act = kind.patient
                ? (leaves ? RandomCall.Act.HELD : RandomCall.Act.ANSWER)
                : act(random.nextInt(100), nested);
        return new RandomScript(
                entry,
                act,
                spare(random.nextInt(20), kind),
                leaving,
                random.nextInt(20) == 0,
                random.nextInt(20) == 0,
                !kind.patient && random.nextInt(10) == 0);
    }

    private static RandomCall.Act act(int dice, boolean nested) {
        if (dice < 4) {
            return RandomCall.Act.NULL;
        } else if (dice < 14) {
            return RandomCall.Act.UNAVAILABLE;
        } else if (dice < 17) {
            return RandomCall.Act.BAD_REQUEST;
        } else if (dice < 20) {
            return RandomCall.Act.IGNORED;
        } else if (dice < 22) {
            return RandomCall.Act.FATAL_ERROR;
        } else if (dice < 24) {
            return RandomCall.Act.FATAL_BY_RULE;
        } else if (dice < 27) {
            return RandomCall.Act.UNCLASSED;
        } else if (dice < 30) {
            return RandomCall.Act.OVERLOADED;
        } else if (dice < 36) {
            return RandomCall.Act.SLOW;
        } else if (dice < 39) {
            return RandomCall.Act.STUBBORN;
        } else if (dice < 50 && !nested) {
            return RandomCall.Act.NEST;
        }
        return RandomCall.Act.ANSWER;
    }

    private static RandomCall.Spare spare(int dice, RandomCommand kind) {
        return switch (dice) {
            case 0, 1, 2 -> RandomCall.Spare.UNAVAILABLE;
            case 3 -> RandomCall.Spare.BAD_REQUEST;
            // Who asks a spare command is not told the trigger by what that throws.
            case 4 -> kind.tellsAll && kind.spareIsCommand ? RandomCall.Spare.NULL : RandomCall.Spare.FATAL;
            case 5 -> RandomCall.Spare.NULL;
            case 6, 7 -> RandomCall.Spare.SLOW;
            default -> RandomCall.Spare.ANSWER;
        };
    }
}
