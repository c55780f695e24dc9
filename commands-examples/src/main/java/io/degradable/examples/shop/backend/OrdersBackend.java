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
import org.eclipse.jetty.http.HttpStatus;
import org.h2.jdbcx.JdbcConnectionPool;

/**
 * Orders, in a database of its own, in memory. {@code PUT /customers/{customer}/orders/{operation}} places one: the operation
 * is the customer's own name for it, unique in the table, so that it is done once however often it is asked, and gives the
 * same order each time. {@code GET /customers/{customer}/orders} lists them, the newest first.
 *
 * <p>Its promise: 503 means that nothing was done. After any other status but 201, 404 and 409 a client does not know.
 *
 * <p>Threading: each request takes a connection of the pool, which has one for each thread that can ask.
 */
final class OrdersBackend implements Service {
    private static final Pattern LIST = Pattern.compile("/customers/([a-z]{1,40})/orders");
    private static final Pattern ONE = Pattern.compile(LIST + "/([A-Za-z0-9_-]{1,64})");
    private static final String UNIQUE_VIOLATION = "23505";
    private static final int LONGEST_LIST = 100;

    record Wanted(long productId, int quantity) {}

    record Order(long number, String operationId, long productId, int quantity) {}

    record Orders(List<Order> orders) {}

    private final JdbcConnectionPool connections;

    OrdersBackend() throws SQLException {
        // The random part keeps the databases of two shops in one JVM apart.
        connections = JdbcConnectionPool.create(
                "jdbc:h2:mem:orders-" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;DB_CLOSE_ON_EXIT=FALSE", "sa", "");
        connections.setMaxConnections(Backend.THREADS);
        try (Connection connection = connections.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE placed (number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
                    + " customer VARCHAR(40) NOT NULL, operation VARCHAR(64) NOT NULL, product BIGINT NOT NULL,"
                    + " quantity INT NOT NULL CHECK (quantity > 0), UNIQUE (customer, operation))");
        }
        place("anna", "first-lamp", new Wanted(24, 1)); // Anna has ordered before, Ben has not
    }

    @Override
    public int faultStatus() {
        return HttpStatus.SERVICE_UNAVAILABLE_503;
    }

    @Override
    public Reply answer(Asked asked) throws SQLException {
        Matcher list = LIST.matcher(asked.path());
        if (list.matches()) {
            return asked.method().equals("GET") ? Reply.ok(of(list.group(1))) : Reply.onlyAllowed("GET");
        }
        Matcher one = ONE.matcher(asked.path());
        if (!one.matches()) {
            return Reply.nothingAt(asked.path());
        }
        if (!asked.method().equals("PUT")) {
            return Reply.onlyAllowed("PUT");
        }
        Wanted wanted = Bodies.read(asked.body(), Wanted.class);
        if (wanted == null || wanted.quantity() < 1) {
            return Reply.refusal(HttpStatus.BAD_REQUEST_400, "an order has a productId and a quantity of 1 or more");
        }
        if (!Backends.isProduct(wanted.productId())) {
            return Reply.refusal(HttpStatus.NOT_FOUND_404, "no product has the id " + wanted.productId());
        }
        return place(one.group(1), one.group(2), wanted);
    }

    private Reply place(String customer, String operation, Wanted wanted) throws SQLException {
        try (Connection connection = connections.getConnection()) {
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO placed (customer, operation, product, quantity) VALUES (?, ?, ?, ?)")) {
                insert.setString(1, customer);
                insert.setString(2, operation);
                insert.setLong(3, wanted.productId());
                insert.setInt(4, wanted.quantity());
                insert.executeUpdate();
            } catch (SQLException e) {
                if (!UNIQUE_VIOLATION.equals(e.getSQLState())) {
                    throw e;
                }
            }
            Order order = find(connection, customer, operation);
            if (order == null) {
                throw new SQLException("the order " + operation + " was written and is not there");
            }
            boolean same = order.productId() == wanted.productId() && order.quantity() == wanted.quantity();
            return same
                    ? new Reply(HttpStatus.CREATED_201, order)
                    : Reply.refusal(HttpStatus.CONFLICT_409, operation + " names another order");
        }
    }

    @Nullable
    private static Order find(Connection connection, String customer, String operation) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT number, product, quantity FROM placed WHERE customer = ? AND operation = ?")) {
            select.setString(1, customer);
            select.setString(2, operation);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? new Order(row.getLong(1), operation, row.getLong(2), row.getInt(3)) : null;
            }
        }
    }

    /** What the table holds of one customer, whatever is wrong with the service in front of it. */
    Orders of(String customer) throws SQLException {
        try (Connection connection = connections.getConnection();
                PreparedStatement select =
                        connection.prepareStatement("SELECT number, operation, product, quantity FROM placed"
                                + " WHERE customer = ? ORDER BY number DESC LIMIT " + LONGEST_LIST)) {
            select.setString(1, customer);
            List<Order> orders = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    orders.add(new Order(row.getLong(1), row.getString(2), row.getLong(3), row.getInt(4)));
                }
            }
            return new Orders(orders);
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
