package io.degradable.examples.shop.backend;

import java.sql.SQLException;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/**
 * The six services the shop depends on: {@code catalog}, its copy {@code replica}, {@code stock}, {@code recommendations},
 * {@code orders} and {@code accounts}.
 *
 * <p>Threading: fixed once started; any thread may ask.
 */
public final class Backends implements AutoCloseable {
    /** Products have the ids 1 to this. */
    public static final int PRODUCTS = 10_000;

    private final Map<String, Backend> byName = new LinkedHashMap<>();

    private final OrdersBackend orders;

    private Backends(OrdersBackend orders) {
        this.orders = orders;
    }

    /** Starts all of them, each with nothing wrong, and fills their databases. */
    public static Backends start() throws Exception {
        Backends backends = new Backends(new OrdersBackend());
        try {
            backends.add("catalog", new CatalogBackend("catalog"));
            backends.add("replica", new CatalogBackend("replica"));
            backends.add("stock", new StockBackend());
            backends.add("recommendations", new RecommendationsBackend());
            backends.add("orders", backends.orders);
            backends.add("accounts", new AccountsBackend());
        } catch (Exception e) {
            backends.close();
            throw e;
        }
        return backends;
    }

    public Backend catalog() {
        return get("catalog");
    }

    public Backend replica() {
        return get("replica");
    }

    public Backend stock() {
        return get("stock");
    }

    public Backend recommendations() {
        return get("recommendations");
    }

    public Backend orders() {
        return get("orders");
    }

    public Backend accounts() {
        return get("accounts");
    }

    /**
     * What the table of orders holds of one customer, whatever is wrong with the service in front of it: the numbers of the
     * orders by their operations, each as often as it is there.
     */
    public Map<String, List<Long>> ordersInTable(String customer) throws SQLException {
        return orders.of(customer).orders().stream()
                .collect(Collectors.groupingBy(
                        OrdersBackend.Order::operationId,
                        Collectors.mapping(OrdersBackend.Order::number, Collectors.toList())));
    }

    /** The backend of that name, or null. */
    @Nullable
    public Backend find(String name) {
        return byName.get(name);
    }

    /** All of them, in a fixed order. */
    public Collection<Backend> all() {
        return Collections.unmodifiableCollection(byName.values());
    }

    /** Ends all of them, whatever they wait for; the first that fails to end does not keep the others alive. */
    @Override
    public void close() {
        RuntimeException first = null;
        for (Backend backend : byName.values()) {
            try {
                backend.close();
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    static boolean isProduct(long id) {
        return id >= 1 && id <= PRODUCTS;
    }

    private void add(String name, Service service) throws Exception {
        byName.put(name, Backend.start(name, service));
    }

    private Backend get(String name) {
        return Objects.requireNonNull(find(name));
    }
}
