// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.cairn.VersionName;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * What a person wants to do without.
 *
 * @param keep how many versions of each life stay
 * @param since lives that have no version taken since then are old, too; null for none
 * @param job the one life that all this is about; null for all
 * @param released which of the versions that are kept for ever may go after all; null for all
 */
record PruneRules(
    int keep, @Nullable Instant since, @Nullable LifeEntry job, @Nullable VersionName released) {

  boolean concerns(LifeEntry life) {
    return job == null || job == life;
  }

  boolean isForAll() {
    return job == null;
  }

  /** Whether a life is past, or was not written to since. */
  boolean isOld(LifeEntry life) {
    if (life.state() == LifeEntry.State.PAST) {
      return true;
    }
    Instant limit = since;
    if (limit == null) {
      return false;
    }
    Instant last = life.taken();
    return (last == null ? life.life().lineage().run().began() : last).isBefore(limit);
  }

  /** Whether a person means this version, of those that are kept for ever. */
  boolean isReleased(VersionId version) {
    return released == null || released.fits(version);
  }

  /** What other lives that stay consist of. */
  Set<VersionId> versionsOfOthers(Inventory all, LifeEntry life) {
    Set<VersionId> kept = new TreeSet<>();
    for (LifeEntry other : all.lives()) {
      if (other != life && !(concerns(other) && isOld(other))) {
        kept.addAll(other.life().versions());
      }
    }
    return kept;
  }

  /**
   * The versions of a life that are older than the newest few.
   *
   * @param restorable those that can be restored, newest first: only these count
   */
  List<VersionId> beyond(LifeEntry life, List<VersionId> restorable) {
    if (restorable.size() < keep) {
      return List.of();
    }
    VersionId oldest = restorable.get(keep - 1);
    return life.life().versions().stream().filter(id -> id.compareTo(oldest) < 0).toList();
  }
}
