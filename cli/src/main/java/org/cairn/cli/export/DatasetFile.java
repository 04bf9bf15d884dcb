// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import java.util.function.LongConsumer;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.container.BlockScan;
import org.cairn.container.DatasetEntry;
import org.cairn.container.VersionView;
import org.cairn.work.Workers;

/**
 * Writes the bytes of a dataset to a file, which appears when it is complete and not before. Blocks
 * of zeros are not written but left out, so a container that claims to hold terabytes of them costs
 * nothing.
 */
final class DatasetFile {

  private DatasetFile() {}

  static void write(
      VersionView view,
      DatasetEntry dataset,
      byte[] head,
      Path file,
      boolean replace,
      Workers workers,
      LongConsumer progress)
      throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory == null) {
      throw new CommandFailedException(file + " cannot be written");
    }
    Path part = directory.resolve(".cairn-export-" + UUID.randomUUID() + ".part");
    try {
      writePart(view, dataset, head, part, workers, progress);
      publish(part, file, replace);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private static void writePart(
      VersionView view,
      DatasetEntry dataset,
      byte[] head,
      Path part,
      Workers workers,
      LongConsumer progress)
      throws IOException {
    try (FileChannel channel =
        FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      writeFully(channel, ByteBuffer.wrap(head), 0);
      List<BlockScan.Damage> damages =
          BlockScan.run(
              view, List.of(dataset), workers, new Blocks(channel, head.length), true, progress);
      if (!damages.isEmpty()) {
        throw new CommandFailedException(damages.getFirst().what());
      }
      extend(channel, head.length + dataset.spec().byteLength());
    }
  }

  /** Writes blocks behind a head; those of zeros are left out, and the file has holes there. */
  private record Blocks(FileChannel channel, int head) implements BlockScan.Sink {
    @Override
    public void block(DatasetEntry dataset, int block, MemorySegment bytes) throws IOException {
      long position = head + (long) block * dataset.spec().blockSize();
      writeFully(channel, bytes.asByteBuffer(), position);
    }

    @Override
    public void zeros(DatasetEntry dataset, int first, int count) {}
  }

  private static void writeFully(FileChannel channel, ByteBuffer bytes, long position)
      throws IOException {
    while (bytes.hasRemaining()) {
      position += channel.write(bytes, position);
    }
  }

  /** Blocks of zeros at the end have left the file too short. */
  private static void extend(FileChannel channel, long size) throws IOException {
    if (channel.size() < size) {
      writeFully(channel, ByteBuffer.allocate(1), size - 1);
    }
  }

  /** A link of that name is replaced, not followed. */
  private static void publish(Path part, Path file, boolean replace) throws IOException {
    if (replace) {
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    } else if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileAlreadyExistsException(
          file.toString(), null, "exists already; --force replaces it");
    } else {
      Files.move(part, file);
    }
  }
}
