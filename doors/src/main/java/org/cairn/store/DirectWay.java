// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The way past the page cache to a file that is open: opened when it is first wanted, and not taken
 * any more where it turned out to be none.
 */
final class DirectWay implements AutoCloseable {
  private final Path path;
  private final Named named;
  private final StandardOpenOption access;
  private @Nullable DirectChannel direct;
  private boolean tried;
  private boolean givenUp;

  /** Whether the path still leads to the file that is open. */
  interface Named {
    boolean isNamed() throws IOException;
  }

  /**
   * A way to a file.
   *
   * @param access {@code READ} or {@code WRITE}
   */
  DirectWay(Path path, Named named, StandardOpenOption access) {
    this.path = path;
    this.named = named;
    this.access = access;
  }

  /** Null if there is none. */
  synchronized @Nullable DirectChannel get() throws IOException {
    if (!tried) {
      tried = true;
      direct = open();
    }
    return givenUp ? null : direct;
  }

  /** Opened by its name: asked before and after, so that it is the same file. */
  private @Nullable DirectChannel open() throws IOException {
    if (!named.isNamed()) {
      return null;
    }
    Optional<DirectChannel> opened = DirectChannel.open(path, access);
    if (opened.isEmpty() || named.isNamed()) {
      return opened.orElse(null);
    }
    opened.get().channel().close();
    return null;
  }

  /** There is no such way after all. Who is still on it finds out alone. */
  synchronized void giveUp() {
    givenUp = true;
  }

  @Override
  public synchronized void close() throws IOException {
    tried = true;
    givenUp = true;
    if (direct != null) {
      direct.channel().close();
    }
  }
}
