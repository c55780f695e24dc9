package io.degradable.examples.shop;

import io.degradable.CommandSpec;
import io.degradable.DegradableCommand;
import io.degradable.examples.shop.client.Stock;
import io.degradable.examples.shop.client.StockService;
import java.time.Duration;

/** How many there are: stock moves fast, so a copy is good for half a minute only, and "we do not know" is better than 0. */
final class GetStock extends DegradableCommand<Stock> {

    static final CommandSpec<GetStock, Stock> SPEC = CommandSpec.of(GetStock.class)
            .group("stock")
            .core()
            .threadPool(pool -> pool.size(10).queue(5))
            .timeout(Duration.ofMillis(100))
            .fallback(chain -> chain.cached(Copies.STOCK, command -> command.id, Duration.ofSeconds(30))
                    .template(
                            Templates.UNKNOWN_STOCK,
                            (unknown, command) -> new Stock(command.id, null, unknown.notice())))
            .build();

    private final StockService stock;
    private final long id;

    GetStock(StockService stock, long id) {
        super(SPEC);
        this.stock = stock;
        this.id = id;
    }

    @Override
    protected Stock run() throws Exception {
        return stock.find(id);
    }
}
