// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.function.LongConsumer;
import org.cairn.cli.command.CommandFailedException;

/**
 * Writes the bytes of a dataset to a file, which appears when it is complete and not before. Blocks
 * of zeros are not written but left out, so a container that claims to hold terabytes of them costs
 * nothing.
 */
final class DatasetFile {

  private DatasetFile() {}

  /** What comes behind the head. */
  interface Content {
    void writeTo(FileChannel channel, long from, LongConsumer progress) throws IOException;
  }

  static void write(Content content, byte[] head, Path file, boolean replace, LongConsumer progress)
      throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory == null) {
      throw new CommandFailedException(file + " cannot be written");
    }
    Path part = directory.resolve(".cairn-export-" + UUID.randomUUID() + ".part");
    try {
      writePart(content, head, part, progress);
      publish(part, file, replace);
    } catch (IOException e) {
      throw e.getClass() == IOException.class ? named(file, e) : e;
    } finally {
      Files.deleteIfExists(part);
    }
  }

  /** A disk that is full does not say which one it is. */
  private static IOException named(Path file, IOException failure) {
    FileSystemException named =
        new FileSystemException(
            file.toString(), null, "while it was written: " + failure.getMessage());
    named.initCause(failure);
    return named;
  }

  private static void writePart(Content content, byte[] head, Path part, LongConsumer progress)
      throws IOException {
    try (FileChannel channel =
        FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      ByteBuffer left = ByteBuffer.wrap(head);
      while (left.hasRemaining()) {
        channel.write(left);
      }
      content.writeTo(channel, head.length, progress);
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
