package io.degradable.examples.shop;

import io.degradable.CommandSpec;
import io.degradable.DegradableCommand;
import io.degradable.examples.shop.client.Catalog;
import io.degradable.examples.shop.client.Product;
import java.time.Duration;

/**
 * A product: from the catalog, else from its replica, else as it was in the last five minutes, else its name without a price
 * out of the snapshot, else a template.
 */
final class GetProduct extends DegradableCommand<Product> {

    static final CommandSpec<GetProduct, Product> SPEC = CommandSpec.of(GetProduct.class)
            .group("catalog")
            .core()
            .threadPool(pool -> pool.named("catalog").size(10).queue(5))
            .timeout(Duration.ofMillis(150))
            .circuitBreaker(breaker -> breaker.requestVolumeThreshold(20)
                    .errorThresholdPercentage(50)
                    .sleepWindow(Duration.ofSeconds(5)))
            .fallback(chain -> chain.within(Duration.ofMillis(250))
                    .spare(
                            GetProductFromReplica.SPEC,
                            command -> new GetProductFromReplica(command.replica, command.id))
                    .cached(Copies.PRODUCTS, command -> command.id, Duration.ofMinutes(5))
                    .template(ProductSnapshot.PRODUCTS, command -> command.id, Templates.UNKNOWN_PRODUCT))
            .build();

    private final Catalog catalog;
    private final Catalog replica;
    private final long id;

    GetProduct(Catalog catalog, Catalog replica, long id) {
        super(SPEC);
        this.catalog = catalog;
        this.replica = replica;
        this.id = id;
    }

    @Override
    protected Product run() throws Exception {
        return catalog.find(id);
    }
}
