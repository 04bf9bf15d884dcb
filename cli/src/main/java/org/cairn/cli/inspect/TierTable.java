// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.util.ArrayList;
import java.util.List;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;

/** What every tier has of every rank, for people. */
final class TierTable {

  private TierTable() {}

  static Table of(List<JobSurvey.Tier> tiers) {
    Table table =
        new Table(
            "rank",
            "tier",
            "newest",
            "behind",
            ">size",
            ">transfers",
            ">transferred",
            ">average",
            ">failed",
            ">skipped",
            "where");
    int rank = -1;
    for (JobSurvey.Tier tier : tiers) {
      table.row(
          tier.rank() == rank ? "" : Integer.toString(tier.rank()),
          tier.tier(),
          newest(tier),
          behind(tier),
          tier.file() == null ? "-" : Quantities.bytes(tier.fileBytes()),
          Quantities.count(tier.transfers()),
          Quantities.bytes(tier.transferredBytes()),
          tier.transfers() == 0
              ? "-"
              : Quantities.seconds(tier.transferSeconds() / tier.transfers()),
          Quantities.count(tier.failed()),
          Quantities.count(tier.skipped()),
          where(tier));
      rank = tier.rank();
    }
    return table;
  }

  private static String newest(JobSurvey.Tier tier) {
    String newest = tier.newest() == null ? "none" : tier.newest();
    return tier.underWay() == null ? newest : newest + " (" + tier.underWay() + " under way)";
  }

  private static String behind(JobSurvey.Tier tier) {
    if (tier.lagVersions() == 0) {
      return "-";
    }
    String versions =
        tier.lagVersions() == 1 ? "1 version" : Quantities.count(tier.lagVersions()) + " versions";
    return tier.lagSeconds() == null
        ? versions
        : versions + ", " + Quantities.seconds(tier.lagSeconds());
  }

  private static String where(JobSurvey.Tier tier) {
    if (tier.file() != null) {
      return Printable.oneLine(tier.file());
    }
    return tier.tier().equals("shared") ? "-" : "missing";
  }

  /** How each rank made the last version small, where the tier told. */
  static List<String> remarks(List<JobSurvey.Tier> tiers) {
    List<String> remarks = new ArrayList<>();
    for (JobSurvey.Tier tier : tiers) {
      if (tier.lastRemark() != null) {
        remarks.add("rank %d, %s, %s".formatted(tier.rank(), tier.tier(), tier.lastRemark()));
      }
    }
    return remarks;
  }

  /** What went wrong last, for each rank and tier. */
  static List<String> failures(List<JobSurvey.Tier> tiers) {
    List<String> failures = new ArrayList<>();
    for (JobSurvey.Tier tier : tiers) {
      if (tier.lastFailure() != null) {
        failures.add("rank %d, %s, %s".formatted(tier.rank(), tier.tier(), tier.lastFailure()));
      }
    }
    return failures;
  }
}
