// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.util.Comparator;
import org.cairn.version.VersionId;
import org.cairn.version.VersionName;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A version as an event log names it.
 *
 * @param run the digits of the run; empty in an event from before it was known
 */
record LoggedVersion(long epoch, long sequence, String run) implements Comparable<LoggedVersion> {
  private static final Comparator<LoggedVersion> ORDER =
      Comparator.comparingLong(LoggedVersion::epoch)
          .thenComparingLong(LoggedVersion::sequence)
          .thenComparing(LoggedVersion::run);

  static LoggedVersion of(VersionId id) {
    return new LoggedVersion(id.epoch(), id.sequence(), id.run().toString());
  }

  /** The version that an event is about; null if there is none. */
  static @Nullable LoggedVersion of(JsonNode event) {
    try {
      VersionName name = VersionName.parse(event.path("version").asString(""));
      return new LoggedVersion(name.epoch(), name.sequence(), event.path("run").asString(""));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  @Override
  public int compareTo(LoggedVersion other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return epoch + "." + sequence;
  }
}
