// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.cairn.Checkpointer;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.store.Directories;
import org.jspecify.annotations.Nullable;

/** A job whose state tells by itself whether it is right: a function of rank and step. */
final class SmallJob {
  static final Options OPTIONS =
      Options.defaults()
          .flushOnClose(Duration.ZERO) // ranks die here, and others must not wait for them
          .blockSize(256)
          .threads(1)
          .buffer(2 << 20)
          .staging(4 << 20)
          .tiers(Tiers.none().partner(1));

  private final int ranks;
  private final Directories directories;
  IntFunction<Options> options = rank -> OPTIONS;
  UnaryOperator<Communicator> comm = plain -> plain;
  RestartRequest request = RestartRequest.newest();

  /** What each rank was told by its restart, and what it failed with, in the last run. */
  final List<@Nullable RestartReport> reports = new ArrayList<>();

  final List<@Nullable Throwable> failures = new ArrayList<>();

  SmallJob(int ranks, Directories directories) {
    this.ranks = ranks;
    this.directories = directories;
  }

  /** One rank of the job, restarted. */
  record Rank(Communicator comm, Checkpointer cairn, LongCell step, long[] u) {
    int number() {
      return comm.rank();
    }

    /** Goes to a step and changes what belongs to it. */
    void goTo(long next) {
      step.set(next);
      for (int i = 0; i < u.length; i++) {
        u[i] = value(i, number(), next);
      }
    }

    void advance() {
      goTo(step.get() + 1);
    }

    void check() {
      for (int i = 0; i < u.length; i++) {
        if (u[i] != value(i, number(), step.get())) {
          throw new AssertionError(
              "rank %d, step %d: element %d is %d".formatted(number(), step.get(), i, u[i]));
        }
      }
    }

    static long value(int i, int rank, long step) {
      long last = step - Math.floorMod(step - i / 32, 8); // every block changes now and then
      return step == 0 ? 0 : 1_000_003L * i + 1009L * rank + Math.max(last, 1);
    }
  }

  /** What ranks do once they are restored. */
  interface Work {
    void run(Rank rank) throws Exception;
  }

  /** Runs it on all ranks; exceptions are kept for the caller, after all ranks have got theirs. */
  SmallJob run(Work work) {
    reports.clear();
    failures.clear();
    for (int i = 0; i < ranks; i++) {
      reports.add(null);
      failures.add(null);
    }
    CountDownLatch end = new CountDownLatch(ranks);
    Ranks.run(
        ranks,
        rank -> "node" + rank,
        plain -> {
          try {
            live(plain, work);
          } catch (Exception e) {
            failures.set(plain.rank(), e);
          } finally {
            end.countDown();
          }
          // The first to end would take the others with it before they have got their answer.
          end.await(20, TimeUnit.SECONDS);
        });
    return this;
  }

  private void live(Communicator plain, Work work) throws Exception {
    int rank = plain.rank();
    try (Checkpointer cairn =
        Checkpointer.open(directories, comm.apply(plain), options.apply(rank))) {
      long[] u = new long[1000 + 300 * rank];
      LongCell step = cairn.protect("step", 0L);
      cairn.protect("u", u);
      RestartReport report = cairn.restart(request);
      reports.set(rank, report);
      Rank self = new Rank(plain, cairn, step, u);
      self.check();
      work.run(self);
    }
  }

  /** Takes so many steps with a checkpoint each, which all must succeed. */
  SmallJob steps(int count) {
    run(
        rank -> {
          for (int i = 0; i < count; i++) {
            rank.advance();
            rank.cairn().checkpoint().await(TierKind.PARTNER);
          }
        });
    assertThat(failures).containsOnlyNulls();
    return this;
  }

  /** The step that the ranks came back to, all of them. */
  long restoredStep() {
    long[] steps = new long[ranks];
    run(rank -> steps[rank.number()] = rank.step().get());
    assertThat(failures).containsOnlyNulls();
    assertThat(steps).containsOnly(steps[0]);
    return steps[0];
  }

  RestartReport report() {
    RestartReport report = reports.getFirst();
    if (report == null) {
      throw new AssertionError("rank 0 was not restored: " + failures);
    }
    return report;
  }
}
