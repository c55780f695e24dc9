package io.degradable.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.withSettings;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BroadcastTest {

    /** A client whose connection takes what is written when the test says so. */
    private static final class Client {

        final Response response = mock(Response.class);
        final Callback exchange = mock(Callback.class);
        final List<String> got = new ArrayList<>();
        private final Deque<Callback> pending = new ArrayDeque<>();
        private final boolean quick;

        Client(boolean quick) {
            this.quick = quick;
            doAnswer(write -> {
                        got.add(StandardCharsets.UTF_8
                                .decode(write.<ByteBuffer>getArgument(1))
                                .toString());
                        pending.add(write.getArgument(2));
                        if (this.quick) {
                            takes();
                        }
                        return null;
                    })
                    .when(response)
                    .write(anyBoolean(), any(), any());
        }

        void takes() {
            pending.remove().succeeded();
        }

        void hasGone(IOException why) {
            pending.remove().failed(why);
        }
    }

    private final ScheduledExecutorService timer = mock(ScheduledExecutorService.class);
    private final ScheduledFuture<?> ticks = mock(ScheduledFuture.class);
    private final Deque<Supplier<byte[]>> says = new ArrayDeque<>();
    private final Broadcast broadcast = new Broadcast(timer, () -> says.remove().get());
    private Runnable tick = () -> {
        throw new AssertionError("nothing ticks");
    };

    @BeforeEach
    void keepTheTick() {
        doAnswer(schedule -> {
                    tick = schedule.getArgument(0);
                    return ticks;
                })
                .when(timer)
                .scheduleAtFixedRate(any(), anyLong(), anyLong(), any());
    }

    @Test
    void tick_is_encoded_once_for_all_readers() {
        Client first = open(new Client(true));
        Client second = open(new Client(true));
        tick("one");
        tick("two"); // a second encoding of "one" would have taken this

        assertThat(first.got).containsExactly("ping: \n\n", "one", "two");
        assertThat(second.got).containsExactly("ping: \n\n", "one", "two");
    }

    @Test
    void ticks_run_twice_a_second_while_there_is_a_reader() {
        verify(timer, never()).scheduleAtFixedRate(any(), anyLong(), anyLong(), any());

        Client first = open(new Client(false));
        Client second = open(new Client(false));
        verify(timer, times(1)).scheduleAtFixedRate(any(), eq(0L), eq(500L), eq(TimeUnit.MILLISECONDS));
        first.hasGone(new IOException("reset"));
        verify(ticks, never()).cancel(anyBoolean());
        second.hasGone(new IOException("reset"));
        verify(ticks).cancel(false);

        open(new Client(false));
        verify(timer, times(2)).scheduleAtFixedRate(any(), eq(0L), eq(500L), eq(TimeUnit.MILLISECONDS));
    }

    @Test
    void reader_skips_ticks_until_its_last_one_is_written() {
        Client slow = open(new Client(false));
        Client quick = open(new Client(true));

        tick("one");
        slow.takes();
        tick("two");
        tick("three");
        slow.takes();
        tick("four");

        assertThat(slow.got).containsExactly("ping: \n\n", "two", "four");
        assertThat(quick.got).containsExactly("ping: \n\n", "one", "two", "three", "four");
        assertThat(broadcast.skipped()).isEqualTo(2);
    }

    @Test
    void reader_whose_write_fails_is_freed_and_its_request_ended() {
        Client client = open(new Client(false));
        IOException reset = new IOException("reset");

        client.hasGone(reset);

        assertThat(broadcast.readers()).isZero();
        verify(client.exchange).failed(reset);
        verify(client.exchange, never()).succeeded();
    }

    @Test
    void tick_that_cannot_be_encoded_is_a_ping_and_does_not_end_the_next() {
        Client client = open(new Client(true));

        says.add(() -> {
            throw new IllegalStateException("a view that throws");
        });
        tick.run();
        tick("two");

        assertThat(client.got).containsExactly("ping: \n\n", "ping: \n\n", "two");
    }

    @Test
    void closing_ends_idle_readers_at_once_and_others_after_their_write() {
        Client idle = open(new Client(true));
        Client writing = open(new Client(false));

        broadcast.close();
        verify(idle.exchange).succeeded();
        verify(writing.exchange, never()).succeeded();
        writing.takes();

        verify(writing.exchange).succeeded();
        assertThat(broadcast.readers()).isZero();
    }

    @Test
    void closed_stream_takes_no_reader() {
        broadcast.close();

        Client late = new Client(true);

        assertThat(broadcast.open(late.response, late.exchange)).isFalse();
        assertThat(late.got).isEmpty();
        assertThat(broadcast.readers()).isZero();
    }

    @Test
    void reader_whose_write_throws_keeps_nobody_else_from_the_tick() {
        Client broken = open(new Client(true));
        Client fine = open(new Client(true));
        doThrow(new IllegalStateException("no more")).when(broken.response).write(anyBoolean(), any(), any());

        tick("one");

        assertThat(fine.got).containsExactly("ping: \n\n", "one");
        assertThat(broadcast.readers()).isEqualTo(1);
        verify(broken.exchange).failed(any());
    }

    @Test
    void raced_closing_and_end_of_a_write_end_the_response_once() throws Exception {
        for (int round = 0; round < 2_000; round++) {
            AtomicInteger endings = new AtomicInteger();
            AtomicReference<Callback> writing = new AtomicReference<>(Callback.NOOP);
            Response response = mock(Response.class, withSettings().stubOnly());
            doAnswer(write -> {
                        writing.set(write.getArgument(2));
                        return null;
                    })
                    .when(response)
                    .write(anyBoolean(), any(), any());
            Broadcast raced = new Broadcast(timer, () -> new byte[0]);
            raced.open(response, Callback.from(endings::incrementAndGet));
            CyclicBarrier start = new CyclicBarrier(2);
            Thread closer = new Thread(() -> {
                awaitStart(start);
                raced.close();
            });
            closer.start();
            awaitStart(start);
            Objects.requireNonNull(writing.get()).succeeded();
            closer.join();

            assertThat(endings).hasValue(1);
            assertThat(raced.readers()).isZero();
        }
    }

    private static void awaitStart(CyclicBarrier start) {
        try {
            start.await();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private Client open(Client client) {
        assertThat(broadcast.open(client.response, client.exchange)).isTrue();
        return client;
    }

    private void tick(String what) {
        says.add(() -> Text.utf8(what));
        tick.run();
    }
}
