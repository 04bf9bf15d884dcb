// SPDX-License-Identifier: Apache-2.0
package org.cairn.restart;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.cairn.Changes;
import org.cairn.Dataset;
import org.cairn.DatasetMismatchException;
import org.cairn.ElementType;
import org.cairn.Part;
import org.cairn.division.Division;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionMap;

/**
 * A dataset of a version and the one of the program that it is restored to, which may be called
 * otherwise and, if the request says so, have elements of another width.
 */
final class Match {
  private final DatasetEntry entry;
  private final Dataset dataset;
  private final DatasetSpec offered;
  private final boolean converts;

  private Match(DatasetEntry entry, Dataset dataset, boolean converts) {
    this.entry = entry;
    this.dataset = dataset;
    this.converts = converts;
    this.offered = converts ? as(dataset.elementType(), entry.spec()) : entry.spec();
  }

  private static DatasetSpec as(ElementType type, DatasetSpec saved) {
    return new DatasetSpec(
        saved.name(),
        type,
        saved.shape(),
        Math.multiplyExact(DatasetSpec.elements(saved.shape()), type.bytes()),
        saved.blockSize(),
        saved.algorithm(),
        saved.codec(),
        saved.division());
  }

  /** What a version has for a dataset of the program. */
  static Match of(DatasetEntry entry, Dataset dataset, Changes changes) {
    return new Match(entry, dataset, changes.converts(entry.spec(), dataset.elementType()));
  }

  /** What a version has for a dataset of the program, if it has something; no work for the rest. */
  static Optional<Match> find(VersionMap version, Dataset dataset, Changes changes) {
    return changes
        .savedAs(dataset.name())
        .flatMap(name -> version.find(name).stream())
        .findFirst()
        .map(entry -> of(entry, dataset, changes));
  }

  /**
   * The datasets of a version by the names that they have now.
   *
   * @throws DatasetMismatchException if two would have one name
   */
  static Map<String, DatasetEntry> byNameNow(Iterable<DatasetEntry> entries, Changes changes) {
    Map<String, DatasetEntry> all = new LinkedHashMap<>();
    for (DatasetEntry entry : entries) {
      String now = changes.nameNow(entry.name());
      DatasetEntry before = all.put(now, entry);
      if (before != null) {
        throw collision(now, before, entry);
      }
    }
    return all;
  }

  private static DatasetMismatchException collision(
      String now, DatasetEntry one, DatasetEntry other) {
    String saved = one.name().equals(now) ? other.name() : one.name();
    return new DatasetMismatchException(
        now,
        "both \"%s\" and \"%s\"".formatted(saved, now),
        "one name for both",
        "rename \"%s\" of the checkpoint too, or do not rename \"%s\"".formatted(now, saved));
  }

  DatasetEntry entry() {
    return entry;
  }

  Dataset dataset() {
    return dataset;
  }

  /** Whether it is filled with what other ranks saved, too. */
  boolean needsOthers() {
    return dataset.needsOthers(entry.spec());
  }

  /** Whether what was saved fits; throws if it does not. */
  void check() {
    dataset.check(offered);
  }

  /** Ghosts come from who has the elements, and no other rank knows that this one asks. */
  void refuseGhosts() {
    if (entry.spec().division() instanceof Division.Parts parts
        && parts.parts().stream().anyMatch(Part::hasGhosts)) {
      throw new DatasetMismatchException(
          dataset.name(),
          parts.toString(),
          "protected after restart()",
          "its ghosts come from other ranks, which wait in restart(); protect it before that");
    }
  }

  /** What is offered to the dataset: what was saved, perhaps converted. */
  DatasetSpec offered() {
    return offered;
  }

  /** Whether elements get another width. */
  boolean converts() {
    return converts;
  }

  void filled(VersionInfo version) {
    dataset.filled(offered);
    noteOrigin(version);
  }

  void filledLate(VersionInfo version) {
    dataset.filledLate(offered);
    noteOrigin(version);
  }

  /** What was converted has other bytes than the version. */
  private void noteOrigin(VersionInfo version) {
    if (!converts) {
      dataset.filledFrom(version);
    }
  }

  /** What is not as it was saved, for people. */
  Optional<String> change() {
    return Changes.inWords(entry.name(), entry.spec().type(), dataset.name(), offered.type());
  }
}
