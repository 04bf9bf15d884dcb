// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.cairn.store.DirectoryStore;

/**
 * A folder for files that appear in the one above under their names when they are finished, or not
 * at all. It is deleted in the end, with what was not finished.
 */
final class Aside implements AutoCloseable {
  private final Path folder;

  private Aside(Path folder) {
    this.folder = folder;
  }

  /**
   * Begins.
   *
   * @param above where files are to appear
   * @throws IOException if nothing can be written there
   */
  static Aside in(Path above) throws IOException {
    return new Aside(Files.createTempDirectory(above, ".cairn-pack-"));
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
    return new FileAlreadyExistsException(target.toString(), null, "it exists already");
  }

  /** Makes the names durable that were given. */
  void force() throws IOException {
    DirectoryStore.open(folder.resolveSibling("."), false).forceDirectory();
  }

  @Override
  public void close() throws IOException {
    try (var files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    }
    Files.deleteIfExists(folder);
  }
}
