package io.degradable.internal.guard;

import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A thread that begins an attempt and waits for it itself. */
public final class WaitingDriver implements Driver {

    private final Thread waiter = Thread.currentThread();

    @Override
    public void decided() {
        LockSupport.unpark(waiter);
    }

    @Override
    public CallContext context() {
        return CallContext.capture(List.of(), null, () -> {});
    }
}
