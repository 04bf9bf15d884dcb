// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.cairn.CheckpointUnavailableException;
import org.cairn.record.Digest;
import org.cairn.tier.Fragment;
import org.cairn.version.Lineage;
import org.cairn.version.RunInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How a job begins from nothing: the first time, again, or because a person wants it so. */
final class Beginning {
  private static final Logger LOG = LoggerFactory.getLogger(Job.class);

  private final ThisRank me;
  private final NewContainer container;

  Beginning(ThisRank me, OwnContainer own, JobTiers tiers) {
    this.me = me;
    this.container = new NewContainer(me, own, tiers.retention());
  }

  /** Nothing was ever saved here; collective. */
  Start first(FragmentTable table) throws IOException {
    return begin(table, false, List.of());
  }

  /** A job that never completed a checkpoint has lost nothing; collective. */
  Start again(FragmentTable table, Lineage before) throws IOException {
    Lineage lineage = Draw.byFirst(me).again(table.lives(), before);
    if (me.number() == 0) {
      LOG.info(
          "job {} never completed a checkpoint and begins again; nothing is lost", lineage.brief());
    }
    return container.recreate(lineage, table);
  }

  /**
   * What another number of ranks saved goes on, in files of its own: those that it was restored
   * from are not touched; collective.
   */
  Start world(FragmentTable table, Lineage lineage) throws IOException {
    return container.createWorld(lineage, table);
  }

  /** Leaves behind all that was found; collective. */
  Start anew(FragmentTable table) throws IOException {
    return begin(table, true, marks(table));
  }

  private Start begin(FragmentTable table, boolean chosen, List<Digest> left) throws IOException {
    Lineage lineage = Draw.byFirst(me).beginning(table.lives(), me.name(), chosen, left);
    return container.create(lineage, table);
  }

  /**
   * Says what is left behind if the job begins anew, and refuses if that is too much.
   *
   * @return the lines, for a report
   */
  List<String> warn(FragmentTable table, String why) throws CheckpointUnavailableException {
    int files = marks(table).size();
    if (files > RunInfo.MAX_LEFT_FILES) {
      throw new CheckpointUnavailableException(
          "there are %d files of another release or machine in %s, and a run can leave %d behind; move them away"
              .formatted(files, me.everywhere(), RunInfo.MAX_LEFT_FILES),
          table.answers(List.of()));
    }
    List<String> lost = new ArrayList<>();
    lost.add("BEGINS ANEW: " + why);
    table.lives().current().forEach(life -> lost.add("left behind: job " + life.id()));
    lost.addAll(table.answers(List.of()));
    if (me.number() == 0) {
      lost.forEach(line -> LOG.warn("{}", line));
    }
    return lost;
  }

  private static List<Digest> marks(FragmentTable table) {
    return table.foreignReleases().stream()
        .map(Fragment::mark)
        .filter(mark -> !mark.equals(Digest.NONE))
        .distinct()
        .toList();
  }
}
