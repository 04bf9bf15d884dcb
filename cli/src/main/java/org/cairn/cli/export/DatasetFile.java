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
 * A file that is written beside its place, and appears there when it is complete and not before.
 * Blocks of zeros are not written but left out, so a container that claims to hold terabytes of
 * them costs nothing.
 */
final class DatasetFile implements AutoCloseable {
  private final Path file;
  private final Path part;

  private DatasetFile(Content content, byte[] head, Path file, LongConsumer progress)
      throws IOException {
    this.file = file;
    this.part = beside(file);
    try {
      fill(content, head, progress);
    } catch (IOException e) {
      close();
      throw e.getClass() == IOException.class ? named(e) : e;
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /** What comes behind the head. */
  interface Content {
    /** Nothing. */
    Content NONE = (_, _, _) -> {};

    void writeTo(FileChannel channel, long from, LongConsumer progress) throws IOException;
  }

  static void write(Content content, byte[] head, Path file, boolean replace, LongConsumer progress)
      throws IOException {
    try (DatasetFile written = new DatasetFile(content, head, file, progress)) {
      written.publish(replace);
    }
  }

  /**
   * Writes elements, and a file that says what they are. Whoever finds the latter finds the
   * elements that it speaks of: it comes after them, and one that is replaced goes before they do.
   */
  static void writePair(
      Content content,
      Path elements,
      byte[] saying,
      Path file,
      boolean replace,
      LongConsumer progress)
      throws IOException {
    try (DatasetFile data = new DatasetFile(content, new byte[0], elements, progress);
        DatasetFile head = new DatasetFile(Content.NONE, saying, file, _ -> {})) {
      if (replace) {
        Files.deleteIfExists(file);
      }
      data.publish(replace);
      head.publish(replace);
    }
  }

  private static Path beside(Path file) {
    Path directory = file.toAbsolutePath().getParent();
    if (directory == null) {
      throw new CommandFailedException(file + " cannot be written");
    }
    if (!Files.isDirectory(directory)) {
      throw new CommandFailedException(
          "%s cannot be written: %s is no folder".formatted(file, directory));
    }
    return directory.resolve(".cairn-export-" + UUID.randomUUID() + ".part");
  }

  /** A disk that is full does not say which one it is. */
  private IOException named(IOException failure) {
    FileSystemException named =
        new FileSystemException(
            file.toString(), null, "while it was written: " + failure.getMessage());
    named.initCause(failure);
    return named;
  }

  private void fill(Content content, byte[] head, LongConsumer progress) throws IOException {
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
  private void publish(boolean replace) throws IOException {
    if (replace) {
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    } else if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileAlreadyExistsException(
          file.toString(), null, "exists already; --force replaces it");
    } else {
      Files.move(part, file);
    }
  }

  /** What was not published goes. */
  @Override
  public void close() throws IOException {
    Files.deleteIfExists(part);
  }
}
