// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.time.Duration;
import java.util.List;
import java.util.function.ToLongFunction;
import org.cairn.CheckpointStats;
import org.cairn.container.Commit;
import org.cairn.version.VersionInfo;

/** What a checkpoint that is durable has cost: for the program, and for the decisions to come. */
final class Figures {
  private final Pipeline pipeline;
  private final Commit commit;
  private final Writing.Published published;

  Figures(Pipeline pipeline, Commit commit, Writing.Published published) {
    this.pipeline = pipeline;
    this.commit = commit;
    this.published = published;
  }

  /** For the program. */
  CheckpointStats describe(
      CostModel.Decision decision, CheckpointRun.Added added, List<Subject> subjects) {
    int crew = pipeline.crew().size();
    VersionInfo version = published.version();
    long total = published.end() - added.startedAt();
    return new CheckpointStats(
        version.id(),
        decision.full(),
        decision.reason(),
        added.protectedBytes(),
        version.blocks(),
        version.dirtyBlocks(),
        commit.movedBlocks(),
        version.bytesWritten(),
        Duration.ofNanos(added.asynchronous() ? added.waitedNanos() : total),
        Duration.ofNanos(total),
        Duration.ofNanos(
            sum(stager -> stager.hashNanos + stager.compareNanos) / crew
                + pipeline.devices().hashNanos()
                + published.hashNanos()),
        Duration.ofNanos(sum(stager -> stager.copyNanos) / crew + pipeline.devices().copyNanos()),
        Duration.ofNanos(published.writeNanos()),
        Duration.ofNanos(published.end() - published.start()),
        subjects.stream().map(Subject::describe).toList());
  }

  private long sum(ToLongFunction<Stager> figure) {
    long total = 0;
    for (int i = 0; i < pipeline.crew().size(); i++) {
      total += figure.applyAsLong(pipeline.stager(i));
    }
    return total;
  }

  /** For the next decision. */
  void teach(CostModel costs, List<Subject> subjects) {
    int crew = pipeline.crew().size();
    costs.observeHashing(
        sum(stager -> stager.hashedBytes), sum(stager -> stager.hashNanos) * 1e-9 / crew);
    costs.observeHashing(published.hashedBytes(), published.hashNanos() * 1e-9 / crew);
    long writing = published.writeNanos() + published.end() - published.start();
    costs.observeWriting(commit.dataBytes(), writing * 1e-9);
    long comparable = published.comparableBlocks() + sum(stager -> stager.comparableBlocks);
    long changed = published.changedBlocks() + sum(stager -> stager.changedBlocks);
    if (comparable > 0) {
      costs.observeDirty((double) changed / comparable);
    }
    subjects.forEach(subject -> subject.teach(crew));
  }
}
