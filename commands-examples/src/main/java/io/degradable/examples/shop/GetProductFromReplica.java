package io.degradable.examples.shop;

import io.degradable.CommandSpec;
import io.degradable.DegradableCommand;
import io.degradable.examples.shop.client.Catalog;
import io.degradable.examples.shop.client.Product;
import java.time.Duration;

/** A product from the catalog's replica, which is smaller than the catalog: half as many at once. */
final class GetProductFromReplica extends DegradableCommand<Product> {

    static final CommandSpec<GetProductFromReplica, Product> SPEC = CommandSpec.of(GetProductFromReplica.class)
            .group("replica")
            .threadPool(pool -> pool.named("replica").size(5))
            .timeout(Duration.ofMillis(200))
            .build();

    private final Catalog replica;
    private final long id;

    GetProductFromReplica(Catalog replica, long id) {
        super(SPEC);
        this.replica = replica;
        this.id = id;
    }

    @Override
    protected Product run() throws Exception {
        return replica.find(id);
    }
}
