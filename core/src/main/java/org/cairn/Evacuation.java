// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import org.cairn.store.VolatileDirectories;
import org.cairn.supply.Supply;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes to files what was kept in memory, when the process ends: by itself, or because it is told
 * to. Of a process that is killed nothing is left; its partner has a copy.
 */
final class Evacuation {
  private static final Logger LOG = LoggerFactory.getLogger(Evacuation.class);

  private final VolatileDirectories directories;
  private final Thread hook = Supply.threadAside(this::saveAtExit, "cairn-evacuation");
  private boolean saved;

  Evacuation(VolatileDirectories directories) {
    this.directories = directories;
  }

  /** From now on everything is written when the process ends. */
  void promise() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Writes everything now, in a process that is about to end. */
  void saveAtExit() {
    try {
      save();
    } catch (IOException e) {
      LOG.error("what was in memory is lost: {}", e.toString());
    }
  }

  private synchronized void save() throws IOException {
    if (!saved) {
      directories.save();
      saved = true;
    }
  }

  /** Writes everything now; the end of the process will not. */
  void finish() throws IOException {
    save();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending: the hook finds nothing left to do.
    }
  }
}
