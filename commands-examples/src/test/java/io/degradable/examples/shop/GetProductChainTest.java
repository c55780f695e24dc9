package io.degradable.examples.shop;

import static io.degradable.testing.ResultAssert.assertThatResult;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import io.degradable.Commands;
import io.degradable.examples.shop.client.Catalog;
import io.degradable.examples.shop.client.Product;
import io.degradable.model.CircuitState;
import io.degradable.model.CommandResult;
import io.degradable.model.EventType;
import io.degradable.model.Source;
import io.degradable.model.Trigger;
import io.degradable.testing.ChainContract;
import io.degradable.testing.DegradableExtension;
import io.degradable.testing.Faults;
import io.degradable.testing.ManualTicker;
import io.degradable.testing.RecordedEvents;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The examples of docs/testing.md, which {@link TestingPageTest} compares with it. */
@Timeout(20)
@ExtendWith(DegradableExtension.class)
final class GetProductChainTest {

    private static final Product LAMP = new Product(42, "Lamp", 1999L, "EUR", null);

    private final Commands commands; // of each test alone, closed after it
    private final ManualTicker ticker; // its time
    private final Catalog catalog = mock(Catalog.class);
    private final Catalog replica = mock(Catalog.class);

    GetProductChainTest(Commands commands, ManualTicker ticker) {
        this.commands = commands;
        this.ticker = ticker;
        commands.register(GetProduct.SPEC);
    }

    private CommandResult<Product> getProduct() {
        return commands.executeForResult(new GetProduct(catalog, replica, 42));
    }

    @Test
    void when_the_catalog_throws_the_replica_is_asked_once() throws Exception {
        when(catalog.find(42)).thenThrow(new IOException("connection reset"));
        when(replica.find(42)).thenReturn(LAMP);

        assertThatResult(getProduct())
                .hasValue(LAMP)
                .isFrom(Source.SPARE)
                .wasTriggeredBy(Trigger.FAILURE)
                .hasTrail("primary: failed", "spare: answered");

        verify(catalog, times(1)).find(42);
        verify(replica, times(1)).find(42);
    }

    @Test
    void a_copy_is_served_for_five_minutes_and_not_longer() throws Exception {
        when(catalog.find(42)).thenReturn(LAMP).thenThrow(new IOException("down"));
        when(replica.find(42)).thenThrow(new IOException("down, too"));
        getProduct();

        ticker.advance(Duration.ofMinutes(5));
        assertThatResult(getProduct()).isFrom(Source.CACHE).isNotOlderThan(Duration.ofMinutes(5));

        ticker.advance(Duration.ofNanos(1));
        assertThatResult(getProduct())
                .isFrom(Source.STATIC)
                .hasTrail("primary: failed", "spare: failed", "cache: missed (too old)", "static: answered");
    }

    @Test
    void with_an_open_circuit_nobody_is_asked() {
        try (Faults faults = Faults.in(commands)) {
            faults.of("GetProduct").opensCircuit();

            assertThatResult(getProduct()).isFrom(Source.STATIC).wasTriggeredBy(Trigger.SHORT_CIRCUITED);
        }

        verifyNoInteractions(catalog, replica);
    }

    @Test
    void a_catalog_that_hangs_is_left_at_its_timeout() throws Exception {
        when(replica.find(42)).thenReturn(LAMP);
        Faults.in(commands).of("GetProduct").delays(Duration.ofDays(1));

        CompletableFuture<CommandResult<Product>> future =
                commands.queueForResult(new GetProduct(catalog, replica, 42));
        ticker.untilWaiting(2); // the time limit of the run, and the delay
        ticker.advance(Duration.ofMillis(150));

        assertThatResult(future.get()).isFrom(Source.SPARE).wasTriggeredBy(Trigger.TIMEOUT);
        verifyNoInteractions(catalog);
    }

    @Test
    void twenty_failures_open_the_circuit_and_the_next_customer_gets_the_template(RecordedEvents recorded)
            throws Exception {
        when(catalog.find(42)).thenThrow(new IOException("down"));
        when(replica.find(42)).thenReturn(LAMP);

        for (int customer = 1; customer <= 21; customer++) {
            getProduct();
        }

        recorded.assertThat("GetProduct")
                .wasAnsweredBy(Source.SPARE, 20)
                .moved(EventType.SHORT_CIRCUITED, 1)
                .hasTrail("primary: refused (short circuited)", "spare: skipped", "cache: missed", "static: answered")
                .hasChanged(CircuitState.CLOSED, CircuitState.OPEN);
    }

    @Test
    void whichever_way_the_catalog_ends_somebody_answers() throws Exception {
        when(replica.find(42)).thenReturn(LAMP);

        ChainContract.of(() -> new GetProduct(catalog, replica, 42)).check();

        verifyNoInteractions(catalog);
    }
}
