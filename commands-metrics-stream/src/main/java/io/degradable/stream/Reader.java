package io.degradable.stream;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;

/**
 * One connection that reads a stream.
 *
 * <pre>
 *   IDLE     --write-->   WRITING   --written--> IDLE
 *   WRITING  --end-->     ENDING    --written--> ENDED
 *   IDLE     --end-->     ENDED
 *   WRITING or ENDING     --the write fails, because the client has gone--> ENDED
 * </pre>
 *
 * <p>Threading: any thread writes and ends; Jetty tells how a write went.
 */
final class Reader {

    private enum State {
        IDLE,
        WRITING,
        ENDING,
        ENDED
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);
    private final Response response;
    private final Callback exchange;
    private final Consumer<Reader> ended;
    private final Callback writing = Callback.from(InvocationType.NON_BLOCKING, this::written, this::failed);

    /**
     * A reader that has got nothing yet.
     *
     * @param exchange ends request and response
     * @param ended told once, when the connection takes no more
     */
    Reader(Response response, Callback exchange, Consumer<Reader> ended) {
        this.response = response;
        this.exchange = exchange;
        this.ended = ended;
    }

    /** Begins to write; false when the last write has not ended, or the connection has. */
    boolean write(byte[] bytes) {
        if (!state.compareAndSet(State.IDLE, State.WRITING)) {
            return false;
        }
        try {
            response.write(false, ByteBuffer.wrap(bytes), writing);
        } catch (RuntimeException e) {
            failed(e); // whoever writes to all readers must get to the next one
        }
        return true;
    }

    private void written() {
        if (!state.compareAndSet(State.WRITING, State.IDLE)) {
            state.set(State.ENDED);
            complete();
        }
    }

    private void failed(Throwable why) {
        state.set(State.ENDED);
        ended.accept(this);
        exchange.failed(why);
    }

    /** Ends the response after what is being written. */
    void end() {
        State before = state.getAndUpdate(now -> now == State.IDLE || now == State.ENDED ? State.ENDED : State.ENDING);
        if (before == State.IDLE) {
            complete();
        }
    }

    private void complete() {
        ended.accept(this);
        exchange.succeeded();
    }
}
