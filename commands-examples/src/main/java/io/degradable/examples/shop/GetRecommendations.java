package io.degradable.examples.shop;

import io.degradable.CommandSpec;
import io.degradable.DegradableCommand;
import io.degradable.examples.shop.client.RecommendationService;
import io.degradable.examples.shop.client.Recommendations;
import java.time.Duration;

/** What goes with a product: nice to have, so it gets little time and few threads, and the shop's bestsellers do as well. */
final class GetRecommendations extends DegradableCommand<Recommendations> {

    static final CommandSpec<GetRecommendations, Recommendations> SPEC = CommandSpec.of(GetRecommendations.class)
            .group("recommendations")
            .nonCore()
            .threadPool(pool -> pool.size(5))
            .timeout(Duration.ofMillis(80))
            .fallback(chain -> chain.within(Duration.ofMillis(50))
                    .cached(Copies.RECOMMENDATIONS, command -> command.id, Duration.ofMinutes(10))
                    .template(
                            Templates.BESTSELLERS,
                            (best, command) -> new Recommendations(command.id, best.products(), best.notice())))
            .build();

    private final RecommendationService recommendations;
    private final long id;

    GetRecommendations(RecommendationService recommendations, long id) {
        super(SPEC);
        this.recommendations = recommendations;
        this.id = id;
    }

    @Override
    protected Recommendations run() throws Exception {
        return recommendations.find(id);
    }
}
