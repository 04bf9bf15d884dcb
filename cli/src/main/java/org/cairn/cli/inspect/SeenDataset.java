// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What a checkpoint saw of a dataset, as the event log of its rank tells: how much the program had
 * written to, how much was hashed, and how much had changed.
 *
 * @param written null where pages were not tracked
 */
record SeenDataset(
    String name, long bytes, @Nullable Long written, long hashed, long changed, String tracking) {

  /** Of a version; nothing where the log does not tell. */
  static List<SeenDataset> of(Path directory, String job, VersionId version) throws IOException {
    LoggedVersion wanted = LoggedVersion.of(version);
    List<SeenDataset> seen = new ArrayList<>();
    RankEvents.forEach(
        directory,
        job,
        event -> {
          if (isOf(event, wanted)) {
            seen.clear();
            event.path("datasets").forEach(dataset -> seen.add(of(dataset)));
          }
        });
    return seen;
  }

  private static boolean isOf(JsonNode event, LoggedVersion wanted) {
    return event.path("event").asString("").equals("checkpoint")
        && wanted.equals(LoggedVersion.of(event));
  }

  private static SeenDataset of(JsonNode dataset) {
    return new SeenDataset(
        dataset.path("name").asString(""),
        dataset.path("bytes").asLong(0),
        dataset.has("written") ? dataset.path("written").asLong(0) : null,
        dataset.path("hashed").asLong(0),
        dataset.path("changed").asLong(0),
        dataset.path("tracking").asString(""));
  }

  static Table table(List<SeenDataset> all) {
    Table table = new Table("dataset", ">size", ">written", ">hashed", ">changed", "tracking");
    for (SeenDataset seen : all) {
      table.row(
          Printable.name(seen.name),
          Quantities.bytes(seen.bytes),
          seen.written == null ? "-" : Quantities.bytes(seen.written),
          Quantities.bytes(seen.hashed),
          Quantities.bytes(seen.changed),
          Printable.oneLine(seen.tracking));
    }
    return table;
  }
}
