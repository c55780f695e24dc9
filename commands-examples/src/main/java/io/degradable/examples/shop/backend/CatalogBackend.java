package io.degradable.examples.shop.backend;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.annotation.Nullable;
import org.h2.jdbcx.JdbcConnectionPool;

/**
 * Products from a database of its own, in memory. Two of these hold the same products. {@code GET /products/after/{id}/{size}}
 * has the next so many by id, for who exports all of them; an empty list is the end.
 *
 * <p>Threading: each request takes a connection of the pool, which has one for each thread that can ask.
 */
final class CatalogBackend implements Answers {
    private static final String CURRENCY = "EUR";
    private static final Pattern PAGE = Pattern.compile("/products/after/([0-9]{1,18})/([0-9]{1,4})");

    record Product(long id, String name, long priceCents, String currency) {}

    record Products(List<Product> products) {}

    private final JdbcConnectionPool connections;

    CatalogBackend(String name) throws SQLException {
        // The random part keeps the databases of two shops in one JVM apart.
        String url = "jdbc:h2:mem:" + name + "-" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;DB_CLOSE_ON_EXIT=FALSE";
        connections = JdbcConnectionPool.create(url, "sa", "");
        connections.setMaxConnections(Backend.THREADS);
        try (Connection connection = connections.getConnection()) {
            ProductSeed.fill(connection);
        }
    }

    @Override
    public String path() {
        return "/products/";
    }

    @Override
    public Reply answer(Asked asked) throws Exception {
        Matcher page = PAGE.matcher(asked.path());
        return asked.method().equals("GET") && page.matches()
                ? Reply.ok(after(Long.parseLong(page.group(1)), Integer.parseInt(page.group(2))))
                : Answers.super.answer(asked);
    }

    private Products after(long id, int size) throws SQLException {
        try (Connection connection = connections.getConnection();
                PreparedStatement select = connection.prepareStatement(
                        "SELECT id, name, price_cents FROM product WHERE id > ? ORDER BY id LIMIT ?")) {
            select.setLong(1, id);
            select.setInt(2, size);
            List<Product> products = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    products.add(new Product(row.getLong(1), row.getString(2), row.getLong(3), CURRENCY));
                }
            }
            return new Products(products);
        }
    }

    @Override
    @Nullable
    public Product find(long id) throws SQLException {
        try (Connection connection = connections.getConnection();
                PreparedStatement select =
                        connection.prepareStatement("SELECT name, price_cents FROM product WHERE id = ?")) {
            select.setLong(1, id);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? new Product(id, row.getString(1), row.getLong(2), CURRENCY) : null;
            }
        }
    }

    @Override
    public void close() {
        try (Connection connection = connections.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SHUTDOWN");
        } catch (SQLException e) {
            throw new IllegalStateException("the database did not shut down", e);
        } finally {
            connections.dispose();
        }
    }
}
