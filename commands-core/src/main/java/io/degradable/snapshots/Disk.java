package io.degradable.snapshots;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** What a builder does to the disk, one step a method, so that a test can let each of them fail. */
class Disk {

    FileChannel create(Path file) throws IOException {
        return FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING, // who holds the lock is alone; this is of one that was killed
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
    }

    void write(FileChannel channel, ByteBuffer bytes, long position) throws IOException {
        long at = position;
        while (bytes.hasRemaining()) {
            at += channel.write(bytes, at);
        }
    }

    void force(FileChannel channel) throws IOException {
        channel.force(true);
    }

    void publish(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Without it the name of the new file might not survive a power cut. */
    void forceDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (AccessDeniedException noDirectories) {
            // Windows opens none; there the move is written through by the file system's journal.
        }
    }
}
