// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is below a folder that a program writes to meanwhile: files have other names the moment
 * after, and whole folders go. What goes while it is looked at was not there.
 */
class WatchedFiles extends SimpleFileVisitor<Path> {
  private final Path top;
  private final List<Path> folders = new ArrayList<>();
  private final List<Path> files = new ArrayList<>();
  private final List<Path> others = new ArrayList<>();
  private final List<Unreadable> unreadable = new ArrayList<>();

  /** What cannot be looked into. */
  record Unreadable(Path path, IOException why) {}

  WatchedFiles(Path top) {
    this.top = top;
  }

  /**
   * Looks at everything; links are not followed.
   *
   * @throws IOException if the folder itself cannot be read
   */
  final WatchedFiles look() throws IOException {
    Files.walkFileTree(top, this);
    Collections.sort(files);
    Collections.sort(others);
    return this;
  }

  List<Path> folders() {
    return folders;
  }

  /** Regular files, in the order of their names. */
  List<Path> files() {
    return files;
  }

  /** Links and devices. */
  List<Path> others() {
    return others;
  }

  List<Unreadable> unreadable() {
    return unreadable;
  }

  @Override
  public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
    folders.add(folder);
    return FileVisitResult.CONTINUE;
  }

  @Override
  public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
    (attributes.isRegularFile() ? files : others).add(file);
    return FileVisitResult.CONTINUE;
  }

  @Override
  public FileVisitResult visitFileFailed(Path path, IOException failure) throws IOException {
    return failed(path, failure);
  }

  @Override
  public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure)
      throws IOException {
    return failure == null ? FileVisitResult.CONTINUE : failed(folder, failure);
  }

  private FileVisitResult failed(Path path, IOException failure) throws IOException {
    if (path.equals(top)) {
      throw failure;
    }
    if (!(failure instanceof NoSuchFileException)) {
      unreadable.add(new Unreadable(path, failure));
    }
    return FileVisitResult.CONTINUE;
  }
}
