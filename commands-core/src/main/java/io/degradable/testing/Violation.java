package io.degradable.testing;

import io.degradable.model.StageReport;
import io.degradable.model.Trigger;
import java.util.List;
import java.util.Set;
import javax.annotation.Nullable;

/**
 * One way in which a chain broke its contract.
 *
 * @param without the stages that had been taken away
 * @param what who did what
 * @param trail as far as the call came
 * @param cause what was thrown, or where a thread hangs
 */
record Violation(
        Trigger trigger,
        Set<String> without,
        String what,
        List<StageReport> trail,
        @Nullable Throwable cause) {

    private String line() {
        String away = without.isEmpty() ? "" : ", with " + String.join(", ", without) + " taken away";
        return "\n  " + trigger + away + ": " + what + Trails.lines(trail);
    }

    static AssertionError all(String command, List<Violation> violations) {
        StringBuilder message =
                new StringBuilder("the chain of ").append(command).append(" breaks its contract:");
        violations.forEach(violation -> message.append(violation.line()));
        AssertionError error = new AssertionError(message.toString());
        for (Violation violation : violations) {
            if (violation.cause != null) {
                error.addSuppressed(violation.cause);
            }
        }
        return error;
    }
}
