package io.degradable.examples.shop;

import io.degradable.cache.Codec;
import io.degradable.examples.shop.client.CatalogPages;
import io.degradable.examples.shop.client.Product;
import io.degradable.json.JsonCodec;
import io.degradable.snapshots.BuildSettings;
import io.degradable.snapshots.PageSource;
import io.degradable.snapshots.ReaderSettings;
import io.degradable.snapshots.ScheduleSettings;
import io.degradable.snapshots.SnapshotBuilder;
import io.degradable.snapshots.SnapshotEvent;
import io.degradable.snapshots.SnapshotException;
import io.degradable.snapshots.SnapshotReader;
import io.degradable.snapshots.SnapshotSchedule;
import io.degradable.snapshots.SnapshotSpec;
import io.degradable.time.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a shop knows about its products when nobody can be asked any more: what they are called, and that their prices are to
 * be confirmed. Read from the catalog when the shop opens and every hour after that, into a directory of its own that goes
 * when it closes.
 *
 * <p>Threading: opened and closed by one thread; chains read it, by way of {@link ProductSnapshot}, on any.
 */
final class ProductExport implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ProductExport.class);

    private static final int PAGE_SIZE = 5_000;

    private final Path directory;
    private final SnapshotReader<Long, Product> reader;
    private final SnapshotSchedule schedule;

    private ProductExport(Path directory, CatalogPages catalog, Ticker ticker) throws InterruptedException {
        this.directory = directory;
        SnapshotSpec<Long, Product> spec = new SnapshotSpec<>(
                ProductSnapshot.PRODUCTS.name(), directory, Codec.longs(), JsonCodec.of(Product.class));
        PageSource<Product> pages = (last, size) -> catalog.after(last == null ? 0 : last.id(), size);
        SnapshotBuilder<Product, Long, Product> builder = SnapshotBuilder.of(
                        spec, pages, Product::id, ProductExport::core)
                .with(BuildSettings.defaults().pageSize(PAGE_SIZE))
                .ticker(ticker);
        try {
            builder.build(); // here, so that it is there when the door opens
        } catch (SnapshotException none) { // a shop without one opens all the same, and the schedule tries again
            log.warn("the shop opens without an export: {}", none.getMessage());
        }
        reader = SnapshotReader.open(spec, ReaderSettings.defaults(), ticker, ProductExport::tell);
        schedule = SnapshotSchedule.start(builder, ScheduleSettings.hourly(), ProductExport::tell);
        ProductSnapshot.PRODUCTS.opened(reader);
    }

    /** Exports the products of a catalog, and makes them known to the chain. Waits for the first export, whatever its end. */
    static ProductExport open(CatalogPages catalog, Ticker ticker) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("shop-products-");
        try {
            return new ProductExport(directory, catalog, ticker);
        } catch (InterruptedException | RuntimeException e) {
            remove(directory);
            throw e;
        }
    }

    /** Without the price: one of an hour ago would be an offer. */
    private static Product core(Product product) {
        return new Product(product.id(), product.name(), null, product.currency(), "price to be confirmed");
    }

    private static void tell(SnapshotEvent event) {
        if (event instanceof SnapshotEvent.Taken || event instanceof SnapshotEvent.Built) {
            log.info("{}", event);
        } else {
            log.warn("{}", event); // failed, missed or refused: what is there gets older
        }
    }

    SnapshotSchedule.View schedule() {
        return schedule.view();
    }

    Path directory() {
        return directory;
    }

    @Override
    public void close() {
        ProductSnapshot.PRODUCTS.closing(reader);
        schedule.close();
        reader.close();
        remove(directory);
    }

    private static void remove(Path directory) {
        try {
            try (Stream<Path> files = Files.list(directory)) {
                for (Path file : files.toList()) {
                    Files.deleteIfExists(file);
                }
            }
            Files.delete(directory);
        } catch (IOException left) {
            log.warn("{} is left behind", directory, left);
        }
    }
}
