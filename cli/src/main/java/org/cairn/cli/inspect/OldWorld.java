// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Terminal;
import org.cairn.version.VersionId;

/**
 * What other numbers of ranks than the present one have left of a job.
 *
 * @param ranks those numbers
 * @param files how many files that are, those in a shared directory too
 * @param bytes how much they take
 */
record OldWorld(SortedSet<Integer> ranks, int files, long bytes) {

  static Optional<OldWorld> of(JobSurvey survey) {
    LifeEntry life = survey.life();
    List<Inventory.Held> files = life.oldWorld();
    SortedSet<Integer> ranks = new TreeSet<>();
    files.forEach(file -> ranks.add(file.ownership().ranks()));
    SharedPlace.Size size =
        new SharedPlace.Size(
            files.size(), files.stream().mapToLong(Inventory.Held::fileBytes).sum());
    SharedPlace shared = survey.inventory().shared();
    if (shared != null && life.isInNewWorld()) {
      Predicate<VersionId> world = life.life().lineage().world();
      for (Map.Entry<VersionId, SharedPlace.Size> one : shared.files().entrySet()) {
        VersionId version = one.getKey();
        if (life.life().versions().contains(version) && !world.test(version)) {
          ranks.add(version.ranks());
          size = size.plus(one.getValue());
        }
      }
    }
    return size.files() == 0
        ? Optional.empty()
        : Optional.of(new OldWorld(ranks, size.files(), size.bytes()));
  }

  /** In a sentence, with what can be done about it. */
  void print(Terminal terminal) {
    terminal
        .out()
        .printf(
            Locale.ROOT,
            "%nOf another number of ranks (%s): %s in %d files. They stay until this number has as"
                + " many versions, at every tier where that had any; cairn prune --versions"
                + " --leftovers removes them, but for what is kept.%n",
            String.join(", ", ranks.stream().map(String::valueOf).toList()),
            Quantities.bytes(bytes),
            files);
  }
}
