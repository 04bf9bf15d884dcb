// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.version.JobId;
import org.cairn.version.Lineage;
import org.cairn.version.Lives;
import org.cairn.version.RunId;
import org.cairn.version.RunInfo;

/**
 * What is drawn when a run begins, the same on all ranks, and the lineages that can be made of it.
 *
 * @param job the identity of a job, should one begin
 * @param ranks how many the run has
 */
record Draw(JobId job, RunId run, Instant began, int ranks) {
  /** Rank 0 draws, for all; collective. */
  static Draw byFirst(ThisRank me) throws IOException {
    RecordWriter mine = RecordWriter.onHeap();
    if (me.number() == 0) {
      for (int i = 0; i < 3; i++) {
        mine.putLong(me.setup().random().getAsLong());
      }
      mine.putLong(me.clock().now().toEpochMilli());
    }
    RecordReader drawn = RecordReader.of(me.comm().announce(mine.toArray(), 0), "rank 0");
    return new Draw(
        new JobId(drawn.getLong(), drawn.getLong()),
        new RunId(drawn.getLong()),
        Instant.ofEpochMilli(drawn.getLong()),
        me.size());
  }

  /**
   * The run that goes on with a version of a life.
   *
   * @param chosen whether a person chose it
   */
  Lineage successor(Lives lives, Choice.Restore choice, boolean chosen) {
    Lineage before = choice.life().lineage();
    RunInfo info =
        RunInfo.of(
                run,
                began,
                ranks,
                Optional.of(choice.version()),
                chosen || lives.isPendingChoice(before.run().id()),
                lives.leftBehindBy(Optional.of(choice.version())),
                Optional.of(before.run().id()))
            .leavingFiles(lives.leftFilesBy(List.of()));
    return before.continuedBy(info, lives.family(before.job()));
  }

  /**
   * The first run of a job.
   *
   * @param name of the job
   * @param chosen whether a person wants it, whatever was found
   * @param left marks of files that it leaves behind
   */
  Lineage beginning(Lives lives, String name, boolean chosen, List<Digest> left) {
    return Lineage.beginning(job, name, fromNothing(lives, Optional.empty(), chosen, left));
  }

  /** The run with which a job begins again that never completed a checkpoint. */
  Lineage again(Lives lives, Lineage before) {
    boolean chosen = lives.isPendingChoice(before.run().id());
    RunInfo info = fromNothing(lives, Optional.of(before.run().id()), chosen, List.of());
    return before.continuedBy(info, lives.family(before.job()));
  }

  private RunInfo fromNothing(
      Lives lives, Optional<RunId> before, boolean chosen, List<Digest> left) {
    return RunInfo.of(
            run,
            began,
            ranks,
            Optional.empty(),
            chosen,
            lives.leftBehindBy(Optional.empty()),
            before)
        .leavingFiles(lives.leftFilesBy(left));
  }
}
