// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.convert;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.Folder;
import org.cairn.store.DirectoryStore;
import org.cairn.store.StoreLock;

/**
 * A directory that is being made under another name beside its own, {@code job3.converting}, and
 * has its own name only when all of it is there. What a killed command left under that name goes
 * when the next one begins; one that is still at work is found by its lock.
 */
final class Unfinished implements AutoCloseable {
  private static final String SUFFIX = ".converting";
  private static final String LOCK = "convert.lock";

  private final Path target;
  private final Path work;
  private final StoreLock lock;

  private Unfinished(Path target, Path work, StoreLock lock) {
    this.target = target;
    this.work = work;
    this.lock = lock;
  }

  /**
   * Begins.
   *
   * @throws CommandFailedException if there is something already; nothing is touched then
   */
  static Unfinished of(Path directory) throws IOException {
    Path target = directory.toAbsolutePath().normalize();
    Path name = target.getFileName();
    if (name == null) {
      throw new CommandFailedException(directory + " cannot be made anew; name another directory");
    }
    requireNothing(target);
    Path work = target.resolveSibling(name + SUFFIX);
    if (Files.exists(work, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(work.resolve(LOCK))) {
      throw new CommandFailedException(
          work + " is not what an earlier convert left; move it away, or name another --to");
    }
    StoreLock lock = DirectoryStore.open(work, true).lock(LOCK);
    Unfinished begun = new Unfinished(target, work, lock);
    try {
      begun.requireOnlyOurs();
      begun.clear();
      return begun;
    } catch (IOException | RuntimeException | Error e) {
      lock.close();
      throw e;
    }
  }

  private static void requireNothing(Path target) throws IOException {
    if (!Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (!Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
      throw new CommandFailedException(target + " exists and is no directory; name another --to");
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(target)) {
      if (entries.iterator().hasNext()) {
        throw new CommandFailedException(
            target + " is not empty; name a new directory with --to, since a job begins there");
      }
    }
  }

  /** Where what is wanted is made. */
  Path made() {
    return work.resolve("job");
  }

  /** A directory for what is needed meanwhile. */
  Path room() {
    return work.resolve("room");
  }

  /** Gives it its own name. */
  void publish() throws IOException {
    requireNothing(target);
    Files.deleteIfExists(target);
    Files.move(made(), target, StandardCopyOption.ATOMIC_MOVE);
    DirectoryStore.open(target.resolveSibling("."), false).forceDirectory();
  }

  /** Somebody may have put something there that is not ours to delete. */
  private void requireOnlyOurs() throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(work)) {
      for (Path entry : entries) {
        if (!List.of(work.resolve(LOCK), made(), room()).contains(entry)) {
          throw new CommandFailedException(
              "%s is not what an earlier convert left; move it away, or name another --to"
                  .formatted(entry));
        }
      }
    }
  }

  private void clear() throws IOException {
    Folder.delete(made());
    Folder.delete(room());
  }

  /** Deletes what was needed meanwhile, and what did not get its name. */
  @Override
  public void close() throws IOException {
    try {
      clear();
    } finally {
      lock.close();
    }
    Files.deleteIfExists(work.resolve(LOCK));
    Files.deleteIfExists(work);
  }
}
