// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.cairn.store.Directories;
import org.cairn.store.DirectoryStore;
import org.cairn.store.FileDirectories;
import org.cairn.store.SingleDirectory;
import org.cairn.store.Store;
import org.jspecify.annotations.Nullable;

/**
 * Where a program may keep checkpoints that {@code cairn prove} runs, kills and starts again: in
 * the directories that were made for the run, and in shared ones that were given to {@code prove}.
 * Whatever else it opens is refused, so that nothing of anybody is touched. Everywhere else it is
 * open country.
 *
 * <p>Environment and property name the directories. A store that is no directory could be anywhere,
 * and is refused as well.
 */
final class ProvingGround {
  /** Directories, separated as paths are; children of the program have it too. */
  static final String VARIABLE = "CAIRN_PROVE";

  /** The same, for launchers that pass no environment on. */
  static final String PROPERTY = "cairn.prove";

  private static final ProvingGround OPEN = new ProvingGround(List.of());

  private final List<Path> allowed;

  private ProvingGround(List<Path> allowed) {
    this.allowed = allowed;
  }

  /** Of this process. */
  static ProvingGround ofSurroundings() {
    return of(System.getProperty(PROPERTY, ""), System.getenv());
  }

  static ProvingGround of(String property, Map<String, String> environment) {
    String given = property.isEmpty() ? environment.getOrDefault(VARIABLE, "") : property;
    if (given.isEmpty()) {
      return OPEN;
    }
    return new ProvingGround(
        Pattern.compile(File.pathSeparator, Pattern.LITERAL)
            .splitAsStream(given)
            .map(directory -> real(Path.of(directory)))
            .toList());
  }

  /** Whether {@code cairn prove} watches this process. */
  boolean isWatched() {
    return !allowed.isEmpty();
  }

  /** Refuses a directory that is outside, before it is made. */
  void check(Path directory) {
    if (isWatched() && allowed.stream().noneMatch(real(directory)::startsWith)) {
      throw refused("%s is outside of %s".formatted(directory.toAbsolutePath(), allowed));
    }
  }

  /** Refuses a store that is outside, or that may be. */
  void check(Store store) {
    if (!isWatched()) {
      return;
    }
    if (!(store instanceof DirectoryStore)) {
      throw refused("nobody knows where a " + store.getClass().getName() + " keeps its files");
    }
    check(Path.of(store.location("events.jsonl")));
  }

  /** Refuses places of many ranks that are outside, or that may be. */
  void check(Directories directories) {
    if (!isWatched()) {
      return;
    }
    switch (directories) {
      case FileDirectories files -> check(Path.of(files.location()));
      case SingleDirectory single -> check(single.store());
      default ->
          throw refused(
              "nobody knows where a " + directories.getClass().getName() + " keeps its files");
    }
  }

  /** Refuses tiers that keep versions outside, or that may do so. */
  void check(Tiers tiers) {
    @Nullable Store shared = tiers.shared();
    if (shared != null) {
      check(shared);
    }
    Set<TierKind> others = tiers.others();
    if (isWatched() && !others.isEmpty()) {
      throw refused("nobody knows where tiers of the kinds " + others + " keep their files");
    }
  }

  private static CheckpointDirectoryException refused(String why) {
    String message =
        "cannot use checkpoints under cairn prove: %s; use a relative path, or give a shared directory to prove with --shared"
            .formatted(why);
    return new CheckpointDirectoryException(message, new IOException(why));
  }

  /** Where a path leads, however much of it exists. */
  private static Path real(Path path) {
    Path whole = path.toAbsolutePath().normalize();
    for (Path there = path.toAbsolutePath(); there != null; there = there.getParent()) {
      if (Files.exists(there)) {
        try {
          return there.toRealPath().resolve(there.relativize(path.toAbsolutePath())).normalize();
        } catch (IOException e) {
          return whole;
        }
      }
    }
    return whole;
  }
}
