// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.cairn.store.DirectoryStore;

/**
 * A file that appears under its name when it is finished, or not at all: until then it is in a
 * folder of its own beside its place, which is deleted in the end.
 */
final class NewFile implements AutoCloseable {
  private final Path target;
  private final Path folder;
  private Path made;

  private NewFile(Path target, Path folder) {
    this.target = target;
    this.folder = folder;
    this.made = folder;
  }

  /**
   * Begins.
   *
   * @throws IOException if nothing can be written beside the place
   */
  static NewFile beside(Path target) throws IOException {
    Path parent = parent(target);
    return new NewFile(target, Files.createTempDirectory(parent, ".cairn-pack-"));
  }

  private static Path parent(Path target) {
    return Objects.requireNonNull(target.toAbsolutePath().getParent(), "a folder");
  }

  Path folder() {
    return folder;
  }

  /** Says under which name in the folder it was finished, with all its bytes durable. */
  void finished(String name) {
    made = folder.resolve(name);
  }

  long size() throws IOException {
    return Files.size(made);
  }

  /**
   * Gives it its name, durably.
   *
   * @throws FileAlreadyExistsException if somebody else was faster
   */
  void publish() throws IOException {
    try {
      Files.createLink(target, made); // unlike a rename this never replaces a file
    } catch (FileAlreadyExistsException e) {
      throw new FileAlreadyExistsException(target.toString(), null, "it exists already");
    } catch (UnsupportedOperationException | FileSystemException e) {
      Files.move(made, target);
    }
    DirectoryStore.open(parent(target), false).forceDirectory();
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
