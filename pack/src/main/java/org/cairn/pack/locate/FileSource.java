// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/**
 * A file on disk. Its size is the one that it had when it was opened: what grows later is not seen,
 * and what is cut off later is an error of reading.
 */
public final class FileSource implements ByteSource, AutoCloseable {
  private final FileChannel channel;
  private final Path path;
  private final String name;
  private final long size;

  private FileSource(FileChannel channel, Path path) throws IOException {
    this.channel = channel;
    this.path = path;
    this.name = Objects.toString(path.getFileName(), "");
    this.size = channel.size();
  }

  /** Opens a file to be read. */
  public static FileSource open(Path path) throws IOException {
    FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
    try {
      return new FileSource(channel, path);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public void read(long offset, MemorySegment target) throws IOException {
    readAll(offset, target.asByteBuffer());
  }

  /** Without a segment: a process that needs none otherwise would set them up for this. */
  @Override
  public void read(long offset, byte[] target, int at, int length) throws IOException {
    readAll(offset, ByteBuffer.wrap(target, at, length).slice());
  }

  private void readAll(long offset, ByteBuffer buffer) throws IOException {
    Objects.checkFromIndexSize(offset, buffer.remaining(), size);
    while (buffer.hasRemaining()) {
      long position = offset + buffer.position();
      if (read(buffer, position) < 0) {
        throw new EOFException(
            "%s ends at %d, where it had %d bytes".formatted(name, position, size));
      }
    }
  }

  private int read(ByteBuffer target, long position) throws IOException {
    try {
      return channel.read(target, position);
    } catch (IOException e) {
      throw unreadable(path, position, e);
    }
  }

  /**
   * Whether nothing is behind the last byte, as far as that can be read: what cannot be is told
   * when it is wanted. Files that a kernel makes up while they are read have more bytes than they
   * say.
   */
  public boolean isAll() {
    try {
      return size == Long.MAX_VALUE || read(ByteBuffer.allocate(1), size) < 0;
    } catch (IOException e) {
      return true;
    }
  }

  /**
   * What a system says of a read that failed, with the file, which it does not name.
   *
   * @return a {@link FileSystemException}, unless the file is not to blame
   */
  public static IOException unreadable(Path path, long position, IOException failure) {
    if (failure instanceof ClosedChannelException) {
      return failure; // by an interrupt
    }
    String why =
        "reading at %d: %s; try again, or pack without it"
            .formatted(position, failure.getMessage());
    FileSystemException named = new FileSystemException(path.toString(), null, why);
    named.initCause(failure);
    return named;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
