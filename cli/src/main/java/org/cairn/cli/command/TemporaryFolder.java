// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.command;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A folder that a command works in and takes away again, also if a person interrupts it. One that
 * the user has named stays, empty.
 */
public final class TemporaryFolder implements AutoCloseable {
  /** Processes that were killed at the same moment may still write for a while. */
  private static final int ATTEMPTS = 30;

  private final Path path;
  private final boolean named;
  private final Thread hook = new Thread(this::deletePatiently, "take folder away");
  private boolean kept;

  private TemporaryFolder(Path path, boolean named) {
    this.path = path;
    this.named = named;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Makes one.
   *
   * @param dir a new or empty directory; if null, one is made where such things belong
   * @param command whose it is, for its name and for messages
   */
  public static TemporaryFolder of(@Nullable Path dir, String command) throws IOException {
    if (dir == null) {
      return new TemporaryFolder(Files.createTempDirectory("cairn-" + command + "-"), false);
    }
    Files.createDirectories(dir);
    if (!isEmpty(dir)) {
      throw new CommandFailedException(
          dir + " is not empty; " + command + " wants a new directory");
    }
    return new TemporaryFolder(dir, true);
  }

  /** Makes one at a place that a command has chosen, and where nothing is yet. */
  public static TemporaryFolder inPlace(Path folder) throws IOException {
    return new TemporaryFolder(Files.createDirectory(folder), false);
  }

  /** Whether nothing is in a directory. */
  public static boolean isEmpty(Path dir) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(dir)) {
      return !entries.iterator().hasNext();
    }
  }

  public Path path() {
    return path;
  }

  /** What is in it is to be looked at, unless a person has interrupted us. */
  public void keep() {
    removeHook();
    kept = true;
  }

  /** Takes it away, if it is not to be kept. */
  @Override
  public void close() throws IOException {
    removeHook();
    if (!kept) {
      delete();
    }
  }

  /** Who was interrupted has nothing more to say: children that ended with us are no failure. */
  private void removeHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      while (true) {
        LockSupport.park(this);
      }
    }
  }

  private void delete() throws IOException {
    if (named) {
      Folder.empty(path);
    } else {
      Folder.delete(path);
    }
  }

  private void deletePatiently() {
    for (int i = 0; i < ATTEMPTS; i++) {
      try {
        delete();
        // Whoever was about to make a file has made it by then.
        TimeUnit.MILLISECONDS.sleep(20);
        if (named ? isEmpty(path) : !Files.exists(path)) {
          return;
        }
      } catch (IOException e) {
        if (!pause()) {
          return;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private static boolean pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(100);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
