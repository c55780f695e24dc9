package io.degradable.examples.shop;

import io.degradable.Commands;
import io.degradable.control.Change;
import io.degradable.event.CommandLog;
import io.degradable.examples.shop.backend.Backends;
import io.degradable.examples.shop.client.AccountService;
import io.degradable.examples.shop.client.BackendClients;
import io.degradable.examples.shop.client.Catalog;
import io.degradable.examples.shop.client.NewOrder;
import io.degradable.examples.shop.client.OrderService;
import io.degradable.examples.shop.http.FaultsHandler;
import io.degradable.model.CommandException;
import io.degradable.stream.StreamServer;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shop with everything it needs: its backends, which are real HTTP services in this process, its commands, and one port
 * where its pages, the fault switches and everything about the commands answer.
 *
 * <p>Threading: started and closed by one thread; the accessors may be called from any.
 */
final class Shop implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Shop.class);

    /** What an operator turns, for the terminal: see logback.xml. */
    private static final Logger changes = LoggerFactory.getLogger("shop.changes");

    private static final Pattern SETTING = Pattern.compile("(degradable|hystrix)\\.");

    private static final int WARM_UP_RUNS = 20;

    private final Backends backends;
    private final BackendClients clients = new BackendClients();
    private final ExecutorService beside = Executors.newCachedThreadPool(daemons("shop-page"));
    private final Commands commands;
    private final ProductExport products;
    private final StreamServer server;

    private Shop(int port, Outside outside) throws Exception {
        backends = Backends.start();
        commands = outside.allOf(Commands.builder())
                .name("shop")
                .closeGrace(Duration.ofMillis(300))
                .listener(new CommandLog())
                .changeListener(Shop::tell)
                .build();
        try {
            products =
                    ProductExport.open(clients.catalogPages(backends.catalog().uri()), commands.ticker());
        } catch (Exception e) {
            commands.close();
            closeTheRest();
            throw e;
        }
        try {
            AccountService accounts = clients.accounts(backends.accounts().uri());
            OrderService orders = clients.orders(backends.orders().uri());
            warmUp(services());
            warmUp(accounts, orders);
            warmUp(outside);
            commands.register(GetProduct.SPEC, GetProductFromReplica.SPEC, GetStock.SPEC, GetRecommendations.SPEC);
            commands.register(Login.SPEC, CheckToken.SPEC, PlaceOrder.SPEC, GetOrders.SPEC);
            server = StreamServer.builder(commands)
                    .service("shop")
                    .port(port)
                    .handler(new ProductsHandler(commands, services(), beside))
                    .handler(new LoginHandler(commands, accounts))
                    .handler(new OrdersHandler(commands, accounts, orders))
                    .handler(new FaultsHandler(backends))
                    .start();
        } catch (Exception e) {
            commands.close();
            products.close();
            closeTheRest();
            throw e;
        }
    }

    /** But for settings that are not taken: of these the container warns itself. */
    private static void tell(Change change) {
        if (change.kind() == Change.Kind.REFUSED
                && SETTING.matcher(change.subject()).lookingAt()) {
            return;
        }
        changes.info(
                "{} {} from={} to={} by={} why={}",
                change.kind(),
                change.subject(),
                change.from(),
                change.to(),
                change.author(),
                change.reason());
    }

    /** A shop that is open, and has nothing outside of its process. */
    static Shop open(int port) throws Exception {
        return open(port, Outside.NOTHING);
    }

    /**
     * A shop that is open.
     *
     * @param port where it answers; 0 for any that is free
     * @param outside what it keeps and reads elsewhere
     * @throws java.net.BindException when the port cannot be had
     */
    static Shop open(int port, Outside outside) throws Exception {
        return new Shop(port, outside);
    }

    /**
     * Runs each command a few times in a container of its own, so that the first customer does not pay for classes that
     * load and connections that open: with limits of 100 ms that would look like an outage.
     */
    private static void warmUp(ProductsHandler.Services services) {
        try (Commands rehearsal = Commands.builder().name("warm-up").build()) {
            for (long id = 1; id <= WARM_UP_RUNS; id++) {
                rehearsal.execute(new GetProduct(services.catalog(), services.replica(), id));
                rehearsal.execute(new GetStock(services.stock(), id));
                rehearsal.execute(new GetRecommendations(services.recommendations(), id));
                // The replica in the catalog's place, with a chain behind it should it be too cold to answer in time.
                rehearsal.execute(new GetProduct(services.replica(), services.catalog(), id));
            }
        }
    }

    /** The same for the others. Nothing stands in for some of them, so that a rehearsal may fail; it orders nothing new. */
    private static void warmUp(AccountService accounts, OrderService orders) {
        NewOrder known = new NewOrder("anna", "first-lamp", 24, 1);
        try (Commands rehearsal = Commands.builder().name("warm-up").build()) {
            for (int run = 0; run < WARM_UP_RUNS; run++) {
                try {
                    String token = rehearsal.execute(new Login(accounts, "anna", "oak-and-linen"));
                    String customer = rehearsal.execute(new CheckToken(accounts, token));
                    rehearsal.execute(new PlaceOrder(orders, known));
                    rehearsal.execute(new GetOrders(orders, customer));
                } catch (CommandException tooCold) {
                    log.debug("a rehearsal came too late", tooCold);
                }
            }
        }
    }

    /**
     * The same for what answers in the place of the backends: a first read in Redis has to load and connect as well, and has
     * 50 ms. It asks for products that nobody has, of backends that are not there, so no copy is written by it.
     */
    private static void warmUp(Outside outside) {
        Catalog away = id -> {
            throw new IOException("a rehearsal");
        };
        try (Commands rehearsal =
                outside.copiesOf(Commands.builder()).name("warm-up").build()) {
            for (long id = 1; id <= WARM_UP_RUNS; id++) {
                rehearsal.execute(new GetProduct(away, away, -id));
            }
        }
    }

    private ProductsHandler.Services services() {
        return new ProductsHandler.Services(
                clients.catalog(backends.catalog().uri()),
                clients.catalog(backends.replica().uri()),
                clients.stock(backends.stock().uri()),
                clients.recommendations(backends.recommendations().uri()));
    }

    private static ThreadFactory daemons(String name) {
        AtomicInteger number = new AtomicInteger();
        return work -> {
            Thread thread = new Thread(work, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    URI uri() {
        return server.uri();
    }

    Backends backends() {
        return backends;
    }

    Commands commands() {
        return commands;
    }

    /** Closes the door first, then what is behind it. */
    @Override
    public void close() {
        server.close();
        commands.close();
        products.close();
        closeTheRest();
    }

    private void closeTheRest() {
        beside.shutdownNow();
        clients.close();
        backends.close();
    }
}
