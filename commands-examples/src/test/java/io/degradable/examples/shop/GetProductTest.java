package io.degradable.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import io.degradable.Commands;
import io.degradable.examples.shop.client.Catalog;
import io.degradable.examples.shop.client.Product;
import io.degradable.examples.shop.client.UnknownProductException;
import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.model.StageReport;
import io.degradable.model.Trigger;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How a user tests the fallbacks of a command: the services it wraps are mocks, the command and its chain are real. */
final class GetProductTest {

    private static final Product LAMP = new Product(42, "Lamp", 1999L, "EUR", null);

    private final Commands commands = Commands.create();
    private final Catalog catalog = mock(Catalog.class);
    private final Catalog replica = mock(Catalog.class);

    @AfterEach
    void close() {
        commands.close();
    }

    private CommandResult<Product> getProduct() {
        return commands.executeForResult(new GetProduct(catalog, replica, 42));
    }

    @Test
    void when_the_catalog_throws_the_replica_is_asked_once_and_the_template_never() throws Exception {
        when(catalog.find(42)).thenThrow(new IOException("connection reset"));
        when(replica.find(42)).thenReturn(LAMP);

        CommandResult<Product> result = getProduct();

        assertThat(result.value()).isEqualTo(LAMP);
        assertThat(result.source()).isEqualTo(Source.SPARE);
        assertThat(result.trigger()).isEqualTo(Trigger.FAILURE);
        assertThat(result.trail()).extracting(StageReport::stage).containsExactly("primary", "spare");
        verify(catalog, times(1)).find(42);
        verify(replica, times(1)).find(42);
    }

    @Test
    void a_healthy_catalog_leaves_the_replica_alone() throws Exception {
        when(catalog.find(42)).thenReturn(LAMP);

        assertThat(getProduct().source()).isEqualTo(Source.PRIMARY);
        verifyNoInteractions(replica);
    }

    @Test
    void with_both_down_and_no_copy_the_price_is_to_be_confirmed_and_never_zero() throws Exception { // H6
        when(catalog.find(42)).thenThrow(new IOException("down"));
        when(replica.find(42)).thenThrow(new IOException("down, too"));

        CommandResult<Product> result = getProduct();

        assertThat(result.source()).isEqualTo(Source.STATIC);
        assertThat(result.value().priceCents()).isNull();
        assertThat(result.value().notice()).isEqualTo("price to be confirmed");
    }

    @Test
    void an_unknown_product_is_an_answer_of_the_catalog() throws Exception {
        when(catalog.find(42)).thenThrow(new UnknownProductException(42));

        assertThatThrownBy(this::getProduct)
                .isInstanceOf(UnknownProductException.class)
                .hasMessage("no product has the id 42");
        verifyNoInteractions(replica);
    }
}
