package io.degradable.examples.shop.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doNothing;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

class FaultsTest {
    private final Faults faults = new Faults();
    private final Exchange exchange = mock(Exchange.class);

    @Test
    void held_request_is_let_go_once() {
        faults.set(Fault.slow(10));
        Episode met = faults.meet(exchange);

        assertThat(faults.letGo(exchange, met)).isTrue();
        assertThat(faults.letGo(exchange, met)).isFalse();
        assertThat(faults.set(Fault.up())).isEmpty();
        verify(exchange, times(1)).unwatchClient();
    }

    @Test
    void timer_of_an_earlier_fault_moves_nothing_of_a_later_equal_one() {
        faults.set(Fault.slow(10));
        Episode earlier = faults.meet(exchange);
        assertThat(faults.set(Fault.hang())).containsExactly(exchange);
        faults.set(Fault.slow(10));
        Episode later = faults.meet(exchange);

        assertThat(faults.letGo(exchange, earlier)).isFalse();
        assertThat(faults.letGo(exchange, later)).isTrue();
    }

    @Test
    void client_that_leaves_after_its_request_was_let_go_changes_nothing() {
        ArgumentCaptor<Runnable> left = ArgumentCaptor.forClass(Runnable.class);
        doNothing().when(exchange).watchClient(left.capture());
        faults.set(Fault.hang());
        faults.meet(exchange);
        faults.set(Fault.up());

        left.getValue().run();

        verify(exchange, never()).cut();
    }

    @Test
    void client_that_leaves_while_its_request_is_held_ends_it() {
        ArgumentCaptor<Runnable> left = ArgumentCaptor.forClass(Runnable.class);
        doNothing().when(exchange).watchClient(left.capture());
        faults.set(Fault.hang());
        faults.meet(exchange);

        left.getValue().run();

        verify(exchange).cut();
        assertThat(faults.set(Fault.up())).isEmpty();
    }

    @Test
    void fault_that_holds_nobody_watches_nobody() {
        faults.meet(exchange);

        verify(exchange, never()).watchClient(any());
    }
}
