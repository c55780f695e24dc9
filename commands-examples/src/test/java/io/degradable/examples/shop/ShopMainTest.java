package io.degradable.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The shop as a program of its own, started and ended as from a shell. */
@Timeout(60)
final class ShopMainTest {

    private final List<Process> started = new ArrayList<>();

    @TempDir
    private Path temporary;

    @AfterEach
    void endAll() throws InterruptedException {
        for (Process process : started) {
            process.destroyForcibly().waitFor();
        }
    }

    private Process shop(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                System.getProperty("java.class.path"),
                ShopMain.class.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        started.add(process);
        return process;
    }

    private static BufferedReader output(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    private static URI addressIn(BufferedReader output) throws IOException {
        Pattern watch = Pattern.compile("watch +(http://127\\.0\\.0\\.1:[0-9]+/)");
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            Matcher found = watch.matcher(line);
            if (found.find()) {
                return URI.create(found.group(1));
            }
        }
        throw new AssertionError("the shop printed no address");
    }

    @Test
    void a_termination_ends_everything_also_under_load() throws Exception {
        Process shop = shop("--port", "0", "--load", "200");
        URI address = addressIn(output(shop));
        Customer customer = new Customer(address);
        customer.fault("catalog", "{\"mode\":\"hang\"}");
        assertThat(customer.product(1).status()).isEqualTo(200);
        assertThat(temporary).isNotEmptyDirectory(); // of the snapshot

        shop.destroy();

        assertThat(shop.waitFor(3, TimeUnit.SECONDS)).isTrue();
        assertThat(shop.exitValue()).isEqualTo(128 + 15);
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void without_load_the_shop_has_no_customer_but_you() throws Exception {
        Process shop = shop("--port", "0", "--no-load");
        Customer customer = new Customer(addressIn(output(shop)));

        customer.product(1);

        assertThat(customer.get("degradable/v1/state").json().get("commands").findValuesAsText("received"))
                .containsExactlyInAnyOrder("1", "0", "1", "1", "0", "0", "0", "0");
    }

    @Test
    void a_busy_port_is_one_clear_line() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Process shop = shop("--port", Integer.toString(taken.getLocalPort()));

            List<String> lines = output(shop).lines().toList();

            assertThat(lines).singleElement().asString().contains("127.0.0.1", Integer.toString(taken.getLocalPort()));
            assertThat(shop.waitFor()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --port 65536        | --port must be from 0 to 65535, was 65536
            --port eight        | Invalid value for option '--port'
            --load=-1           | --load must be from 0 to 10000, was -1
            --load 5 --no-load  | are mutually exclusive
            --lod 5             | Unknown option
            --redis localhost   | --redis must be host:port, as in 127.0.0.1:6379, was "localhost"
            --redis here:redis  | --redis must be host:port, as in 127.0.0.1:6379, was "here:redis"
            --redis here:65536  | the port of --redis must be from 1 to 65535, was 65536
            --redis             | Missing required parameter for option '--redis' (<host:port>)
            --settings          | Missing required parameter for option '--settings' (<file>)
            """)
    void a_wrong_argument_is_named(String arguments, String says) throws Exception {
        Process shop = shop(arguments.split(" +"));

        String output = String.join("\n", output(shop).lines().toList());

        assertThat(output).contains(says).doesNotContain("\tat ");
        assertThat(shop.waitFor()).isEqualTo(2);
    }

    @Test
    void help_says_what_settings_are_for() throws Exception {
        Process shop = shop("--help");

        String output = String.join(" ", output(shop).lines().map(String::strip).toList());

        assertThat(output).contains("--settings=<file>", "every second", "degradable.switch.command.GetProduct=1");
        assertThat(shop.waitFor()).isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            away.properties   | there is no file %s for --settings; an empty one will do, or leave it out
            folder            | %s, for --settings, is no file
            broken.properties | %s, for --settings, cannot be read: Malformed \\uxxxx encoding.
            """)
    void a_file_of_settings_that_cannot_be_read_is_one_clear_line(String name, String says) throws Exception {
        Path file = temporary.resolve(name);
        Files.createDirectory(temporary.resolve("folder"));
        Files.writeString(temporary.resolve("broken.properties"), "odd=\\u12\n");
        Process shop = shop("--port", "0", "--settings", file.toString());

        assertThat(shop.waitFor(50, TimeUnit.SECONDS)).isTrue(); // or its output would never end
        List<String> lines = output(shop).lines().toList();

        assertThat(lines).singleElement().isEqualTo(says.formatted(file));
        assertThat(shop.exitValue()).isEqualTo(1);
    }

    @Test
    void a_line_in_the_file_of_settings_moves_the_shop_which_ends_as_fast_as_ever() throws Exception {
        Path file = Files.createFile(temporary.resolve("shop.properties"));
        try (RedisServer redis = new RedisServer()) {
            Process shop = shop("--port", "0", "--no-load", "--settings", file.toString(), "--redis", redis.address());
            Customer customer = new Customer(addressIn(output(shop)));
            assertThat(customer.product(1).source()).isEqualTo("primary");

            Files.writeString(file, "degradable.switch.command.GetProduct=2\n");

            await().atMost(Duration.ofSeconds(20))
                    .until(() -> customer.product(1).source().equals("static"));
            shop.destroy();
            assertThat(shop.waitFor(3, TimeUnit.SECONDS)).isTrue();
            assertThat(shop.exitValue()).isEqualTo(128 + 15);
        }
    }

    @Test
    void a_redis_that_is_not_there_is_one_clear_line() throws Exception {
        String address = "127.0.0.1:" + RedisServer.freePort();
        Process shop = shop("--port", "0", "--redis", address);

        assertThat(shop.waitFor(50, TimeUnit.SECONDS)).isTrue(); // or its output would never end
        List<String> lines = output(shop).lines().toList();

        assertThat(lines)
                .singleElement()
                .asString()
                .startsWith(address + " does not answer as a Redis does: Connection refused; start one");
        assertThat(shop.exitValue()).isEqualTo(1);
    }

    @Test
    void a_redis_that_says_nothing_is_not_waited_for() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Process shop = shop("--port", "0", "--redis", "127.0.0.1:" + silent.getLocalPort());

            assertThat(shop.waitFor(50, TimeUnit.SECONDS)).isTrue(); // or its output would never end
            List<String> lines = output(shop).lines().toList();

            assertThat(lines).singleElement().asString().contains("does not answer as a Redis does", "timed out");
            assertThat(shop.exitValue()).isEqualTo(1);
        }
    }

    @Test
    void with_a_redis_copies_outlive_the_program() throws Exception {
        try (RedisServer redis = new RedisServer()) {
            Process first = shop("--port", "0", "--no-load", "--redis", redis.address());
            new Customer(addressIn(output(first))).product(4711);
            first.destroy();
            assertThat(first.waitFor(5, TimeUnit.SECONDS)).isTrue();

            Process second = shop("--port", "0", "--no-load", "--redis", redis.address());
            Customer customer = new Customer(addressIn(output(second)));
            customer.fault("catalog", "{\"mode\":\"down\"}");
            customer.fault("replica", "{\"mode\":\"down\"}");

            // Redis has 50 ms to say it, which a loaded machine may not have; the snapshot answers until then.
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> customer.product(4711).source().equals("cache"));
        }
    }
}
