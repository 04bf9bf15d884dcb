// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.cairn.CheckpointUnavailableException;
import org.cairn.Checkpoints;
import org.cairn.SavedArray;
import org.cairn.SavedVersion;
import org.cairn.cli.command.Explanations;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Terminal;
import org.cairn.cli.terminal.Text;
import org.cairn.version.VersionId;

/**
 * An array that ranks of a job have together, and how it is divided.
 *
 * @param parts where each lies, and whose it is
 */
record ShownArray(
    String name, String version, String type, List<Long> shape, long bytes, List<Owned> parts) {
  private static final int NAMED = 8;

  /** A part: what it owns, written as NumPy does. */
  record Owned(int rank, String part) {}

  /**
   * Those of the newest version of which every rank is here. A shared directory is left alone: too
   * much of it would have to be read.
   */
  static List<ShownArray> of(JobSurvey survey, List<String> problems) {
    try {
      Path path = survey.inventory().path();
      return SharedPlace.isOne(path) ? List.of() : in(path, survey.life().life().versions());
    } catch (CheckpointUnavailableException e) {
      problems.addAll(e.problems());
    } catch (IOException e) {
      problems.add(Explanations.of(e));
    }
    return List.of();
  }

  private static List<ShownArray> in(Path path, List<VersionId> life) {
    try (Checkpoints saved = Checkpoints.open(path)) {
      return newest(saved, life).map(ShownArray::of).orElse(List.of());
    }
  }

  private static Optional<SavedVersion> newest(Checkpoints saved, List<VersionId> life) {
    return saved.versions().stream()
        .filter(version -> life.contains(version.id()) && version.isComplete())
        .findFirst();
  }

  private static List<ShownArray> of(SavedVersion version) {
    List<ShownArray> all = new ArrayList<>();
    for (SavedArray array : version.arrays()) {
      all.add(
          new ShownArray(
              array.name(),
              version.id().toString(),
              array.type().label(),
              array.shape(),
              array.byteSize(),
              array.parts().stream()
                  .map(one -> new Owned(one.rank(), one.part().toString()))
                  .toList()));
    }
    return all;
  }

  static void print(Terminal terminal, List<ShownArray> arrays) {
    for (ShownArray array : arrays) {
      String head =
          String.format(
              Locale.ROOT,
              "Array %s of version %s: %s%s, %s, in %s",
              Printable.name(array.name),
              array.version,
              array.type,
              Quantities.shape(array.shape),
              Quantities.bytes(array.bytes),
              array.parts.size() == 1 ? "one part" : array.parts.size() + " parts");
      terminal.out().println();
      terminal.out().println(Text.wrap(head, terminal.columns()));
      array.parts.stream()
          .limit(NAMED)
          .forEach(
              one -> terminal.out().printf(Locale.ROOT, "  rank %d  %s%n", one.rank, one.part));
      if (array.parts.size() > NAMED) {
        terminal.out().printf("  … and %d more%n", array.parts.size() - NAMED);
      }
    }
  }
}
