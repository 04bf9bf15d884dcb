// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.version.VersionInfo;

/** A version as {@code --json} prints it. */
record VersionSummary(
    String version,
    int ranks,
    String takenAt,
    long protectedBytes,
    long blocks,
    long dirtyBlocks,
    long bytesWritten,
    String digest,
    Labels said) {
  private static final DateTimeFormatter LOCAL =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT)
          .withZone(ZoneId.systemDefault());

  static VersionSummary of(VersionInfo info) {
    return new VersionSummary(
        info.id().toString(),
        info.id().ranks(),
        info.takenAt().toString(),
        info.protectedBytes(),
        info.blocks(),
        info.dirtyBlocks(),
        info.bytesWritten(),
        "%016x%016x".formatted(info.digestHigh(), info.digestLow()),
        Labels.of(info.label()));
  }

  static Table table(List<VersionSummary> versions) {
    Table table =
        new Table(
            "version", "taken", ">protected", ">dirty blocks", ">share", ">written", "digest");
    for (VersionSummary version : versions) {
      table.row(
          version.version,
          localTime(Instant.parse(version.takenAt)),
          Quantities.bytes(version.protectedBytes),
          Quantities.count(version.dirtyBlocks) + " of " + Quantities.count(version.blocks),
          Quantities.percent(version.dirtyBlocks, version.blocks),
          Quantities.bytes(version.bytesWritten),
          version.digest.substring(0, 12));
    }
    return table;
  }

  /** A time that a damaged or hostile file may have made up. */
  static String localTime(Instant time) {
    return LOCAL.format(time);
  }
}
