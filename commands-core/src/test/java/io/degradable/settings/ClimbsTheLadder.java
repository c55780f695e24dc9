package io.degradable.settings;

import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.cache.CacheSpec;
import io.degradable.testing.ManualTicker;
import java.util.function.Supplier;
import javax.annotation.Nullable;

/** Each class here imports what stands above its package; the test of the ladder has to find it. Never run. */
public final class ClimbsTheLadder {

    private ClimbsTheLadder() {}

    /** Imports a package above. */
    public static final class ToTheNextRung {
        Object climb() {
            return CacheSpec.named("copies");
        }
    }

    /** Imports the root package, through which a cycle would run. */
    public static final class ToTheFrontDoor {
        Object climb() {
            return Commands.shared();
        }
    }

    /** Imports an edge. */
    public static final class ToAnEdge {
        Object climb() {
            return new ManualTicker();
        }
    }

    /** Imports it as an element type of a parameter only. */
    public static final class InASignature {
        void climb(CommandSpec<?, ?>[] specs) {}
    }

    /** Imports it as a method reference only. */
    public static final class InAMethodReference {
        @Nullable
        Supplier<?> climb() {
            return Commands::shared;
        }
    }
}
