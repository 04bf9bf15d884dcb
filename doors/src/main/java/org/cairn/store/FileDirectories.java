// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Stores in the subdirectories of a directory. */
public final class FileDirectories implements Directories {
  private final Path root;

  /** The subdirectories of {@code root}, which need not exist yet. */
  public FileDirectories(Path root) {
    this.root = root;
  }

  @Override
  public Store create(String name) throws IOException {
    return DirectoryStore.open(root.resolve(StoreNames.check(name)), true);
  }

  @Override
  public Store open(String name) throws IOException {
    Path path = name.equals(ROOT) ? root : root.resolve(StoreNames.check(name));
    return DirectoryStore.open(path, false);
  }

  @Override
  public List<String> names() throws IOException {
    List<String> names = new ArrayList<>();
    if (Files.isDirectory(root)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(root, Files::isDirectory)) {
        entries.forEach(entry -> names.add(entry.getFileName().toString()));
      }
      try (DirectoryStream<Path> files = Files.newDirectoryStream(root, Files::isRegularFile)) {
        if (files.iterator().hasNext()) {
          names.add(ROOT);
        }
      }
    }
    names.sort(null);
    return names;
  }

  @Override
  public String location() {
    return root.toAbsolutePath().toString();
  }
}
