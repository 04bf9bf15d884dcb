// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.prove;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.cairn.cli.command.Folder;

/**
 * What one run has for itself: a working directory, one for temporary files, what it prints, and
 * the shared directories that were given, empty.
 *
 * @param home the folder of the run
 * @param shared directories that prove was given for shared tiers
 * @param results what the program leaves, relative to its working directory
 */
record Ground(Path home, List<Path> shared, List<Path> results) {

  /** Makes the directories of a run, with copies of what the program reads. */
  static Ground fresh(Path home, List<Path> shared, List<Path> results, List<Path> inputs)
      throws IOException {
    Ground ground = new Ground(home, shared, results);
    Files.createDirectories(ground.work());
    Files.createDirectories(ground.temporary());
    for (Path directory : shared) {
      Files.createDirectories(directory);
      Folder.empty(directory);
    }
    for (Path input : inputs) {
      copy(input, ground.work().resolve(String.valueOf(input.getFileName())));
    }
    return ground;
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> tree = Files.walk(from)) {
      for (Path one : tree.toList()) {
        Files.copy(one, to.resolve(from.relativize(one).toString()));
      }
    }
  }

  /** The working directory. */
  Path work() {
    return home.resolve("work");
  }

  /** For temporary files; its path is short, because sockets of MPI lie there. */
  Path temporary() {
    return home.resolve("tmp");
  }

  /** What the lives of the run print, one after the other. */
  Path output() {
    return home.resolve("output");
  }

  /** Where the program may keep checkpoints. */
  List<Path> allowed() {
    List<Path> allowed = new ArrayList<>(List.of(work(), temporary()));
    allowed.addAll(shared);
    return allowed;
  }

  /** The same, as Cairn in the program reads it. */
  String allowedAsPath() {
    return allowed().stream()
        .map(directory -> directory.toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** A life that leaves no result must not be taken for one that does. */
  void removeResults() throws IOException {
    for (Path result : results) {
      Folder.delete(work().resolve(result));
    }
  }

  /** Keeps the results in another folder, and takes everything else away. */
  void removeAllBut(Path kept) throws IOException {
    for (Path result : results) {
      Path target = kept.resolve(result);
      Files.createDirectories(Objects.requireNonNull(target.getParent()));
      Files.move(work().resolve(result), target);
    }
    remove();
  }

  /** Takes everything away; shared directories stay, empty. */
  void remove() throws IOException {
    Folder.delete(home);
    for (Path directory : shared) {
      Folder.empty(directory);
    }
  }
}
