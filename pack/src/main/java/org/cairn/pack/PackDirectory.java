// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.cairn.Label;
import org.cairn.store.DirectoryStore;
import org.cairn.store.Store;
import org.cairn.tier.shared.Manifest;
import org.cairn.tier.shared.SharedDirectory;
import org.cairn.tier.shared.SharedNames;
import org.cairn.version.JobId;
import org.cairn.version.VersionId;

/**
 * A directory of packs: sets of files, each a version, of which a later one stores only what the
 * one before does not have. It is a shared directory, as jobs flush to, whose members are files.
 *
 * <p>All such directories are of one job, which therefore is a mark: whoever is first in an empty
 * directory need not agree with others on one, and its lease is that of the directory.
 */
public final class PackDirectory {
  static final JobId JOB = SharedNames.PACKS;

  private final Store store;
  private final String location;

  private PackDirectory(Store store, String location) {
    this.store = store;
    this.location = location;
  }

  /**
   * A set of files.
   *
   * @param label what is said of it; with {@code --watch} what the set is called
   * @param made when it was packed
   * @param files how many there are
   * @param added the bytes of its own segment
   * @param needed the bytes that are stored for it, wherever they lie
   */
  public record Version(
      VersionId id, Label label, Instant made, int files, long added, long needed) {
    static Version of(Manifest manifest) {
      long added = 0;
      long needed = 0;
      for (var reference : manifest.references()) {
        boolean own = reference.segment().equals(manifest.groups().getFirst().segment());
        added += own ? reference.size() : 0;
        needed += reference.liveBytes();
      }
      return new Version(
          manifest.version(),
          manifest.label(),
          manifest.takenAt(),
          manifest.version().ranks(),
          added,
          needed);
    }
  }

  /**
   * What is in a directory.
   *
   * @param versions those that are whole, newest first
   * @param problems what is wrong with others
   * @param damaged these others, newest first, of which there may be something left
   */
  public record Listing(List<Version> versions, List<String> problems, List<VersionId> damaged) {}

  /** Whether there are packs in a directory. */
  public static boolean isOne(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      return false;
    }
    try (var files = Files.newDirectoryStream(path, PackDirectory::isOfPacks)) {
      return files.iterator().hasNext();
    }
  }

  private static boolean isOfPacks(Path file) {
    return SharedNames.job(String.valueOf(file.getFileName())).filter(JOB::equals).isPresent();
  }

  /**
   * Refuses a directory to which a job flushes: whoever looks at it would see packs, and no job.
   *
   * @param location what it is called
   */
  static void refuseJobs(Store store, String location) throws IOException {
    for (String name : store.list()) {
      Optional<JobId> job = SharedNames.job(name).filter(one -> !one.equals(JOB));
      if (job.isPresent()) {
        throw new IOException(
            "%s is the shared directory of job %s; packs need a directory of their own"
                .formatted(location, job.get().brief()));
      }
    }
  }

  /** Opens a directory, to be read. */
  public static PackDirectory open(Path path) throws IOException {
    return new PackDirectory(DirectoryStore.open(path, false), path.toString());
  }

  static PackDirectory of(Store store, String location) {
    return new PackDirectory(store, location);
  }

  /** What is there. */
  public Listing list() throws IOException {
    SharedDirectory.Listing found = new SharedDirectory(store).list();
    return new Listing(
        found.versions().stream()
            .filter(manifest -> manifest.version().job().equals(JOB))
            .map(Version::of)
            .toList(),
        found.problems().stream()
            .filter(problem -> problem.version().job().equals(JOB))
            .map(problem -> "version %s: %s".formatted(problem.version(), problem.what()))
            .toList(),
        found.problems().stream()
            .map(SharedDirectory.Problem::version)
            .filter(version -> version.job().equals(JOB))
            .toList());
  }

  /**
   * Opens a version. If it is not whole, those files are there that can be found all the same, and
   * {@link Pack#ownDamage} says so.
   *
   * @throws IOException if it is not there, or nothing of it is left
   */
  public Pack open(VersionId version) throws IOException {
    try {
      return openWhole(version);
    } catch (IOException e) {
      return Pack.openRescued(store, version, nameOf(version), e);
    }
  }

  /** Opens a version that is whole: for who relies on it. */
  Pack openWhole(VersionId version) throws IOException {
    return Pack.open(store, new SharedDirectory(store).find(version), nameOf(version));
  }

  private String nameOf(VersionId version) {
    return "%s@%s".formatted(location, version);
  }
}
