// SPDX-License-Identifier: Apache-2.0
package org.cairn.restart;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.cairn.Changes;
import org.cairn.Dataset;
import org.cairn.DatasetMismatchException;
import org.cairn.ElementType;
import org.cairn.supply.Workspace;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;
import org.cairn.version.VersionMap;
import org.jspecify.annotations.Nullable;

/**
 * A dataset of a version and the one of the program that it is restored to, which may be called
 * otherwise and, if the request says so, have elements of another width.
 *
 * <p>What is converted is read aside first, verified as everything else, and converted when all
 * blocks are known to be good: an element may lie in two blocks.
 */
final class Match {
  private final DatasetEntry entry;
  private final Dataset dataset;
  private final DatasetSpec offered;
  private final boolean converts;
  private @Nullable MemorySegment aside;
  private MemorySegment target = MemorySegment.NULL;

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
        saved.codec());
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

  /** Whether what was saved fits; throws if it does not. */
  void check() {
    dataset.check(offered);
  }

  /** Memory for what was saved, as it was saved. */
  MemorySegment open(Workspace space) {
    target = dataset.target(offered);
    if (!converts) {
      return target;
    }
    MemorySegment saved = space.allocate(entry.spec().byteLength());
    aside = saved;
    return saved;
  }

  /**
   * All blocks are there: converts them, where that is to be done.
   *
   * @throws DatasetMismatchException if a number is too large for what it is to become; the dataset
   *     is unchanged
   */
  void convert() {
    MemorySegment saved = aside;
    if (saved == null) {
      return;
    }
    aside = null;
    long elements = DatasetSpec.elements(offered.shape());
    if (offered.type() == ElementType.DOUBLE) {
      widen(saved, elements);
    } else {
      refuseTooLarge(saved, elements);
      narrow(saved, elements);
    }
  }

  private void widen(MemorySegment saved, long elements) {
    for (long i = 0; i < elements; i++) {
      float value = saved.get(ValueLayout.JAVA_FLOAT_UNALIGNED, i * Float.BYTES);
      target.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, i * Double.BYTES, value);
    }
  }

  /** A state that was finite does not become infinite in silence. */
  private void refuseTooLarge(MemorySegment saved, long elements) {
    for (long i = 0; i < elements; i++) {
      double value = saved.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, i * Double.BYTES);
      if (Float.isInfinite((float) value) && !Double.isInfinite(value)) {
        throw new DatasetMismatchException(
            dataset.name(),
            "%s as element %d".formatted(value, i),
            "float",
            "it is too large for a float; protect it as double");
      }
    }
  }

  private void narrow(MemorySegment saved, long elements) {
    for (long i = 0; i < elements; i++) {
      double value = saved.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, i * Double.BYTES);
      target.set(ValueLayout.JAVA_FLOAT_UNALIGNED, i * Float.BYTES, (float) value);
    }
  }

  void filled() {
    dataset.filled(offered);
  }

  void filledLate() {
    dataset.filledLate(offered);
  }

  /** What is not as it was saved, for people. */
  Optional<String> change() {
    boolean renamed = !entry.name().equals(dataset.name());
    if (!renamed && !converts) {
      return Optional.empty();
    }
    String name = renamed ? " is \"" + dataset.name() + "\" now" : "";
    String type =
        "%s in place of %s".formatted(offered.type().label(), entry.spec().type().label());
    String types = converts ? (renamed ? ", " : " is ") + type : "";
    return Optional.of("\"" + entry.name() + "\"" + name + types);
  }
}
