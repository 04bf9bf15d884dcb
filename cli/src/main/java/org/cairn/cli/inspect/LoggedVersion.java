// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.util.Comparator;
import org.cairn.VersionName;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A version as an event log names it: within a life its numbers are enough. */
record LoggedVersion(long epoch, long sequence) implements Comparable<LoggedVersion> {
  private static final Comparator<LoggedVersion> ORDER =
      Comparator.comparingLong(LoggedVersion::epoch).thenComparingLong(LoggedVersion::sequence);

  static LoggedVersion of(VersionId id) {
    return new LoggedVersion(id.epoch(), id.sequence());
  }

  /** The version that an event is about; null if there is none. */
  static @Nullable LoggedVersion of(JsonNode event) {
    try {
      VersionName name = VersionName.parse(event.path("version").asString(""));
      return new LoggedVersion(name.epoch(), name.sequence());
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
