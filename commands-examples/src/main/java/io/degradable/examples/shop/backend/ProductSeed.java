package io.degradable.examples.shop.backend;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/** Fills a database with the products of the shop: the same ones every time. */
final class ProductSeed {
    private static final String[] MATERIALS = {"Oak", "Walnut", "Steel", "Linen", "Wool", "Glass", "Cork"};
    private static final String[] KINDS = {
        "Chair", "Table", "Lamp", "Shelf", "Bowl", "Clock", "Basket", "Mirror", "Stool", "Vase", "Rug"
    };
    private static final int CHEAPEST_CENTS = 199;

    private ProductSeed() {}

    static void fill(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE product (id BIGINT PRIMARY KEY, name VARCHAR(100) NOT NULL,"
                    + " price_cents BIGINT NOT NULL CHECK (price_cents > 0), description VARCHAR(500) NOT NULL)");
        }
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO product VALUES (?, ?, ?, ?)")) {
            for (long id = 1; id <= Backends.PRODUCTS; id++) {
                insert.setLong(1, id);
                insert.setString(2, name(id));
                insert.setLong(3, priceCents(id));
                insert.setString(4, "The " + name(id) + ", made to last and easy to repair.");
                insert.addBatch();
            }
            insert.executeBatch();
        }
        connection.commit();
        connection.setAutoCommit(true);
    }

    private static String name(long id) {
        String material = MATERIALS[(int) (id % MATERIALS.length)];
        String kind = KINDS[(int) (id % KINDS.length)];
        return material + " " + kind + " " + id;
    }

    private static long priceCents(long id) {
        return CHEAPEST_CENTS + id * 7_919 % 50_000;
    }
}
