// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.TierKind;
import org.cairn.UnsupportedFormatException;
import org.cairn.container.ContainerReader;
import org.cairn.hash.Rehearsal;
import org.cairn.record.Digest;
import org.cairn.store.Store;
import org.cairn.tier.FileNames;
import org.cairn.tier.FoundContainer;
import org.cairn.tier.Fragment;
import org.cairn.tier.TierType;
import org.cairn.tier.TierTypes;
import org.cairn.version.Ownership;

/**
 * What there is of jobs of one name in one directory.
 *
 * <p>What cannot be looked at is reported as something found: it must not be taken for nothing.
 *
 * @param directory its name
 * @param store its files
 * @param job the name of the jobs that are looked for
 */
record DirectoryScan(String directory, Store store, String job) {
  /** Looks at all files. */
  List<Fragment> fragments() {
    List<Fragment> found = new ArrayList<>();
    try {
      for (String name : store.list()) {
        Optional<FileNames.Meaning> meaning = FileNames.meaning(name);
        if (meaning.isPresent()) {
          found.addAll(read(name, meaning.get()));
        }
      }
    } catch (IOException e) {
      found.add(unlisted(directory, e));
    }
    if (found.isEmpty()) {
      Rehearsal.beginUnasked(); // for the first checkpoint
    }
    return found;
  }

  /** A directory that cannot be looked at. */
  static Fragment unlisted(String directory, IOException e) {
    return Fragment.unreadable(
        TierKind.LOCAL,
        Fragment.NOBODY,
        directory,
        "",
        "directory " + directory + ": " + e.getMessage());
  }

  /** Whose a file is, it says inside; only of one that cannot be read its name is believed. */
  private List<Fragment> read(String name, FileNames.Meaning meaning) {
    boolean called = meaning.job().equals(job);
    if (meaning.condition() == FileNames.Condition.DAMAGED) {
      return called
          ? List.of(unreadable(name, meaning, store.location(name) + " was put aside as damaged"))
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
                name,
                meaning,
                "%s belongs to a tier of kind %d, which is not on the class path"
                    .formatted(reader.location(), ownership.kind())));
      }
      boolean unfinished = meaning.condition() == FileNames.Condition.UNFINISHED;
      if (unfinished && reader.everHeldVersion()) {
        return List.of(misnamed(name, reader));
      }
      reader.versions().stream()
          .findFirst()
          .ifPresent(newest -> Rehearsal.begin(newest.protectedBytes()));
      return type.get().fragments(new FoundContainer(directory, name, reader, unfinished));
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (UnsupportedFormatException e) {
      if (!called) {
        return List.of();
      }
      return e.isOurs() ? List.of(foreign(name, meaning, e)) : damaged(name, meaning, e);
    } catch (IOException e) {
      return called ? damaged(name, meaning, e) : List.of();
    }
  }

  /** A container with versions under a name that the next one that is made would take. */
  private Fragment misnamed(String name, ContainerReader reader) {
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

  private Fragment foreign(String name, FileNames.Meaning meaning, UnsupportedFormatException e) {
    return Fragment.foreign(
        meaning.kind(), meaning.rank(), directory, name, message(e), mark(name));
  }

  /** Whoever changes a container writes a superblock. */
  private Digest mark(String name) {
    try {
      return ContainerReader.digestOfAnchors(store, name);
    } catch (IOException e) {
      return Digest.NONE;
    }
  }

  private List<Fragment> damaged(String name, FileNames.Meaning meaning, IOException e) {
    if (meaning.condition() == FileNames.Condition.UNFINISHED) {
      return List.of(); // whoever was making it did not come far
    }
    return List.of(unreadable(name, meaning, message(e)));
  }

  private static String message(IOException e) {
    return String.valueOf(e.getMessage());
  }

  private Fragment unreadable(String name, FileNames.Meaning meaning, String problem) {
    return Fragment.unreadable(meaning.kind(), meaning.rank(), directory, name, problem);
  }
}
