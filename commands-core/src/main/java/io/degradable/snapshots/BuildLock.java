package io.degradable.snapshots;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.annotation.Nullable;

/**
 * Held by the one who builds, against other processes and against other threads of this one. The operating system lets go of
 * it when the process ends, however it ends; so its file stays for good and says nothing.
 *
 * <p>Threading: may be taken and closed by any thread.
 */
final class BuildLock implements AutoCloseable {

    /**
     * Those of this process. It must never open a lock's file twice: where locks belong to the process, as POSIX has it,
     * closing the second channel would let go of the lock of the first.
     */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path held;
    private final FileChannel channel;

    private BuildLock(Path held, FileChannel channel) {
        this.held = held;
        this.channel = channel;
    }

    /** Null when somebody else holds it. The directory must be there. */
    static @Nullable BuildLock tryTake(SnapshotDirectory directory) throws IOException {
        Path lock = directory.lock();
        Path parent = lock.toAbsolutePath().getParent();
        Path held = parent == null ? lock : parent.toRealPath().resolve(lock.getFileName());
        if (!HELD.add(held)) {
            return null;
        }
        FileChannel channel = null;
        boolean taken = false;
        try {
            channel = FileChannel.open(held, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock got = channel.tryLock();
            taken = got != null;
            return taken ? new BuildLock(held, channel) : null;
        } catch (OverlappingFileLockException anotherCopyOfThisClass) {
            return null;
        } finally {
            if (!taken) {
                if (channel != null) {
                    channel.close();
                }
                HELD.remove(held);
            }
        }
    }

    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            HELD.remove(held);
        }
    }
}
