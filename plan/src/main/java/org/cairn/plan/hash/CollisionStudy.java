// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;
import org.cairn.plan.Checks;

/**
 * Algorithm 1 of the paper on differential checkpoints, with more hashes, more changes, and
 * intervals: blocks are filled, changed and compared by their digests alone.
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>Counts depend on the plan alone. Seeds of batches are drawn in their order, and whether
 *       rates are known well enough is asked after numbers of batches that no thread decides.
 *   <li>Other sizes of blocks, hashes or changes in the plan do not change the data that a size is
 *       tried with.
 * </ol>
 */
public final class CollisionStudy {
  /** Batches before anybody asks how well rates are known. */
  private static final long FIRST_ROUND = 64;

  private final StudyPlan plan;
  private final ExecutorService pool;
  private final int threads;
  private final LongConsumer progress;
  private long bytesDone;

  private CollisionStudy(StudyPlan plan, ExecutorService pool, int threads, LongConsumer progress) {
    this.plan = plan;
    this.pool = pool;
    this.threads = threads;
    this.progress = progress;
  }

  /**
   * Studies all of it.
   *
   * @param progress is told how many bytes of blocks were tried, of {@link #bytes} at most
   * @throws CancellationException if the calling thread is interrupted; its flag is set again
   */
  public static List<Outcome> run(StudyPlan plan, int threads, LongConsumer progress) {
    Checks.some(threads, "the number of threads");
    var factory = Thread.ofPlatform().name("study-", 0).daemon().factory();
    try (ExecutorService pool = Executors.newFixedThreadPool(threads, factory)) {
      try {
        return new CollisionStudy(plan, pool, threads, progress).run();
      } finally {
        pool.shutdownNow();
      }
    }
  }

  /** How many bytes of blocks a plan tries if no width ends it. */
  public static long bytes(StudyPlan plan) {
    return plan.blocks().stream().mapToLong(block -> block * plan.iterations()).sum();
  }

  private List<Outcome> run() {
    List<Outcome> outcomes = new ArrayList<>();
    for (int block : plan.blocks()) {
      Sampler.Tally tally = study(block);
      for (int hash = 0; hash < plan.hashes().size(); hash++) {
        for (int change = 0; change < plan.changes().size(); change++) {
          outcomes.add(outcome(hash, change, block, tally));
        }
      }
    }
    return outcomes;
  }

  private Outcome outcome(int hash, int change, int block, Sampler.Tally tally) {
    StudiedHash studied = plan.hashes().get(hash);
    Change made = plan.changes().get(change);
    return new Outcome(
        studied, made, block, tally.of(change, hash), Expectation.of(studied, made, block));
  }

  private Sampler.Tally study(int block) {
    Sampler.Tally tally = new Sampler.Tally(plan.changes().size(), plan.hashes().size());
    Batches batches = new Batches(plan, block);
    long round = FIRST_ROUND;
    while (!batches.isDone() && !isKnown(tally)) {
      batches.allow(round);
      await(block, batches).forEach(tally::add);
      round = Math.max(FIRST_ROUND, batches.taken / 4);
    }
    return tally;
  }

  /** Whether every rate that was seen at all is known as well as was asked for. */
  private boolean isKnown(Sampler.Tally tally) {
    boolean seen = false;
    for (int change = 0; change < plan.changes().size(); change++) {
      for (int hash = 0; hash < plan.hashes().size(); hash++) {
        Proportion missed = tally.of(change, hash);
        if (missed.hits() > 0 && missed.relativeWidth() > plan.width()) {
          return false;
        }
        seen |= missed.hits() > 0;
      }
    }
    return seen && plan.width() > 0;
  }

  private List<Sampler.Tally> await(int block, Batches batches) {
    List<Callable<Sampler.Tally>> workers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      workers.add(() -> work(block, batches));
    }
    try {
      List<Sampler.Tally> tallies = new ArrayList<>();
      for (Future<Sampler.Tally> worker : pool.invokeAll(workers)) {
        tallies.add(worker.get());
      }
      return tallies;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      var cancelled = new CancellationException("the study was interrupted");
      cancelled.initCause(e);
      throw cancelled;
    } catch (ExecutionException e) {
      throw new IllegalStateException("the study failed: " + e.getCause(), e);
    }
  }

  private Sampler.Tally work(int block, Batches batches) {
    Sampler sampler = new Sampler(plan, block);
    for (Batch batch = batches.take(); batch.blocks > 0; batch = batches.take()) {
      sampler.run(batch.blocks, batch.seed);
      report((long) batch.blocks * block);
      if (Thread.currentThread().isInterrupted()) {
        break;
      }
    }
    return sampler.tally();
  }

  private synchronized void report(long bytes) {
    bytesDone += bytes;
    progress.accept(bytesDone);
  }

  /** So many blocks from a seed; none where there are no more for now. */
  private record Batch(int blocks, long seed) {}

  /** Batches of one size of blocks, in the order of their seeds. */
  private static final class Batches {
    private final SplittableRandom seeds;
    private final int blocks;
    private long left;
    private long taken;
    private long allowed;

    Batches(StudyPlan plan, int block) {
      // Not the seed itself: sizes would share their data with those of the next seed.
      seeds = new SplittableRandom(new SplittableRandom(plan.seed()).nextLong() + block);
      blocks = Sampler.blocks(block);
      left = plan.iterations();
    }

    synchronized boolean isDone() {
      return left == 0;
    }

    synchronized void allow(long more) {
      allowed = taken + more;
    }

    synchronized Batch take() {
      if (left == 0 || taken == allowed) {
        return new Batch(0, 0);
      }
      int size = (int) Math.min(blocks, left);
      left -= size;
      taken++;
      return new Batch(size, seeds.nextLong());
    }
  }
}
