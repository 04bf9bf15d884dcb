// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
    if (!tried && !givenUp) {
      tried = true;
      direct = open();
    }
    return givenUp ? null : direct;
  }

  /** Opened by its name: asked before and after, so that it is the same file. */
  private @Nullable DirectChannel open() throws IOException {
    DirectChannel opened = named.isNamed() ? DirectChannel.open(path, access).orElse(null) : null;
    if (opened == null) {
      return null;
    }
    boolean same = false;
    try {
      same = named.isNamed();
    } finally {
      if (!same) {
        opened.channel().close();
      }
    }
    return same ? opened : null;
  }

  /** There is no such way after all. Who is still on it finds out alone. */
  synchronized void giveUp() {
    givenUp = true;
  }

  @Override
  public synchronized void close() throws IOException {
    givenUp = true;
    if (direct != null) {
      direct.channel().close();
    }
  }
}
