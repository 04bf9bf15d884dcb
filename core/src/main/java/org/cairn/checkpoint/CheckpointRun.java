// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;
import org.cairn.CheckpointStats;
import org.cairn.Codec;
import org.cairn.Dataset;
import org.cairn.container.Commit;
import org.cairn.container.DatasetPlan;
import org.cairn.container.StagedBlocks;
import org.cairn.hash.BlockHasher;
import org.cairn.hash.Hashers;
import org.cairn.hash.SecondOpinion;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;

/**
 * One checkpoint on its way through the {@link Pipeline}.
 *
 * <p>The program's thread calls {@link #add} any number of times, then {@link #finish} or {@link
 * #abort}. What it has added it may change as soon as {@code add} returns. The writer does the
 * rest; {@link #result} says how it ended. A failure anywhere ends in the same place: the commit is
 * aborted and the result carries the reason.
 */
public final class CheckpointRun {
  /** So much must have been written before it is worth a force of its own. */
  private static final long EARLY_FORCE_BYTES = 16 << 20;

  private final Pipeline pipeline;
  private final Commit commit;
  private final CostModel.Decision decision;
  private final boolean asynchronous;
  private final long startedAt;
  private final CompletableFuture<CheckpointStats> result = new CompletableFuture<>();

  /**
   * What the writer gets when {@link #add} is about to return, or when no buffer is left: in an
   * asynchronous checkpoint a writer that starts at once would take a core from the crew, and it is
   * the crew that the program waits for.
   */
  private final Queue<Batch> held = new ConcurrentLinkedQueue<>();

  private volatile boolean holding;

  // Of the program's thread.
  private long waitedNanos;
  private long protectedBytes;

  // Of the writer.
  private long unforcedBytes;
  private @Nullable Future<?> earlyForce;
  private long writeNanos;
  private long writerHashNanos;
  private long writerHashedBytes;
  private long comparableBlocks;
  private long changedBlocks;

  private volatile @Nullable Throwable failure;

  CheckpointRun(
      Pipeline pipeline, Commit commit, CostModel.Decision decision, boolean asynchronous) {
    this.pipeline = pipeline;
    this.commit = commit;
    this.decision = decision;
    this.asynchronous = asynchronous;
    this.startedAt = pipeline.clock().nanos();
    for (int i = 0; i < pipeline.crew().size(); i++) {
      pipeline.stager(i).reset();
    }
  }

  /** Completed when the version is durable, or exceptionally when it will not be. */
  public CompletableFuture<CheckpointStats> result() {
    return result;
  }

  /** Hashes datasets and copies aside what must be written. */
  public void add(List<Dataset.Image> images) {
    long start = pipeline.clock().nanos();
    holding = asynchronous;
    try {
      DatasetPlan[] plans = new DatasetPlan[images.size()];
      MemorySegment[] memory = new MemorySegment[images.size()];
      for (int i = 0; i < plans.length; i++) {
        Dataset.Image image = images.get(i);
        plans[i] = commit.plan(image.spec());
        memory[i] = image.bytes();
        protectedBytes += image.spec().byteLength();
      }
      stage(plans, memory);
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
    }
    stopHolding();
    waitedNanos += pipeline.clock().nanos() - start;
  }

  private void stage(DatasetPlan[] plans, MemorySegment[] memory) throws IOException {
    AtomicInteger next = new AtomicInteger();
    pipeline
        .crew()
        .run(
            worker -> {
              Stager stager = pipeline.stager(worker);
              Tile tile = new Tile(plans, memory);
              while (failure == null && tile.moveTo(next.getAndIncrement())) {
                stage(stager, tile);
              }
            });
  }

  private void stage(Stager stager, Tile tile) {
    Supply.step("tile");
    boolean plain = tile.plan().entry().spec().codec() == Codec.NONE;
    if (decision.full() && asynchronous && plain) {
      stager.stageUndigested(tile, this);
    } else {
      stager.stage(tile, this, decision.full());
    }
  }

  Batch takeBatch() {
    Batch batch = pipeline.pool().poll();
    if (batch == null) {
      stopHolding();
      batch = pipeline.pool().take();
    }
    return batch;
  }

  void giveToWriter(Batch batch) {
    if (holding) {
      held.add(batch);
      if (!holding) {
        stopHolding();
      }
    } else {
      pipeline.writer().execute(() -> write(batch));
    }
  }

  /** Lets the writer have what was held back, and all that follows at once. */
  private void stopHolding() {
    holding = false;
    Batch batch = held.poll();
    while (batch != null) {
      Batch next = batch;
      pipeline.writer().execute(() -> write(next));
      batch = held.poll();
    }
  }

  /** All datasets have been added: lets the writer make the version durable. */
  public void finish() {
    long start = pipeline.clock().nanos();
    flush();
    waitedNanos += pipeline.clock().nanos() - start;
    pipeline.writer().execute(this::complete);
  }

  /** Gives the checkpoint up; returns when it has left no trace. */
  public void abort() {
    fail(new CancellationException("the checkpoint was aborted"));
    flush();
    pipeline.writer().execute(this::complete);
    result.handle((stats, reason) -> stats).join();
  }

  private void flush() {
    for (int i = 0; i < pipeline.crew().size(); i++) {
      pipeline.stager(i).handOver(this);
    }
  }

  private void fail(Throwable reason) {
    if (failure == null) {
      failure = reason;
    }
  }

  // ---------------------------------------------------------------- the writer's part

  private void write(Batch batch) {
    try {
      if (failure == null) {
        for (int i = 0; i < batch.parts(); i++) {
          digest(batch, batch.part(i));
        }
        long start = pipeline.clock().nanos();
        commit.store(batch.blocks(), batch.moved());
        writeNanos += pipeline.clock().nanos() - start;
        unforcedBytes += batch.blocks().used();
        forceEarly();
      }
    } catch (Throwable e) {
      fail(e);
    } finally {
      pipeline.pool().give(batch);
    }
  }

  private void forceEarly() {
    Future<?> before = earlyForce;
    if (unforcedBytes >= EARLY_FORCE_BYTES && (before == null || before.isDone())) {
      unforcedBytes = 0;
      earlyForce = pipeline.forcer().submit(this::force);
    }
  }

  private void force() {
    try {
      commit.forceEarly();
    } catch (Throwable e) {
      fail(e);
    }
  }

  private void awaitEarlyForce() {
    Future<?> last = earlyForce;
    boolean interrupted = false;
    while (last != null) {
      try {
        last.get();
        last = null;
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (ExecutionException e) {
        throw new AssertionError(e);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** What the map will say is computed from what the file will hold, never from live memory. */
  private void digest(Batch batch, Batch.Part part) {
    Supply.step("digest");
    long start = pipeline.clock().nanos();
    DatasetEntry entry = part.plan().entry();
    int lastBlock = part.firstBlock + part.count - 1;
    int blockSize = entry.spec().blockSize();
    long length = (long) (part.count - 1) * blockSize + entry.blockLength(lastBlock);
    StagedBlocks staged = batch.blocks();
    long[] digests = part.digested ? batch.room(part.count) : staged.digests();
    int at = part.digested ? 0 : part.firstIndex;
    BlockHasher hasher = Hashers.of(entry.spec().algorithm());
    hasher.hash(staged.memory(), part.position, length, blockSize, digests, at);
    if (part.digested) {
      requireUnchanged(part, digests, staged);
    } else {
      countChanged(batch, part, digests);
    }
    writerHashNanos += pipeline.clock().nanos() - start;
    writerHashedBytes += length;
  }

  /** A copy that is not what was hashed would be found damaged by whoever restores it. */
  private static void requireUnchanged(Batch.Part part, long[] copies, StagedBlocks staged) {
    DatasetEntry entry = part.plan().entry();
    long[] live = staged.digests();
    for (int i = 0; i < part.count; i++) {
      int word = 2 * (part.firstIndex + i);
      boolean same = copies[2 * i] == live[word] && copies[2 * i + 1] == live[word + 1];
      if (!same
          && !SecondOpinion.isIntact(
              entry.spec().algorithm(),
              staged.memory(),
              part.position + (long) i * entry.spec().blockSize(),
              entry.blockLength(part.firstBlock + i),
              copies[2 * i],
              copies[2 * i + 1],
              live[word],
              live[word + 1])) {
        throw Stager.changed(part.plan(), part.firstBlock + i);
      }
    }
  }

  private void countChanged(Batch batch, Batch.Part part, long[] digests) {
    for (int i = 0; i < part.count; i++) {
      int word = 2 * (part.firstIndex + i);
      int block = part.firstBlock + i;
      if (part.plan().isComparable(block)) {
        comparableBlocks++;
        if (part.plan().isClean(block, digests[word], digests[word + 1])) {
          batch.countMoved();
        } else {
          changedBlocks++;
        }
      }
    }
  }

  private void complete() {
    try {
      long start = pipeline.clock().nanos();
      awaitEarlyForce();
      Throwable reason = failure;
      if (reason != null) {
        commit.abort();
        result.completeExceptionally(reason);
        return;
      }
      VersionInfo info = commit.publish();
      long end = pipeline.clock().nanos();
      CheckpointStats stats = describe(info, start, end);
      learn(end - start);
      result.complete(stats);
    } catch (Throwable e) {
      abortAfter(e);
      result.completeExceptionally(e);
    }
  }

  /** Whatever else goes wrong, the program waits for the result. */
  private void abortAfter(Throwable reason) {
    try {
      commit.abort();
    } catch (Throwable e) {
      if (e != reason) {
        reason.addSuppressed(e);
      }
    }
  }

  private CheckpointStats describe(VersionInfo info, long publishStart, long end) {
    int crew = pipeline.crew().size();
    return new CheckpointStats(
        info.id(),
        decision.full(),
        decision.reason(),
        protectedBytes,
        info.blocks(),
        info.dirtyBlocks(),
        commit.movedBlocks(),
        info.bytesWritten(),
        Duration.ofNanos(asynchronous ? waitedNanos : end - startedAt),
        Duration.ofNanos(end - startedAt),
        Duration.ofNanos(sum(stager -> stager.hashNanos) / crew + writerHashNanos),
        Duration.ofNanos(sum(stager -> stager.copyNanos) / crew),
        Duration.ofNanos(writeNanos),
        Duration.ofNanos(end - publishStart));
  }

  private long sum(ToLongFunction<Stager> figure) {
    long total = 0;
    for (int i = 0; i < pipeline.crew().size(); i++) {
      total += figure.applyAsLong(pipeline.stager(i));
    }
    return total;
  }

  private void learn(long publishNanos) {
    CostModel costs = pipeline.costs();
    int crew = pipeline.crew().size();
    costs.observeHashing(
        sum(stager -> stager.hashedBytes), sum(stager -> stager.hashNanos) * 1e-9 / crew);
    costs.observeHashing(writerHashedBytes, writerHashNanos * 1e-9 / crew);
    costs.observeWriting(commit.dataBytes(), (writeNanos + publishNanos) * 1e-9);
    long comparable = comparableBlocks + sum(stager -> stager.comparableBlocks);
    long changed = changedBlocks + sum(stager -> stager.changedBlocks);
    if (comparable > 0) {
      costs.observeDirty((double) changed / comparable);
    }
  }
}
