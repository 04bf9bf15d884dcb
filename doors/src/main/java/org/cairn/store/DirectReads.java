// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * The way past the page cache to a file whose bytes are read once: taken if the cache has not got
 * them, which is found out when the first are wanted. Then nothing is copied, and no memory is
 * taken from the program for bytes that it has already.
 */
final class DirectReads implements AutoCloseable {
  /** A file that is shorter is read sooner than looked at. */
  private static final long LEAST_FILE = 16L << 20;

  /** Smaller pieces do not wait for the disk: the system has read ahead. */
  private static final long LEAST_PIECE = 256L << 10;

  /** The file is looked at in so many places, */
  private static final int PLACES = 16;

  /** so long each. */
  private static final long PLACE = 64L << 10;

  private final Path path;
  private final DirectWay.Named named;
  private final DirectWay way;
  private boolean tried;

  DirectReads(Path path, DirectWay.Named named) {
    this.path = path;
    this.named = named;
    this.way = new DirectWay(path, named, StandardOpenOption.READ);
  }

  /**
   * Null if there is none, or it would not be the faster one.
   *
   * @param bytes how many are wanted
   */
  @Nullable DirectChannel get(long bytes) throws IOException {
    return bytes < LEAST_PIECE ? null : find();
  }

  private synchronized @Nullable DirectChannel find() throws IOException {
    if (!tried) {
      tried = true;
      if (isInMemory()) {
        way.giveUp();
      }
    }
    return way.get();
  }

  /** Whether most of the file seems to be in the page cache, or that cannot be said. */
  private boolean isInMemory() throws IOException {
    if (!named.isNamed()) {
      return true;
    }
    try (FileChannel file = FileChannel.open(path);
        Arena arena = Channels.newArena()) {
      long size = file.size();
      if (size < LEAST_FILE) {
        return true;
      }
      int loaded = 0;
      for (int i = 0; i < PLACES; i++) {
        long at = (size - PLACE) / PLACES * i;
        loaded += file.map(FileChannel.MapMode.READ_ONLY, at, PLACE, arena).isLoaded() ? 1 : 0;
      }
      return loaded > PLACES / 2;
    } catch (IOException | UnsupportedOperationException e) {
      return true;
    }
  }

  /** There is no such way after all. */
  void giveUp() {
    way.giveUp();
  }

  @Override
  public void close() throws IOException {
    way.close();
  }
}
