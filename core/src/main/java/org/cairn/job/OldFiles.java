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
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files of worlds that a run has gone on from: what another number of ranks saved, and nobody
 * writes to any more. A rank looks after those that it found.
 */
final class OldFiles {
  private static final Logger LOG = LoggerFactory.getLogger(Job.class);

  private final Opener opener;
  private final Lineage lineage;

  /** Each once, though it may hold several fragments. */
  private final List<Found> files;

  /** Opens directories by the names that fragments give. */
  @FunctionalInterface
  interface Opener {
    Store open(String directory) throws IOException;
  }

  private OldFiles(Opener opener, Lineage lineage, List<Found> files) {
    this.opener = opener;
    this.lineage = lineage;
    this.files = files;
  }

  /** Those that a rank looks after. */
  static OldFiles foundBy(int rank, FragmentTable table, Lineage lineage, Opener opener) {
    Map<String, Found> files = new TreeMap<>();
    table.foundBy(rank).stream()
        .filter(one -> isOld(one.fragment(), lineage))
        .forEach(one -> files.putIfAbsent(name(one.fragment()), one));
    return new OldFiles(opener, lineage, List.copyOf(files.values()));
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

  static String name(Fragment fragment) {
    return fragment.directory() + "/" + fragment.file();
  }

  List<Found> all() {
    return files;
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
      LOG.warn("{} of another number of ranks stays: {}", name(one.fragment()), e.toString());
    }
  }

  /** Somebody may have written to it meanwhile, or wants something of it to be kept. */
  private boolean mayGo(Store store, String file) throws IOException {
    try (ContainerReader reader = ContainerReader.open(store, file)) {
      List<VersionInfo> versions = reader.versions();
      return reader.ownership().lineage().job().equals(lineage.job())
          && !versions.isEmpty()
          && versions.stream().noneMatch(version -> version.label().kept())
          && versions.stream().map(VersionInfo::id).allMatch(versions(lineage));
    }
  }
}
