package io.degradable.examples.shop;

import io.degradable.examples.shop.client.Product;
import io.degradable.template.StaticSnapshot;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.annotation.Nullable;

/**
 * What {@link GetProduct}'s chain calls the export of products. The chain is declared once in a process, before any shop is
 * open; an export is there only while a shop is. Until then nothing is found, and the template behind it answers. Shops of
 * one process sell the same products: the export that was opened last answers for all of them, and when it goes, the one
 * before.
 *
 * <p>Threading: any thread may read, any may open and close.
 */
final class ProductSnapshot implements StaticSnapshot<Long, Product> {

    static final ProductSnapshot PRODUCTS = new ProductSnapshot();

    private static final String NAME = "products";

    /** The newest first. */
    private final List<StaticSnapshot<Long, Product>> exports = new CopyOnWriteArrayList<>();

    private ProductSnapshot() {}

    /** From now on this one answers. */
    void opened(StaticSnapshot<Long, Product> export) {
        exports.add(0, export);
    }

    /** It answers no more; to be called before it is closed. */
    void closing(StaticSnapshot<Long, Product> export) {
        exports.remove(export);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    @Nullable
    public Found<Product> find(Long id) throws Exception {
        StaticSnapshot<Long, Product> newest = newest();
        return newest == null ? null : newest.find(id);
    }

    @Override
    public View view() {
        StaticSnapshot<Long, Product> newest = newest();
        return newest == null ? new View(NAME, 0, null, -1, 0, 0, 0, 0, null) : newest.view();
    }

    @Nullable
    private StaticSnapshot<Long, Product> newest() {
        return exports.stream().findFirst().orElse(null);
    }
}
