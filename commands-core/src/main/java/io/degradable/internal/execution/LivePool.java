package io.degradable.internal.execution;

import io.degradable.internal.bulkhead.ThreadPoolBulkhead;
import io.degradable.state.PoolView;

/** A thread pool, for those who only look. */
record LivePool(ThreadPoolBulkhead pool) implements PoolView {

    @Override
    public String name() {
        return pool.declared().name();
    }

    @Override
    public int size() {
        return pool.size();
    }

    @Override
    public int queue() {
        return pool.queue();
    }

    @Override
    public int active() {
        return pool.active();
    }

    @Override
    public int queued() {
        return pool.queued();
    }

    @Override
    public int threads() {
        return pool.threads();
    }

    @Override
    public int largestThreads() {
        return pool.largestPoolSize();
    }

    @Override
    public long completed() {
        return pool.completed();
    }
}
