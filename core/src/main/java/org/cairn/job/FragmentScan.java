// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.UnsupportedFormatException;
import org.cairn.comm.Communicator;
import org.cairn.container.ContainerReader;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.store.Directories;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.tier.FileNames;
import org.cairn.tier.Found;
import org.cairn.tier.FoundContainer;
import org.cairn.tier.Fragment;
import org.cairn.tier.TierType;
import org.cairn.tier.TierTypes;
import org.cairn.version.Ownership;

/**
 * Finds what there is of jobs of one name: in the directory of this rank, and in directories of
 * ranks that ran here before and run elsewhere now.
 *
 * <p>At each start every rank gives its directory a random name. So the ranks can tell whether a
 * directory "rank3" that one of them sees is the one that rank 3 uses, or another: left behind on
 * another machine, or a copy. The first rank of each host looks after those that it sees, and of
 * hosts that see the same place the first one. Rank 0 looks at the shared directory, for all.
 *
 * <p>What cannot be looked at is reported as something found: it must not be taken for nothing.
 */
final class FragmentScan {
  private static final String UNKNOWN = "unknown";

  private final Communicator comm;
  private final Directories directories;
  private final Store own;
  private final Tiers tiers;
  private final String job;
  private final String token;

  /**
   * A scan by one rank; makes the new name of its directory.
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
      LongSupplier random) {
    this.comm = comm;
    this.directories = directories;
    this.own = own;
    this.tiers = tiers;
    this.job = job;
    this.token = announce("%016x%016x".formatted(random.getAsLong(), random.getAsLong()));
  }

  /** The numbers of ranks of the jobs of this name that have left something in directories. */
  static Set<Integer> sizes(Directories directories, String job) throws IOException {
    Set<Integer> sizes = new TreeSet<>();
    for (String name : directories.names()) {
      if (FileNames.isDirectory(name)) {
        List<Fragment> found = new ArrayList<>();
        scan(name, directories.open(name), job, found);
        for (Fragment fragment : found) {
          fragment.ids().forEach(version -> sizes.add(version.ranks()));
        }
      }
    }
    return sizes;
  }

  /** All fragments that this rank answers for; collective. */
  List<Found> scan() {
    List<Fragment> seen = new ArrayList<>();
    String mine = FileNames.directory(comm.rank());
    scan(mine, own, job, seen);
    for (String name : adopted(mine, seen)) {
      try {
        scan(name, directories.open(name), job, seen);
      } catch (IOException e) {
        seen.add(unlisted(name, e));
      }
    }
    List<Found> found = new ArrayList<>();
    seen.forEach(fragment -> found.add(new Found(comm.rank(), fragment)));
    if (comm.rank() == 0) {
      found.addAll(elsewhere());
    }
    return found;
  }

  /** What is in no directory of a rank: one looks, for all. */
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

  private static Fragment unlisted(String directory, IOException e) {
    return Fragment.unreadable(
        TierKind.LOCAL,
        Fragment.NOBODY,
        directory,
        "",
        "directory " + directory + ": " + e.getMessage());
  }

  // ---------------------------------------------------------------- whose directory is whose

  /**
   * Directories that no rank uses now. Two hosts may each have a copy of its own, with the same
   * name inside: so every host looks at what it sees. But where the directory of another host's
   * first rank is seen as it uses it, both see the same place, and the other looks.
   */
  private Set<String> adopted(String mine, List<Fragment> problems) {
    long[] tokens = new long[2 * comm.size()];
    comm.allGather(new long[] {high(token), low(token)}, tokens);
    Set<String> names = new TreeSet<>();
    List<Integer> readers = firstOfDomains();
    int position = readers.indexOf(comm.rank());
    if (position < 0 || (position > 0 && sees(readers.get(position - 1), tokens))) {
      return names;
    }
    for (String directory : foreign(mine, problems)) {
      if (!isUsed(directory, tokens)) {
        names.add(directory);
      }
    }
    return names;
  }

  private List<Integer> firstOfDomains() {
    Set<String> domains = new HashSet<>();
    List<Integer> first = new ArrayList<>();
    for (int rank = 0; rank < comm.size(); rank++) {
      if (domains.add(comm.domain(rank))) {
        first.add(rank);
      }
    }
    return first;
  }

  private boolean sees(int other, long[] tokens) {
    return isUsed(FileNames.directory(other), tokens);
  }

  /** Whether a directory that this rank sees is the one that a rank uses now. */
  private boolean isUsed(String directory, long[] tokens) {
    OptionalInt rank = FileNames.rankOf(directory);
    if (rank.isEmpty()
        || rank.getAsInt() >= comm.size()
        || !directory.equals(FileNames.directory(rank.getAsInt()))) {
      return false;
    }
    long high = tokens[2 * rank.getAsInt()];
    long low = tokens[2 * rank.getAsInt() + 1];
    return (high != 0 || low != 0) && readToken(directory).equals(text(high, low));
  }

  private static String text(long high, long low) {
    return "%016x%016x".formatted(high, low);
  }

  private static long high(String token) {
    return token.equals(UNKNOWN) ? 0 : Long.parseUnsignedLong(token, 0, 16, 16);
  }

  private static long low(String token) {
    return token.equals(UNKNOWN) ? 0 : Long.parseUnsignedLong(token, 16, 32, 16);
  }

  /** Directories of other ranks that this one sees. */
  private List<String> foreign(String mine, List<Fragment> problems) {
    List<String> seen = new ArrayList<>();
    try {
      for (String name : directories.names()) {
        if (!name.equals(mine) && (FileNames.isDirectory(name) || name.equals(Directories.ROOT))) {
          seen.add(name);
        }
      }
    } catch (IOException e) {
      problems.add(unlisted(directories.location(), e));
    }
    return seen;
  }

  private String announce(String fresh) {
    String name = FileNames.directoryId(job);
    try (StoreFile file = own.open(name, Store.Access.CREATE)) {
      file.write(0, MemorySegment.ofArray(fresh.getBytes(StandardCharsets.US_ASCII)));
      file.truncate(fresh.length());
      return fresh;
    } catch (IOException e) {
      // Then nobody recognises the directory, which costs a second look at it.
      return UNKNOWN;
    }
  }

  /** The random name of a directory; empty if it has none, or none that can be read. */
  private String readToken(String directory) {
    byte[] text = new byte[32];
    String name = FileNames.directoryId(job);
    try (StoreFile file = directories.open(directory).open(name, Store.Access.READ)) {
      long count = file.read(0, MemorySegment.ofArray(text));
      return count == text.length ? RecordReader.of(text, name).getRestAsText() : "";
    } catch (IOException e) {
      return "";
    }
  }

  // ---------------------------------------------------------------- what is in a directory

  /** Looks at all files of jobs of a name in a directory. */
  static void scan(String directory, Store store, String job, List<Fragment> found) {
    try {
      for (String name : store.list()) {
        Optional<FileNames.Meaning> meaning = FileNames.meaning(name);
        if (meaning.isPresent()) {
          found.addAll(read(directory, store, name, meaning.get(), job));
        }
      }
    } catch (IOException e) {
      found.add(unlisted(directory, e));
    }
  }

  /** Whose a file is, it says inside; only of one that cannot be read its name is believed. */
  private static List<Fragment> read(
      String directory, Store store, String name, FileNames.Meaning meaning, String job) {
    boolean called = meaning.job().equals(job);
    if (meaning.condition() == FileNames.Condition.DAMAGED) {
      return called
          ? List.of(
              unreadable(
                  directory, name, meaning, store.location(name) + " was put aside as damaged"))
          : List.of();
    }
    try (ContainerReader reader = ContainerReader.open(store, name)) {
      Ownership ownership = reader.ownership();
      if (!ownership.lineage().name().equals(job)) {
        return List.of();
      }
      Optional<TierType> type = TierTypes.find(ownership.kind());
      if (type.isEmpty()) {
        return List.of(
            unreadable(
                directory,
                name,
                meaning,
                "%s belongs to a tier of kind %d, which is not on the class path"
                    .formatted(reader.location(), ownership.kind())));
      }
      boolean unfinished = meaning.condition() == FileNames.Condition.UNFINISHED;
      if (unfinished && reader.everHeldVersion()) {
        return List.of(misnamed(directory, name, reader));
      }
      return type.get().fragments(new FoundContainer(directory, name, reader, unfinished));
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (UnsupportedFormatException e) {
      if (!called) {
        return List.of();
      }
      return e.isOurs()
          ? List.of(foreign(directory, store, name, meaning, e))
          : damaged(directory, name, meaning, e);
    } catch (IOException e) {
      return called ? damaged(directory, name, meaning, e) : List.of();
    }
  }

  /** A container with versions under a name that the next one that is made would take. */
  private static Fragment misnamed(String directory, String name, ContainerReader reader) {
    return new Fragment(
        TierKind.LOCAL,
        -1,
        directory,
        name,
        new FoundContainer(directory, name, reader, true).held(),
        null,
        reader.epoch(),
        reader.ownership().lineage(),
        Fragment.State.USED,
        reader.location()
            + " holds versions, and has the name of one that is being made; rename it to end in .cairn");
  }

  private static Fragment foreign(
      String directory,
      Store store,
      String name,
      FileNames.Meaning meaning,
      UnsupportedFormatException e) {
    return Fragment.foreign(
        meaning.kind(), meaning.rank(), directory, name, message(e), mark(store, name));
  }

  /** Whoever changes a container writes a superblock. */
  private static Digest mark(Store store, String name) {
    try {
      return ContainerReader.digestOfAnchors(store, name);
    } catch (IOException e) {
      return Digest.NONE;
    }
  }

  private static List<Fragment> damaged(
      String directory, String name, FileNames.Meaning meaning, IOException e) {
    if (meaning.condition() == FileNames.Condition.UNFINISHED) {
      return List.of(); // whoever was making it did not come far
    }
    return List.of(unreadable(directory, name, meaning, message(e)));
  }

  private static String message(IOException e) {
    return String.valueOf(e.getMessage());
  }

  private static Fragment unreadable(
      String directory, String name, FileNames.Meaning meaning, String problem) {
    return Fragment.unreadable(meaning.kind(), meaning.rank(), directory, name, problem);
  }
}
