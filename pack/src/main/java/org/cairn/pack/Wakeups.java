// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.cairn.clock.Clock;
import org.jspecify.annotations.Nullable;

/**
 * Waits until something may have changed in folders: until the system says so, or for a while.
 * Network file systems say nothing, and there may be more folders than can be watched; then the
 * while it is.
 */
final class Wakeups implements AutoCloseable {
  private final Clock clock;
  private final @Nullable WatchService service;
  private final Set<Path> watched = new HashSet<>();

  Wakeups(Clock clock) {
    this.clock = clock;
    this.service = begin();
  }

  private static @Nullable WatchService begin() {
    try {
      return FileSystems.getDefault().newWatchService();
    } catch (IOException | UnsupportedOperationException e) {
      return null;
    }
  }

  /** These are all the folders that matter. */
  void watch(Collection<Path> folders) {
    watched.retainAll(folders);
    if (service == null) {
      return;
    }
    for (Path folder : folders) {
      if (watched.add(folder)) {
        watch(folder, service);
      }
    }
  }

  private static void watch(Path folder, WatchService by) {
    try {
      WatchKey _ =
          folder.register(
              by,
              StandardWatchEventKinds.ENTRY_CREATE,
              StandardWatchEventKinds.ENTRY_MODIFY,
              StandardWatchEventKinds.ENTRY_DELETE);
    } catch (IOException | UnsupportedOperationException e) {
      return; // it is looked at after a while
    }
  }

  /**
   * Waits for a change, at most so long.
   *
   * @return whether there was one
   */
  boolean await(Duration most) throws InterruptedException {
    if (service == null) {
      clock.pause(most);
      return false;
    }
    WatchKey key = service.poll(most.toNanos(), TimeUnit.NANOSECONDS);
    boolean changed = key != null;
    while (key != null) {
      key.pollEvents();
      boolean _ = key.reset();
      key = service.poll();
    }
    return changed;
  }

  @Override
  public void close() throws IOException {
    if (service != null) {
      service.close();
    }
  }
}
