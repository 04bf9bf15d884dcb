// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.cairn.store.DirectoryStore;
import org.cairn.store.StoreLock;

/**
 * A folder for files that appear in the one above under their names when they are finished, or not
 * at all. It is deleted in the end, with what was not finished.
 *
 * <p>Whoever has one holds a lock in it. So the folder of somebody who was killed is known by its
 * lock being free, and goes when the next one is made beside it.
 */
final class Aside implements AutoCloseable {
  private static final String PREFIX = ".cairn-pack-";
  private static final String LOCK = "lock";

  private final Path folder;
  private final StoreLock lock;

  private Aside(Path folder, StoreLock lock) {
    this.folder = folder;
    this.lock = lock;
  }

  /**
   * Begins.
   *
   * @param above where files are to appear
   * @throws IOException if nothing can be written there
   */
  static Aside in(Path above) throws IOException {
    deleteLeftOver(above);
    Optional<Aside> made = tryIn(above);
    while (made.isEmpty()) {
      made = tryIn(above);
    }
    return made.get();
  }

  /** Nothing, if somebody took the folder for left over in the moment before it was locked. */
  private static Optional<Aside> tryIn(Path above) throws IOException {
    Path folder = make(above);
    try {
      return Optional.of(new Aside(folder, DirectoryStore.open(folder, false).lock(LOCK)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** Whoever cannot make it is told of the folder that he knows. */
  private static Path make(Path above) throws IOException {
    try {
      return Files.createTempDirectory(above, PREFIX);
    } catch (AccessDeniedException e) {
      throw new AccessDeniedException(
          above.toString(),
          null,
          "in this folder user %s cannot make files; change its permissions or choose another one"
              .formatted(System.getProperty("user.name")));
    } catch (FileSystemException e) {
      throw new FileSystemException(
          above.toString(), null, "no file can be made in this folder: " + e.getReason());
    }
  }

  /** Deletes the folders of those that were killed. What cannot be deleted is in nobody's way. */
  private static void deleteLeftOver(Path above) {
    try (var folders = Files.newDirectoryStream(above, PREFIX + "*")) {
      for (Path folder : folders) {
        if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
          deleteIfLeftOver(folder);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      return; // who writes there next is told why it cannot be done
    }
  }

  private static void deleteIfLeftOver(Path folder) {
    try {
      if (!Files.exists(folder.resolve(LOCK), LinkOption.NOFOLLOW_LINKS)) {
        Files.delete(folder); // only if it is empty
        return;
      }
      try (StoreLock _ = DirectoryStore.open(folder, false).lock(LOCK)) {
        deleteAll(folder);
      }
      Files.deleteIfExists(folder.resolve(LOCK));
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      return; // somebody is at work there, or it is another user's
    }
  }

  private static void deleteAll(Path folder) throws IOException {
    try (var files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        if (!file.endsWith(LOCK)) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  Path folder() {
    return folder;
  }

  /**
   * Gives a file its name; it is durable when {@link #force} has returned.
   *
   * @param made a file in this folder, all its bytes durable
   * @throws FileAlreadyExistsException if there is one of this name: none is ever replaced
   */
  void publish(Path made, Path target) throws IOException {
    try {
      Files.createLink(target, made); // unlike a rename this never replaces a file
    } catch (FileAlreadyExistsException e) {
      throw exists(target);
    } catch (UnsupportedOperationException | FileSystemException e) {
      Files.move(made, target); // where there are no links this looks first
    }
  }

  static FileAlreadyExistsException exists(Path target) {
    return new FileAlreadyExistsException(
        target.toString(),
        null,
        "it exists already, and nothing is replaced: name another, or move it");
  }

  /** Makes the names durable that were given. */
  void force() throws IOException {
    DirectoryStore.open(folder.resolveSibling("."), false).forceDirectory();
  }

  @Override
  public void close() throws IOException {
    try {
      deleteAll(folder);
    } finally {
      lock.close();
    }
    Files.deleteIfExists(folder.resolve(LOCK));
    Files.deleteIfExists(folder);
  }
}
