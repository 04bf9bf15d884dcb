// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import org.cairn.comm.Communicator;
import org.cairn.container.ContainerReader;
import org.cairn.version.VersionId;
import org.cairn.container.VersionInfo;
import org.cairn.store.Directories;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.tier.FileNames;
import org.cairn.tier.Fragment;
import org.cairn.tier.TierKind;
import org.cairn.tier.parity.ParityInfo;
import org.cairn.tier.segment.SharedTier;
import org.jspecify.annotations.Nullable;

/**
 * Finds what there is: in the directory of this rank, and in directories of ranks that ran here
 * before and run elsewhere now.
 *
 * <p>Every directory has a random name of its own inside. So the ranks can tell whether a directory
 * "rank3" that one of them sees is the one that rank 3 uses, or an older one that was left behind
 * on another machine; the lowest rank that sees such a one looks after it.
 */
final class FragmentScan {
  private static final String ID_FILE = "directory.id";
  private static final Pattern DIRECTORY = Pattern.compile("rank\\d{1,9}");

  private final Communicator comm;
  private final Directories directories;
  private final Store own;
  private final @Nullable Store shared;

  FragmentScan(Communicator comm, Directories directories, Store own, @Nullable Store shared) {
    this.comm = comm;
    this.directories = directories;
    this.own = own;
    this.shared = shared;
  }

  /** The numbers of ranks of the jobs that have left something in these directories. */
  static Set<Integer> sizes(Directories directories) throws IOException {
    Set<Integer> sizes = new TreeSet<>();
    for (String name : directories.names()) {
      if (DIRECTORY.matcher(name).matches()) {
        List<Fragment> found = new ArrayList<>();
        scan(name, directories.open(name), found);
        for (Fragment fragment : found) {
          fragment.versions().forEach(version -> sizes.add(version.ranks()));
        }
      }
    }
    return sizes;
  }

  /** All fragments that this rank answers for; collective. */
  List<Fragment> scan() {
    List<Fragment> found = new ArrayList<>();
    String mine = FragmentTable.directoryOf(comm.rank());
    scan(mine, own, found);
    for (String name : adopted(mine)) {
      try {
        scan(name, directories.open(name), found);
      } catch (IOException e) {
        found.add(problem(name, e));
      }
    }
    Store directory = shared;
    if (directory != null) {
      found.add(inShared(directory));
    }
    return found;
  }

  /** Every rank looks for itself: what it cannot read it cannot have from there. */
  private Fragment inShared(Store directory) {
    List<VersionId> versions = List.of();
    String problem = "";
    try {
      versions = SharedTier.versions(directory);
    } catch (IOException e) {
      problem = "the shared directory: " + e.getMessage();
    }
    return new Fragment(TierKind.SHARED, comm.rank(), "", "", versions, null, 0, problem);
  }

  private static Fragment problem(String directory, IOException e) {
    return new Fragment(
        TierKind.LOCAL, -1, directory, "", List.of(), null, 0, String.valueOf(e.getMessage()));
  }

  // ---------------------------------------------------------------- whose directory is whose

  private Set<String> adopted(String mine) {
    List<String> seen = new ArrayList<>();
    seen.add(identity());
    if (isFirstOfDomain()) {
      seen.addAll(foreign(mine));
    }
    List<byte[]> all = comm.allGather(String.join("\n", seen).getBytes(StandardCharsets.UTF_8));
    TreeMap<String, Integer> adopters = new TreeMap<>();
    List<String> owners = new ArrayList<>();
    for (int rank = 0; rank < all.size(); rank++) {
      String[] lines = new String(all.get(rank), StandardCharsets.UTF_8).split("\n", -1);
      owners.add(FragmentTable.directoryOf(rank) + " " + lines[0]);
      for (int i = 1; i < lines.length; i++) {
        adopters.putIfAbsent(lines[i], rank);
      }
    }
    owners.forEach(adopters::remove);
    Set<String> names = new TreeSet<>();
    adopters.forEach(
        (directory, rank) -> {
          if (rank == comm.rank()) {
            names.add(directory.substring(0, directory.indexOf(' ')));
          }
        });
    return names;
  }

  private boolean isFirstOfDomain() {
    String domain = comm.domain(comm.rank());
    for (int rank = 0; rank < comm.rank(); rank++) {
      if (comm.domain(rank).equals(domain)) {
        return false;
      }
    }
    return true;
  }

  private List<String> foreign(String mine) {
    List<String> seen = new ArrayList<>();
    try {
      for (String name : directories.names()) {
        if (!name.equals(mine)
            && (DIRECTORY.matcher(name).matches() || name.equals(Directories.ROOT))) {
          seen.add(name + " " + readIdentity(directories.open(name)).orElse(""));
        }
      }
    } catch (IOException e) {
      // What cannot be listed is not there for us; others may see more.
    }
    return seen;
  }

  private String identity() {
    try {
      Optional<String> known = readIdentity(own);
      if (known.isPresent()) {
        return known.get();
      }
      String fresh = UUID.randomUUID().toString();
      try (StoreFile file = own.open(ID_FILE, Store.Access.CREATE)) {
        file.write(0, MemorySegment.ofArray(fresh.getBytes(StandardCharsets.US_ASCII)));
        file.force();
      }
      own.forceDirectory();
      return fresh;
    } catch (IOException e) {
      // Then nobody recognises the directory, which costs a second look at it.
      return "unknown";
    }
  }

  private static Optional<String> readIdentity(Store store) {
    byte[] text = new byte[36];
    try (StoreFile file = store.open(ID_FILE, Store.Access.READ)) {
      long count = file.read(0, MemorySegment.ofArray(text));
      return count == text.length
          ? Optional.of(new String(text, StandardCharsets.US_ASCII).replace('\n', '?'))
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  // ---------------------------------------------------------------- what is in a directory

  private static void scan(String directory, Store store, List<Fragment> found) {
    try {
      for (String name : store.list()) {
        Optional<FileNames.Meaning> meaning = FileNames.meaning(name);
        if (meaning.isPresent()) {
          found.addAll(read(directory, store, name, meaning.get()));
        }
      }
    } catch (IOException e) {
      found.add(problem(directory, e));
    }
  }

  private static List<Fragment> read(
      String directory, Store store, String name, FileNames.Meaning meaning) {
    try (ContainerReader reader = ContainerReader.open(store, name)) {
      List<VersionId> versions = reader.versions().stream().map(VersionInfo::id).toList();
      String problems = String.join("; ", reader.problems());
      if (meaning.kind() == TierKind.ERASURE) {
        return parities(directory, name, meaning.rank(), reader, versions);
      }
      return List.of(
          new Fragment(
              meaning.kind(),
              meaning.rank(),
              directory,
              name,
              versions,
              null,
              reader.epoch(),
              problems));
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      return List.of(unusable(directory, name, meaning, e));
    }
  }

  /** One for each version: groups may have changed in between. */
  private static List<Fragment> parities(
      String directory, String name, int rank, ContainerReader reader, List<VersionId> versions) {
    List<Fragment> found = new ArrayList<>();
    for (VersionId version : versions) {
      try {
        ParityInfo info = ParityInfo.read(reader, version);
        String stamp = "%016x%016x".formatted(info.stampHigh(), info.stampLow());
        Fragment.Group group = new Fragment.Group(info.members(), info.parity(), stamp);
        found.add(
            new Fragment(TierKind.ERASURE, rank, directory, name, List.of(version), group, 0, ""));
      } catch (IOException e) {
        found.add(unusable(directory, name, new FileNames.Meaning(TierKind.ERASURE, rank), e));
      }
    }
    return found;
  }

  private static Fragment unusable(
      String directory, String name, FileNames.Meaning meaning, IOException e) {
    return new Fragment(
        meaning.kind(),
        meaning.rank(),
        directory,
        name,
        List.of(),
        null,
        0,
        String.valueOf(e.getMessage()));
  }
}
