// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.store.Directories;
import org.cairn.store.LoneDirectory;
import org.cairn.store.Store;
import org.cairn.tier.FileNames;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.tier.TierType;
import org.cairn.tier.TierTypes;

/**
 * Finds what there is of jobs of one name: in the directory of this rank, and in directories of
 * ranks that ran here before and run elsewhere now.
 *
 * <p>The first rank of each host looks after those that it sees and that nobody uses, as {@link
 * DirectoryIds} tell, and of hosts that see the same place the first one. Rank 0 looks at the
 * shared directory, for all.
 *
 * <p>What cannot be looked at is reported as something found: it must not be taken for nothing.
 */
final class FragmentScan {
  private final Communicator comm;
  private final Directories directories;
  private final Store own;
  private final Tiers tiers;
  private final String job;
  private final DirectoryIds ids;

  /**
   * A scan by one rank.
   *
   * @param tiers may have their own places to look at
   * @param job the name of the jobs that are looked for
   */
  FragmentScan(
      Communicator comm,
      Directories directories,
      Store own,
      Tiers tiers,
      String job,
      DirectoryIds ids) {
    this.comm = comm;
    this.directories = directories;
    this.own = own;
    this.tiers = tiers;
    this.job = job;
    this.ids = ids;
  }

  /** All fragments that this rank answers for; collective. */
  List<Found> scan() {
    String mine = FileNames.directory(comm.rank());
    List<Fragment> seen = new ArrayList<>(new DirectoryScan(mine, own, job).fragments());
    for (String name : adopted(mine, seen)) {
      try {
        seen.addAll(new DirectoryScan(name, directories.open(name), job).fragments());
      } catch (IOException e) {
        seen.add(DirectoryScan.unlisted(name, e));
      }
    }
    List<Found> found = new ArrayList<>();
    seen.forEach(fragment -> found.add(new Found(comm.rank(), fragment)));
    if (comm.rank() == 0) {
      found.addAll(elsewhere());
    }
    return found;
  }

  /** Directories that no rank uses now and that this one looks after; collective. */
  private Set<String> adopted(String mine, List<Fragment> problems) {
    DirectoryIds.Told told = ids.exchange();
    Set<String> names = new TreeSet<>();
    if (told.makeThisRankLook()) {
      for (String directory : foreign(mine, problems)) {
        if (!told.isUsed(directory)) {
          names.add(directory);
        }
      }
    }
    return names;
  }

  /** Directories of other ranks that this one sees. */
  private List<String> foreign(String mine, List<Fragment> problems) {
    List<String> seen = new ArrayList<>();
    try {
      for (String name : directories.names()) {
        if (!name.equals(mine) && isPlace(name)) {
          seen.add(name);
        }
      }
    } catch (IOException e) {
      problems.add(DirectoryScan.unlisted(directories.location(), e));
    }
    return seen;
  }

  private static boolean isPlace(String name) {
    return FileNames.isDirectory(name)
        || name.equals(Directories.ROOT)
        || name.startsWith(LoneDirectory.BELOW)
            && FileNames.isDirectory(name.substring(LoneDirectory.BELOW.length()));
  }

  // ---------------------------------------------------------------- in no directory of a rank

  /** One looks, for all. */
  private List<Found> elsewhere() {
    List<Found> found = new ArrayList<>();
    for (TierType type : TierTypes.all()) {
      try {
        found.addAll(elsewhere(type, tiers, comm.size(), job));
      } catch (IOException e) {
        found.add(new Found(0, unlisted(type.kind(), e)));
      }
    }
    return found;
  }

  static List<Found> elsewhere(TierType type, Tiers tiers, int ranks, String job)
      throws IOException {
    List<Found> found = new ArrayList<>();
    for (Fragment fragment : type.elsewhere(tiers, ranks, job)) {
      found.add(new Found(Math.max(0, fragment.owner()), fragment));
    }
    return found;
  }

  private static Fragment unlisted(TierKind kind, IOException e) {
    return Fragment.unreadable(
        kind, Fragment.NOBODY, "", "", "the %s directory: %s".formatted(kind, e.getMessage()));
  }
}
