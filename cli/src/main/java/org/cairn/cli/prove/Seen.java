// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.prove;

import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import tools.jackson.databind.JsonNode;

/**
 * An event that was seen in a log of the program.
 *
 * @param rank whose log it is
 * @param directory where that rank has its files
 */
record Seen(int rank, Path directory, JsonNode event) {

  String kind() {
    return event.path("event").asString("");
  }

  String version() {
    return event.path("version").asString("");
  }

  boolean is(String kind) {
    return kind().equals(kind);
  }

  /** Whether a state of before was brought back. */
  boolean isRestored() {
    return is("restart") && !version().isEmpty();
  }

  Instant time() {
    try {
      return Instant.parse(event.path("time").asString(""));
    } catch (DateTimeParseException e) {
      return Instant.EPOCH;
    }
  }
}
