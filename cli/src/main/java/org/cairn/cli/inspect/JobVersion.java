// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;

/**
 * A version of a job, over all its ranks, as {@code --json} prints it.
 *
 * @param version its number
 * @param exact its number and run
 * @param ranks how many ranks the job had
 * @param takenAt when it was taken
 * @param protectedBytes the state of all ranks that it is here of
 * @param state {@code complete} if every rank has it in its own container; {@code restorable} if
 *     partners or parity make up for what is missing; else {@code incomplete}
 * @param local the ranks that have it
 * @param partner the ranks of which another one holds a copy
 * @param erasure the ranks that hold parity of it
 * @param shared the ranks whose state the shared directory has, where it was looked at
 * @param lost the ranks whose state cannot be had from what is here
 * @param said what was said of it when it was taken
 */
record JobVersion(
    String version,
    String exact,
    int ranks,
    String takenAt,
    long protectedBytes,
    String state,
    Set<Integer> local,
    Set<Integer> partner,
    Set<Integer> erasure,
    Set<Integer> shared,
    Set<Integer> lost,
    Labels said) {

  static Table table(List<JobVersion> versions) {
    // Where a job went on with another number of ranks, people see which version is whose.
    boolean changed = versions.stream().mapToInt(JobVersion::ranks).distinct().count() > 1;
    List<String> head = new ArrayList<>(List.of("version"));
    if (changed) {
      head.add(">ranks");
    }
    head.addAll(List.of("taken", ">protected", "state", "local", "partner", "erasure", "shared"));
    Table table = new Table(head.toArray(String[]::new));
    for (JobVersion version : versions) {
      List<String> row = new ArrayList<>(List.of(version.version));
      if (changed) {
        row.add(Integer.toString(version.ranks));
      }
      row.addAll(version.cells());
      table.row(row.toArray(String[]::new));
    }
    return table;
  }

  private List<String> cells() {
    return List.of(
        VersionSummary.localTime(Instant.parse(takenAt)),
        Quantities.bytes(protectedBytes),
        lost.isEmpty() ? state : state + ", lacks " + ranks(lost),
        share(local),
        share(partner),
        share(erasure),
        share(shared));
  }

  private String share(Set<Integer> holders) {
    return holders.isEmpty()
        ? "-"
        : holders.size() == ranks ? "all" : holders.size() + " of " + ranks;
  }

  /** Numbers of ranks as people write them: {@code rank 3}, {@code ranks 0-2, 7}. */
  static String ranks(Set<Integer> ranks) {
    BlockRanges ranges = new BlockRanges();
    new ArrayList<>(ranks).stream().sorted().forEach(ranges::add);
    return (ranks.size() == 1 ? "rank " : "ranks ") + ranges.text(Integer.MAX_VALUE);
  }

  static String ranks(List<Integer> ranks) {
    return ranks(ranks.stream().collect(Collectors.toSet()));
  }
}
