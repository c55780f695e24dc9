package io.degradable.examples.shop.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class OrdersBackendTest {

    private static Asked put(String customer, String operation, String body) {
        return new Asked("PUT", "/customers/" + customer + "/orders/" + operation, body);
    }

    @Test
    void however_many_ask_at_once_under_one_operation_it_is_done_once() throws Exception { // S11
        int callers = 8;
        int rounds = 100;
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        try (OrdersBackend orders = new OrdersBackend()) {
            CyclicBarrier start = new CyclicBarrier(callers);
            for (int round = 0; round < rounds; round++) {
                Asked asked = put("ben", "operation-" + round, "{\"productId\":7,\"quantity\":2}");
                List<Future<Reply>> replies = new ArrayList<>();
                for (int caller = 0; caller < callers; caller++) {
                    replies.add(threads.submit(() -> {
                        start.await(10, TimeUnit.SECONDS);
                        return orders.answer(asked);
                    }));
                }
                Set<Reply> different = new HashSet<>();
                for (Future<Reply> reply : replies) {
                    different.add(reply.get(10, TimeUnit.SECONDS));
                }

                assertThat(different)
                        .singleElement()
                        .satisfies(reply -> assertThat(reply.status()).isEqualTo(201));
            }
            assertThat(orders.of("ben").orders()).hasSize(rounds).doesNotHaveDuplicates();
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void what_is_no_order_is_refused_and_writes_nothing() throws Exception {
        try (OrdersBackend orders = new OrdersBackend()) {
            String good = "{\"productId\":7,\"quantity\":2}";
            assertThat(orders.answer(put("ben", "a", "{\"productId\":7,\"quantity\":0}"))
                            .status())
                    .isEqualTo(400);
            assertThat(orders.answer(put("ben", "a", "{\"productId\":7}")).status())
                    .isEqualTo(400);
            assertThat(orders.answer(put("ben", "a", "")).status()).isEqualTo(400);
            assertThat(orders.answer(put("ben", "a", "{\"productId\":10001,\"quantity\":1}"))
                            .status())
                    .isEqualTo(404);
            assertThat(orders.answer(put("ben", "a/b", good)).status()).isEqualTo(404);
            assertThat(orders.answer(new Asked("POST", "/customers/ben/orders/a", good))
                            .status())
                    .isEqualTo(405);
            assertThat(orders.of("ben").orders()).isEmpty();
        }
    }
}
