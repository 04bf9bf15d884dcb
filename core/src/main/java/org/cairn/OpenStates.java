// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.Closeable;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.cairn.supply.Closing;
import org.cairn.version.VersionId;
import org.cairn.version.VersionSource;

/**
 * States of ranks that are open for reading. Only those stay open that were used last: a job may
 * have more ranks than a process may have files. For one thread; a state is read to its end before
 * the next one is asked for.
 */
final class OpenStates implements Closeable {
  /** Enough for rows that cross the parts of many ranks; few beside what a process may have. */
  static final int MOST = 64;

  private final Map<Key, State> open = new LinkedHashMap<>(16, 0.75f, true);

  /** What one rank saved in a version. */
  record Key(VersionId version, int rank) {}

  /**
   * A state that is open.
   *
   * @param file to be closed when nobody reads it any more
   */
  record State(VersionSource source, Closeable file) {}

  /** Opens a state. */
  interface Opening {
    State open() throws IOException;
  }

  VersionSource get(Key key, Opening opening) throws IOException {
    State before = open.get(key);
    if (before != null) {
      return before.source;
    }
    while (open.size() >= MOST) {
      closeEldest();
    }
    State opened = opening.open();
    open.put(key, opened);
    return opened.source;
  }

  private void closeEldest() throws IOException {
    Key eldest = open.keySet().iterator().next();
    State state = open.remove(eldest);
    if (state != null) {
      state.file.close();
    }
  }

  @Override
  public void close() throws IOException {
    Closing steps = new Closing();
    open.values().forEach(state -> steps.then(state.file::close));
    open.clear();
    steps.end();
  }
}
