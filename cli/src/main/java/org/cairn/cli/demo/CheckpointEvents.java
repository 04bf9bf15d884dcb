// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.cairn.cli.inspect.RankEvents;
import tools.jackson.databind.JsonNode;

/** What the event log of a directory tells of its checkpoints. */
final class CheckpointEvents {

  private CheckpointEvents() {}

  /** A checkpoint that became durable. */
  record Taken(
      String version,
      boolean full,
      long dirtyBlocks,
      long blocks,
      long bytesWritten,
      double waitedSeconds,
      double durableSeconds) {

    static Taken of(JsonNode event) {
      return new Taken(
          event.path("version").asString(""),
          event.path("full").asBoolean(false),
          event.path("dirtyBlocks").asLong(0),
          event.path("blocks").asLong(0),
          event.path("bytesWritten").asLong(0),
          event.path("waitedSeconds").asDouble(0),
          event.path("durableSeconds").asDouble(0));
    }
  }

  /** The checkpoints in the order in which they became durable. */
  static List<Taken> read(Path directory) throws IOException {
    List<Taken> taken = new ArrayList<>();
    RankEvents.forEach(
        directory,
        event -> {
          if (event.path("event").asString("").equals("checkpoint")) {
            taken.add(Taken.of(event));
          }
        });
    return taken;
  }
}
