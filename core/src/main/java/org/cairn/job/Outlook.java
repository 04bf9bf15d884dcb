// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.cairn.RestartRequest;
import org.cairn.Tiers;
import org.cairn.container.ContainerReader;
import org.cairn.store.Directories;
import org.cairn.store.LoneDirectory;
import org.cairn.store.Store;
import org.cairn.tier.FileNames;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.tier.TierType;
import org.cairn.tier.TierTypes;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * What a restart would do, said by the rules that it goes by: for who looks at files from outside.
 * Nothing is changed, and no rank is needed; but only what can be seen from here counts.
 *
 * @param kind what it would do
 * @param version what would be restored
 * @param life of which life, as {@link org.cairn.version.Life#id} writes it; empty if none
 * @param why why it would refuse; empty if it would not
 * @param answers what it would list then
 */
public record Outlook(
    Kind kind, Optional<VersionId> version, String life, String why, List<String> answers) {

  /** What a restart can do. */
  public enum Kind {
    /** Restore a version. */
    RESTORE,
    /** Begin: nothing was ever saved. */
    FIRST_RUN,
    /** Begin again: no checkpoint was ever completed. */
    AGAIN,
    /** Refuse, and ask a person. */
    REFUSE
  }

  /** The names of all jobs that have containers here; empty for those without a name. */
  public static Set<String> jobs(Directories directories) throws IOException {
    Set<String> jobs = new TreeSet<>();
    for (String directory : directories.names()) {
      if (isPlace(directory)) {
        Store store = directories.open(directory);
        for (String file : store.list()) {
          FileNames.meaning(file).ifPresent(meaning -> jobs.add(nameOf(store, file, meaning)));
        }
      }
    }
    return jobs;
  }

  private static String nameOf(Store store, String file, FileNames.Meaning meaning) {
    try (ContainerReader reader = ContainerReader.open(store, file)) {
      return reader.ownership().lineage().name();
    } catch (IOException e) {
      return meaning.job();
    }
  }

  /**
   * What a restart of a job would do.
   *
   * @param directories where its ranks have their directories
   * @param shared its shared directory, if it has one
   * @param job its name
   * @param ranks how many ranks it would have
   */
  public static Outlook of(Directories directories, @Nullable Store shared, String job, int ranks)
      throws IOException {
    List<Found> found = new ArrayList<>();
    for (String directory : directories.names()) {
      if (isPlace(directory)) {
        add(directories, directory, job, ranks, found);
      }
    }
    Tiers tiers = shared == null ? Tiers.none() : Tiers.none().shared(shared, 0);
    for (TierType type : TierTypes.all()) {
      found.addAll(FragmentScan.elsewhere(type, tiers, ranks, job));
    }
    FragmentTable table = new FragmentTable(ranks, new Survey(List.copyOf(found)), job);
    return of(Choice.of(table, RestartRequest.newest(), directories.location()));
  }

  private static boolean isPlace(String directory) {
    return FileNames.isDirectory(directory) || directory.equals(Directories.ROOT);
  }

  /** A single rank keeps its state in the place itself; of many, each in a directory. */
  private static void add(
      Directories directories, String directory, String job, int ranks, List<Found> found)
      throws IOException {
    boolean root = directory.equals(Directories.ROOT);
    boolean own = root ? ranks == 1 : ranks > 1;
    String name = name(directory, root, own, ranks);
    int number = root ? 0 : Integer.parseInt(directory.substring("rank".length()));
    DirectoryScan scan = new DirectoryScan(name, directories.open(directory), job);
    for (Fragment fragment : scan.fragments()) {
      found.add(new Found(number < ranks ? number : 0, fragment));
    }
  }

  private static String name(String directory, boolean root, boolean own, int ranks) {
    if (root) {
      return own ? FileNames.directory(0) : directory;
    }
    return ranks == 1 ? LoneDirectory.BELOW + directory : directory;
  }

  private static Outlook of(Choice choice) {
    return switch (choice) {
      case Choice.Restore restore ->
          new Outlook(
              Kind.RESTORE, Optional.of(restore.version()), restore.life().id(), "", List.of());
      case Choice.FirstRun _ -> new Outlook(Kind.FIRST_RUN, Optional.empty(), "", "", List.of());
      case Choice.Again again ->
          new Outlook(Kind.AGAIN, Optional.empty(), again.lineage().brief(), "", List.of());
      case Choice.Refuse refuse ->
          new Outlook(Kind.REFUSE, Optional.empty(), "", refuse.why(), refuse.answers());
    };
  }
}
