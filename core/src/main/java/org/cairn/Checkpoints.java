// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.cairn.store.Directories;
import org.cairn.store.DirectoryStore;
import org.cairn.store.Store;
import org.cairn.version.Life;
import org.cairn.version.Lives;
import org.cairn.version.VersionId;

/**
 * Checkpoints to be read by a program that did not take them: to look at results, to compare, to
 * plot. Nothing is changed, and every block is verified before anybody sees it.
 *
 * <pre>{@code
 * try (Checkpoints saved = Checkpoints.open(Path.of("checkpoints"))) {
 *   double[] u = saved.newest().read("u").doubles();
 * }
 * }</pre>
 *
 * <p>The program that takes them may go on meanwhile; what it drops in the middle of a read is
 * reported as that, not as damage. For one thread at a time.
 */
public final class Checkpoints implements AutoCloseable {
  private final SavedFiles files;

  /** What a person has chosen, if anything. */
  private final Optional<Life> chosen;

  private Checkpoints(SavedFiles files, Optional<Life> chosen) {
    this.files = files;
    this.chosen = chosen;
  }

  private interface Opening {
    SavedFiles open() throws IOException;
  }

  private static Checkpoints open(String where, Opening opening) {
    try {
      return new Checkpoints(opening.open(), Optional.empty());
    } catch (IOException e) {
      String text = String.valueOf(e.getMessage());
      throw new CheckpointDirectoryException(
          "cannot read checkpoints: " + (text.contains(where) ? text : where + ": " + text), e);
    }
  }

  /**
   * What lies in a directory of a program, of a job of many ranks, or that jobs share; or in one
   * container.
   *
   * @throws CheckpointDirectoryException if that cannot be read; files that cannot are told by
   *     {@link #problems}
   */
  public static Checkpoints open(Path path) {
    return open(path.toString(), () -> SavedFiles.in(path));
  }

  /** What lies in stores of any kind. */
  public static Checkpoints open(Directories directories) {
    return open(directories.location(), () -> SavedFiles.in(directories));
  }

  /** What lies in a shared store. */
  public static Checkpoints openShared(Store store) {
    return open(store.location(), () -> SavedFiles.inShared(store, store.location()));
  }

  /**
   * What lies in a directory of a job, and what it flushed to a shared one. The state of a rank is
   * read where it is nearest.
   *
   * @throws CheckpointDirectoryException if one of them cannot be read
   */
  public static Checkpoints open(Path path, Path shared) {
    return open(path).andFlushedTo(shared);
  }

  /** What lies in stores of any kind, and what was flushed to a shared directory. */
  public static Checkpoints open(Directories directories, Path shared) {
    return open(directories).andFlushedTo(shared);
  }

  private Checkpoints andFlushedTo(Path shared) {
    try {
      files.flushedTo(DirectoryStore.open(shared, false));
      return this;
    } catch (IOException e) {
      close();
      throw new CheckpointDirectoryException(
          "cannot read checkpoints: " + shared + ": " + e.getMessage(), e);
    }
  }

  /**
   * What was damaged where it was to be read, and where other bytes with the same digest were read
   * instead: in another container of the job, in a shared directory that was named, or in parity.
   * Files stay as they are; {@code cairn scrub} heals them.
   */
  public List<String> detours() {
    return files.detours();
  }

  /** Files and versions that cannot be read, and why. */
  public List<String> problems() {
    return List.copyOf(files.problems());
  }

  /**
   * Chooses where there are several jobs, or several lives of one: by the first digits of the job,
   * of the run, or both as {@code 91c3aa02-5f0c91aa}. Shares all that is open with this one.
   */
  public Checkpoints job(String id) {
    String wanted = id.toLowerCase(Locale.ROOT);
    List<Life> called = lives(true).stream().filter(life -> life.isCalled(wanted)).toList();
    List<Life> current = called.stream().filter(lives(false)::contains).toList();
    List<Life> best = current.size() == 1 ? current : called;
    if (best.size() != 1) {
      throw new IllegalArgumentException(
          "%s fits %d jobs in %s; there are %s"
              .formatted(id, best.size(), files.location(), describe(lives(true))));
    }
    return new Checkpoints(files, Optional.of(best.getFirst()));
  }

  private List<Life> lives(boolean alsoPast) {
    List<Life> all = new ArrayList<>();
    for (Lives lives : files.lives()) {
      all.addAll(alsoPast ? lives.all() : lives.current());
    }
    return all;
  }

  private static String describe(List<Life> lives) {
    return lives.isEmpty()
        ? "none"
        : String.join(", ", lives.stream().map(life -> life.id() + newestOf(life)).toList());
  }

  private static String newestOf(Life life) {
    return " (newest version " + life.versions().getFirst().exact() + ")";
  }

  /** All versions of which there is something, the one taken last first. */
  public List<SavedVersion> versions() {
    List<SavedVersion> all = new ArrayList<>();
    files
        .versions()
        .forEach(
            (id, takenAt) -> {
              if (chosen.isEmpty() || chosen.get().versions().contains(id)) {
                all.add(new SavedVersion(files, id, takenAt));
              }
            });
    all.sort(
        Comparator.comparing(SavedVersion::takenAt).thenComparing(SavedVersion::id).reversed());
    return all;
  }

  /**
   * The newest version of which the state of every rank is here.
   *
   * @throws CheckpointUnavailableException if there is none
   * @throws IllegalArgumentException if there are several jobs that it could be of; choose one with
   *     {@link #job}
   */
  public SavedVersion newest() {
    List<VersionId> candidates = life().map(Life::versions).orElse(List.of());
    return versions().stream()
        .filter(version -> candidates.contains(version.id()) && version.isComplete())
        .max(Comparator.comparing(SavedVersion::id))
        .orElseThrow(() -> unavailable("no version of which every rank is there"));
  }

  private Optional<Life> life() {
    if (chosen.isPresent()) {
      return chosen;
    }
    List<Life> current = lives(false);
    if (current.size() > 1) {
      throw new IllegalArgumentException(
          "there are checkpoints of %d jobs in %s; choose one with job(id): %s"
              .formatted(current.size(), files.location(), describe(current)));
    }
    return current.stream().findFirst();
  }

  private CheckpointUnavailableException unavailable(String what) {
    List<String> reasons = new ArrayList<>();
    versions().forEach(version -> reasons.add(version.toString()));
    reasons.addAll(files.problems());
    return new CheckpointUnavailableException(files.location() + " has " + what, reasons);
  }

  /** A version as a person writes it: {@code 1.3}, or {@code 1.3@5f0c91aa}. */
  public SavedVersion version(String name) {
    VersionName wanted = VersionName.parse(name);
    Collection<VersionId> fitting =
        wanted.among(versions().stream().map(SavedVersion::id).toList());
    if (fitting.size() > 1) {
      throw new IllegalArgumentException(
          "version %s is not one but %d in %s; write %s"
              .formatted(
                  name,
                  fitting.size(),
                  files.location(),
                  String.join(" or ", fitting.stream().map(VersionId::exact).toList())));
    }
    return fitting.stream()
        .findFirst()
        .map(this::version)
        .orElseThrow(() -> unavailable("no version " + name));
  }

  /**
   * The version taken last under a label.
   *
   * @throws CheckpointUnavailableException if there is none
   */
  public SavedVersion labelled(String text) {
    return versions().stream()
        .filter(version -> version.label().text().equals(text))
        .findFirst()
        .orElseThrow(() -> unavailable("no version labelled \"" + text + "\""));
  }

  /** A version. */
  public SavedVersion version(VersionId id) {
    return versions().stream()
        .filter(version -> version.id().equals(id))
        .findFirst()
        .orElseThrow(() -> unavailable("no version " + id.exact()));
  }

  /** Lets go of all files; what was read stays. */
  @Override
  public void close() {
    try {
      files.close();
    } catch (IOException e) {
      throw new CheckpointDirectoryException("closing " + files.location() + " failed", e);
    }
  }
}
