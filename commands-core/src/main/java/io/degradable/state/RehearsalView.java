package io.degradable.state;

import io.degradable.model.StageReason;
import java.time.Duration;
import java.util.Map;

/**
 * What a stage would have answered to a share of the calls that the primary answered, counted since the start and apart from
 * everything else.
 *
 * @param asked how often it was asked
 * @param answers how often it would have answered
 * @param ended how its answers ended, by reason; reasons that never occurred are left out
 * @param meanAge of the copies it would have answered with; zero for a template
 * @param longestAge of them; zero for a template
 */
public record RehearsalView(
        long asked, long answers, Map<StageReason, Long> ended, Duration meanAge, Duration longestAge) {

    public RehearsalView {
        ended = Map.copyOf(ended);
    }
}
