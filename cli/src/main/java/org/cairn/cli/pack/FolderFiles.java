// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pack;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The files below a folder, and what there is beside them, which cannot be packed. */
final class FolderFiles extends SimpleFileVisitor<Path> {
  private final @Nullable Path except;
  private final List<Path> files = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  /** How many entries each folder has that is being gone through. */
  private final Map<Path, Integer> entries = new HashMap<>();

  private FolderFiles(@Nullable Path except) {
    this.except = except;
  }

  /**
   * Goes through a folder.
   *
   * @param except a folder that is passed over, with all below it
   */
  static FolderFiles below(Path folder, @Nullable Path except) throws IOException {
    FolderFiles found = new FolderFiles(except);
    Files.walkFileTree(folder, found);
    Collections.sort(found.files);
    return found;
  }

  /** In the order of their names. */
  List<Path> files() {
    return files;
  }

  /** What was left out, and why; of links it is known that they are. */
  List<String> notes() {
    return notes;
  }

  @Override
  public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
      throws IOException {
    count(folder);
    if (except != null && Files.isDirectory(except) && Files.isSameFile(folder, except)) {
      notes.add(folder + " is where packs go, and left out");
      return FileVisitResult.SKIP_SUBTREE;
    }
    entries.put(folder, 0);
    return FileVisitResult.CONTINUE;
  }

  private void count(Path entry) {
    Path parent = entry.getParent();
    if (parent != null) {
      entries.computeIfPresent(parent, (_, count) -> count + 1);
    }
  }

  @Override
  public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
    count(file);
    if (attributes.isRegularFile()) {
      files.add(file);
    } else if (attributes.isOther()) {
      notes.add(file + " is neither a file nor a folder, and left out");
    }
    return FileVisitResult.CONTINUE;
  }

  @Override
  public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure)
      throws IOException {
    if (failure != null) {
      throw failure;
    }
    Integer count = entries.remove(folder);
    if (count != null && count == 0) {
      notes.add(folder + " is an empty folder, and left out");
    }
    return FileVisitResult.CONTINUE;
  }
}
