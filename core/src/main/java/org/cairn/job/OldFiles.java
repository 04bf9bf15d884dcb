// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.cairn.container.ContainerReader;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.store.StoreLock;
import org.cairn.tier.FileNames;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.version.Lineage;
import org.cairn.version.RunInfo;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files of worlds that a run has gone on from: what another number of ranks saved, and nobody
 * writes to any more; or what starts left that ended before their first version. A rank looks after
 * those that it found.
 */
final class OldFiles {
  private static final Logger LOG = LoggerFactory.getLogger(Job.class);

  private final Opener opener;
  private final Lineage lineage;

  /** Each once, though it may hold several fragments. */
  private final List<Found> files;

  /** Whether what a file holds, as it is now, is such that it may go. */
  private final Spare spare;

  /** Opens directories by the names that fragments give. */
  @FunctionalInterface
  interface Opener {
    Store open(String directory) throws IOException;
  }

  /** Looks again: somebody may have written to it meanwhile. */
  @FunctionalInterface
  private interface Spare {
    boolean mayGo(ContainerReader reader, Lineage lineage) throws IOException;
  }

  private OldFiles(Opener opener, Lineage lineage, List<Found> files, Spare spare) {
    this.opener = opener;
    this.lineage = lineage;
    this.files = files;
    this.spare = spare;
  }

  /** Those with versions of other numbers that a rank looks after. */
  static OldFiles foundBy(int rank, FragmentTable table, Lineage lineage, Opener opener) {
    return new OldFiles(
        opener,
        lineage,
        files(rank, table, fragment -> isOld(fragment, lineage)),
        OldFiles::holdsOldVersions);
  }

  /**
   * Those that never held a version, of starts that were to go on from one and came to nothing, as
   * far as a rank looks after them. Nobody can restore anything from them, and such a start counts
   * for nothing, unless a person chose what it was to go on from.
   */
  static OldFiles unusedFoundBy(int rank, FragmentTable table, Lineage lineage, Opener opener) {
    return new OldFiles(
        opener,
        lineage,
        files(rank, table, fragment -> isUnused(fragment, lineage)),
        OldFiles::isUnused);
  }

  private static List<Found> files(int rank, FragmentTable table, Predicate<Fragment> wanted) {
    Map<String, Found> files = new TreeMap<>();
    table.foundBy(rank).stream()
        .filter(one -> wanted.test(one.fragment()))
        .forEach(one -> files.putIfAbsent(name(one.fragment()), one));
    return List.copyOf(files.values());
  }

  /** A version of a world that the run has gone on from. */
  static Predicate<VersionId> versions(Lineage lineage) {
    Predicate<VersionId> world = lineage.world();
    return version -> lineage.includes(version) && !world.test(version);
  }

  /** Whether it is a file, and nothing in it is of the world that goes on. */
  static boolean isOld(Fragment fragment, Lineage lineage) {
    return !fragment.file().isEmpty()
        && !fragment.directory().isEmpty()
        && !fragment.versions().isEmpty()
        && fragment.ids().stream().allMatch(versions(lineage));
  }

  /** Whether it is a file of a start that came to nothing. */
  static boolean isUnused(Fragment fragment, Lineage lineage) {
    Lineage of = fragment.lineage();
    return fragment.state() == Fragment.State.NEVER_USED
        && !fragment.file().isEmpty()
        && !fragment.directory().isEmpty()
        && of != null
        && isOfNothing(of, lineage);
  }

  private static boolean isUnused(ContainerReader reader, Lineage lineage) {
    return !reader.everHeldVersion() && isOfNothing(reader.ownership().lineage(), lineage);
  }

  /** Whether such a start tells nothing: what began a job says that nothing was lost of it. */
  private static boolean isOfNothing(Lineage start, Lineage lineage) {
    RunInfo run = start.run();
    return start.job().equals(lineage.job())
        && !run.id().equals(lineage.run().id())
        && run.continues().isPresent()
        && !run.chosen();
  }

  static String name(Fragment fragment) {
    return fragment.directory() + "/" + fragment.file();
  }

  /** Whether there are any in a table, whoever looks after them; the same on all ranks. */
  static boolean isAnyUnused(FragmentTable table, Lineage lineage) {
    return table.survey().found().stream().anyMatch(one -> isUnused(one.fragment(), lineage));
  }

  List<Found> all() {
    return files;
  }

  /** Deletes all of them that may go. */
  void deleteAll(String why) {
    files.forEach(one -> delete(one, why));
  }

  Store directory(Found one) throws IOException {
    return opener.open(one.fragment().directory());
  }

  /** How many bytes would be free if it was deleted; none if it stays. */
  long bytes(Found one) {
    String name = one.fragment().file();
    try {
      Store store = directory(one);
      if (!mayGo(store, name)) {
        return 0;
      }
      try (StoreFile file = store.open(name, Store.Access.READ)) {
        return file.size();
      }
    } catch (IOException e) {
      LOG.debug("{} cannot be looked at", name(one.fragment()), e);
      return 0;
    }
  }

  /**
   * Deletes a file, unless something in it is to stay.
   *
   * @param why for people
   */
  void delete(Found one, String why) {
    String file = one.fragment().file();
    try {
      Store store = directory(one);
      if (!store.exists(file) || !mayGo(store, file)) {
        return; // gone before; there may be a file of this world in its place, which is locked
      }
      try (StoreLock _ = store.lock(FileNames.lockOf(file))) {
        if (mayGo(store, file)) {
          store.delete(file);
          store.forceDirectory();
          LOG.info("{} is gone: {}", store.location(file), why);
        }
      }
      store.delete(FileNames.lockOf(file));
    } catch (IOException e) {
      LOG.warn("{}, which nobody needs, stays: {}", name(one.fragment()), e.toString());
    }
  }

  private boolean mayGo(Store store, String file) throws IOException {
    try (ContainerReader reader = ContainerReader.open(store, file)) {
      return spare.mayGo(reader, lineage);
    }
  }

  /** Unless something else was written to it meanwhile, or something of it is to be kept. */
  private static boolean holdsOldVersions(ContainerReader reader, Lineage lineage)
      throws IOException {
    List<VersionInfo> versions = reader.versions();
    return reader.ownership().lineage().job().equals(lineage.job())
        && !versions.isEmpty()
        && versions.stream().noneMatch(version -> version.label().kept())
        && versions.stream().map(VersionInfo::id).allMatch(versions(lineage));
  }
}
