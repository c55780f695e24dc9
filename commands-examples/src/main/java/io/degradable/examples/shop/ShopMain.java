package io.degradable.examples.shop;

import io.degradable.examples.shop.http.Load;
import java.net.BindException;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import javax.annotation.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import redis.clients.jedis.RedisClient;

/** The shop as a program; {@code ./demo} starts it. Ctrl-C or SIGTERM ends it. */
@Command(
        name = "./demo",
        description = "A shop whose backends you can break, to see who answers in their place.",
        sortOptions = false)
public final class ShopMain implements Callable<Integer> {

    /** The port is taken, or there is no Redis or no file of settings. */
    private static final int CANNOT_OPEN = 1;

    private static final int MOST_PER_SECOND = 10_000;

    /** Lets the end of the program wait for the shop to close, and the shop's closing for nothing else. */
    private final CountDownLatch ending = new CountDownLatch(1);

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "says this and ends")
    @SuppressWarnings("UnusedVariable") // picocli looks at it
    private boolean help;

    @Option(
            names = "--port",
            paramLabel = "<port>",
            defaultValue = "8080",
            description = "where the shop answers on 127.0.0.1; 0 for any free port (default: ${DEFAULT-VALUE})")
    private int port;

    @Option(
            names = "--redis",
            paramLabel = "<host:port>",
            description =
                    "a Redis that keeps copies and switches as well, so that they survive a restart, and has settings, too"
                            + " (default: in memory only)")
    @Nullable
    private String redis;

    @Option(
            names = "--settings",
            paramLabel = "<file>",
            description = {
                "properties that change the shop while it runs, looked at every second (default: none), such as",
                "degradable.switch.command.GetProduct=1"
            })
    @Nullable
    private Path settings;

    @ArgGroup
    private Traffic traffic = new Traffic();

    private static final class Traffic {
        @Option(
                names = "--load",
                paramLabel = "<n>",
                description = "requests per second that the shop sends to itself, 0 to 10000 (default: 50)")
        private int perSecond = 50;

        @Option(names = "--no-load", description = "sends none; then you are the only customer")
        private boolean none;
    }

    /** Starts the shop. */
    public static void main(String[] arguments) {
        CommandLine line = new CommandLine(new ShopMain());
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            command.getErr().println("the shop could not open: " + failure);
            return CommandLine.ExitCode.SOFTWARE;
        });
        int code = line.execute(arguments);
        System.exit(code);
    }

    @Override
    public Integer call() throws Exception {
        if (port < 0 || port > 65_535) {
            System.err.println("--port must be from 0 to 65535, was " + port);
            return CommandLine.ExitCode.USAGE;
        }
        int perSecond = traffic.none ? 0 : traffic.perSecond;
        if (perSecond < 0 || perSecond > MOST_PER_SECOND) {
            System.err.println("--load must be from 0 to " + MOST_PER_SECOND + ", was " + perSecond);
            return CommandLine.ExitCode.USAGE;
        }
        Redis store;
        try {
            store = redis == null ? null : Redis.at(redis);
        } catch (IllegalArgumentException wrong) {
            System.err.println(wrong.getMessage());
            return CommandLine.ExitCode.USAGE;
        }
        // What a container says of its settings goes to the log of the JDK, which has two lines for each.
        System.setProperty("java.util.logging.SimpleFormatter.format", "%1$tT.%1$tL %4$-7s %5$s%6$s%n");
        if (perSecond == 0) {
            System.setProperty("shop.calls", "INFO"); // before the first logger: see logback.xml
        }
        try (SettingsFile file = settings == null ? null : SettingsFile.at(settings);
                RedisClient client = store == null ? null : store.connect()) { // both closed after the shop
            return run(perSecond, Outside.of(file, client));
        } catch (BindException | UnusableException cannot) {
            System.err.println(cannot.getMessage());
            return CANNOT_OPEN;
        }
    }

    private int run(int perSecond, Outside outside) throws Exception {
        Shop shop = Shop.open(port, outside);
        Load load = new Load(shop.uri(), perSecond);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            load.close();
                            shop.close();
                            ending.countDown();
                        },
                        "shop-closing"));
        greet(shop.uri());
        load.start();
        ending.await();
        return CommandLine.ExitCode.OK;
    }

    private static void greet(URI shop) {
        System.out.printf("""
                The shop is open. Ctrl-C closes it.

                  watch     %1$s
                  ask       curl -i %1$sproducts/1
                  break     curl -d '{"mode":"errors"}' %1$sfaults/catalog
                  heal      curl -d '{"mode":"up"}' %1$sfaults/catalog
                  state     %1$sdegradable/v1/state
                  meters    %1$smetrics
                  Hystrix   %1$shystrix.stream
                %n""", shop);
    }
}
