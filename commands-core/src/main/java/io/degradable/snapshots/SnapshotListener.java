package io.degradable.snapshots;

/**
 * Is told what happens to a snapshot, in order, on a thread that is there for nothing else. What it throws is counted and
 * changes nothing; while it hangs, up to 256 events wait, and further ones are dropped and counted.
 */
@FunctionalInterface
public interface SnapshotListener {

    void onEvent(SnapshotEvent event);
}
