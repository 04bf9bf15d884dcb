// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.cairn.CheckpointStats;
import org.cairn.Codec;
import org.cairn.Dataset;
import org.cairn.container.Commit;
import org.cairn.container.DatasetPlan;
import org.cairn.device.DeviceMemory;
import org.cairn.division.Division;
import org.cairn.supply.Supply;
import org.cairn.track.Trackers;
import org.cairn.version.DatasetSpec;
import org.cairn.work.Thaw;

/**
 * One checkpoint on its way through the {@link Pipeline}.
 *
 * <p>The program's thread calls {@link #add} any number of times, then {@link #finish} or {@link
 * #abort}. What it has added it may change as soon as {@code add} returns. The writer does the
 * rest; {@link #result} says how it ended. A failure anywhere ends in the same place: the commit is
 * aborted and the result carries the reason.
 */
public final class CheckpointRun {
  private final Pipeline pipeline;
  private final Commit commit;
  private final CostModel.Decision decision;
  private final boolean asynchronous;
  private final Gate gate;

  /** Of what is to be the same everywhere; changes only between two calls of {@link #add}. */
  private final Map<DatasetPlan, BlockDigests> compared = new IdentityHashMap<>();

  /** All that was added, for whoever knows its plan. */
  private final Map<DatasetPlan, Subject> subjects = new ConcurrentHashMap<>();

  /** The same, in the order in which it was. */
  private final List<Subject> added = new ArrayList<>();

  /** Whether also what was not written is hashed, to see that it was not. */
  private final boolean verifies;

  private final long startedAt;
  private final FirstFailure failure = new FirstFailure();
  private final Writing writing;
  private final CompletableFuture<CheckpointStats> result = new CompletableFuture<>();

  /**
   * What the writer gets when {@link #add} is about to return, or when no buffer is left: in an
   * asynchronous checkpoint a writer that starts at once would take a core from the crew, and it is
   * the crew that the program waits for.
   */
  private final Queue<Batch> held = new ConcurrentLinkedQueue<>();

  private volatile boolean holding;

  /** How many buffers the writer has, or is going to. */
  private final AtomicInteger atWriter = new AtomicInteger();

  /** Made before memory may have run out: without it nobody would learn how it ended. */
  private final Runnable completion = this::complete;

  private final Runnable givingUp = this::giveUp;
  private final Runnable awaitingEnd = this::awaitEnd;

  // Of the program's thread, until it lets the writer complete.
  private long waitedNanos;
  private long protectedBytes;

  /** What the program's thread knows of a checkpoint when it has done its part. */
  record Added(long startedAt, long waitedNanos, long protectedBytes, boolean asynchronous) {}

  CheckpointRun(
      Pipeline pipeline,
      Commit commit,
      CostModel.Decision decision,
      boolean asynchronous,
      Gate gate) {
    this.gate = gate;
    this.pipeline = pipeline;
    this.commit = commit;
    this.decision = decision;
    this.asynchronous = asynchronous;
    this.startedAt = pipeline.clock().nanos();
    pipeline.trackers().begin();
    this.verifies = pipeline.trackers().verifies();
    this.writing = new Writing(pipeline, commit, failure, this::changed);
    pipeline.pool().next();
    for (int i = 0; i < pipeline.crew().size(); i++) {
      pipeline.stager(i).reset();
    }
    pipeline.devices().reset();
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
      List<Subject> here = new ArrayList<>();
      Map<Subject, DeviceMemory> onDevices = new LinkedHashMap<>();
      for (Dataset.Image image : images) {
        Subject subject = subject(image);
        protectedBytes += image.spec().byteLength();
        Optional<DeviceMemory> device = image.dataset().device();
        if (device.isPresent()) {
          onDevices.put(subject, device.get());
        } else if (!stageOffloaded(subject)) {
          here.add(subject);
        }
      }
      stage(here.toArray(Subject[]::new));
      onDevices.forEach(this::stage);
    } catch (IOException | RuntimeException | Error e) {
      failure.fail(e);
    }
    stopHolding();
    waitedNanos += pipeline.clock().nanos() - start;
  }

  private Subject subject(Dataset.Image image) {
    DatasetPlan plan = commit.plan(image.spec());
    compareIfNeeded(plan);
    Trackers.Seen seen =
        pipeline.trackers().look(image.dataset(), image.bytes(), commit.base(), commit.id());
    // To compare what is the same everywhere, all digests are needed.
    boolean believed = !compared.containsKey(plan);
    Subject subject = new Subject(image.dataset(), plan, image.bytes(), seen, believed);
    subjects.put(plan, subject);
    added.add(subject);
    return subject;
  }

  private void stage(Subject[] added) throws IOException {
    if (added.length == 0) {
      return; // all are on devices: the crew is not to be woken for nothing
    }
    AtomicInteger next = new AtomicInteger();
    int tiles = new Tile(added).count();
    Thaw.run(
        pipeline.crew(),
        () -> failure.isNone() && next.get() < tiles,
        (worker, goOn) -> {
          Stager stager = pipeline.stager(worker);
          Tile tile = new Tile(added);
          while (goOn.getAsBoolean() && failure.isNone() && tile.moveTo(next.getAndIncrement())) {
            stage(stager, tile);
            stager.feedWriter(this);
            Thaw.worked(Tile.BYTES);
          }
        });
    moveEarly(added);
  }

  /**
   * Where the file is too long, what lies at its end is moved whenever anything changes; a block
   * that comes before the first that has changed would never be.
   */
  private void moveEarly(Subject[] added) {
    List<Stager.Early> early = new ArrayList<>();
    for (int i = 0; i < pipeline.crew().size(); i++) {
      early.addAll(pipeline.stager(i).takeEarly());
    }
    if (early.isEmpty()) {
      return;
    }
    early.sort(Comparator.comparingInt(Stager.Early::tile).thenComparingInt(Stager.Early::block));
    Tile tile = new Tile(added);
    for (Stager.Early one : early) {
      if (failure.isNone() && tile.moveTo(one.tile())) {
        pipeline.stager(0).stageEarly(tile, one.block(), this);
      }
    }
  }

  /** Whether a device has computed the digests, and all is staged. */
  private boolean stageOffloaded(Subject subject) throws IOException {
    if (decision.full() && asynchronous || subject.isTracked()) {
      return false; // the writer hashes; or only a part has to be hashed
    }
    DatasetPlan plan = subject.plan();
    long start = Supply.nanos();
    Optional<long[]> digests = pipeline.offload().hash(plan.entry(), subject.memory());
    if (digests.isPresent()) {
      long nanos = Supply.nanos() - start;
      hashed(plan, 0, plan.entry().blocks(), digests.get());
      pipeline.devices().countHashing(nanos);
      subject.countHashed(plan.entry().spec().byteLength(), nanos * pipeline.crew().size());
      stageHashed(subject, digests.get());
    }
    return digests.isPresent();
  }

  private void stageHashed(Subject subject, long[] digests) throws IOException {
    AtomicInteger next = new AtomicInteger();
    pipeline
        .crew()
        .run(
            worker -> {
              Stager stager = pipeline.stager(worker);
              Tile tile = new Tile(new Subject[] {subject});
              while (failure.isNone() && tile.moveTo(next.getAndIncrement())) {
                stager.stageHashed(tile, digests, this, decision.full());
              }
            });
  }

  private void stage(Subject subject, DeviceMemory memory) {
    if (failure.isNone()) {
      pipeline.devices().stage(subject, memory, this, decision.full(), asynchronous);
    }
  }

  /** The writer has found that a block changed, which nobody had looked at before. */
  private void changed(DatasetPlan plan, int block) {
    Subject subject = subjects.get(plan);
    if (subject != null) {
      subject.countChanged(plan.entry().blockLength(block));
    }
  }

  private void compareIfNeeded(DatasetPlan plan) {
    DatasetSpec spec = plan.entry().spec();
    if (gate.isClosed() && spec.division() instanceof Division.Everywhere) {
      compared.put(plan, new BlockDigests(spec.name(), plan.entry().blocks()));
    }
  }

  /** Blocks were hashed; called by many threads. */
  void hashed(DatasetPlan plan, int first, int count, long[] digests) {
    BlockDigests noted = compared.get(plan);
    if (noted != null) {
      noted.note(first, count, digests);
    }
  }

  /** Whether there is still something to be won. */
  boolean goesOn() {
    return failure.isNone();
  }

  /** Whether the writer compares copies with what was hashed, and not who has made them. */
  boolean isWriterToCompare() {
    return asynchronous || atWriter.get() == 0;
  }

  /** Whether the writer waits for something to do, and is to have it at once. */
  boolean isWriterIdle() {
    return !asynchronous && atWriter.get() == 0;
  }

  /** It cannot end well any more. */
  void fail(Throwable reason) {
    failure.fail(reason);
  }

  /** That a block changed on pages which nobody wrote to, as the kernel says. */
  IllegalStateException writtenUnseen(DatasetPlan plan, int block) {
    String what =
        "block %d of dataset \"%s\" changed, and no write to its pages was seen: something writes past the page tables (a network card or GPU, a second mapping of the same memory, io_uring), or memory is faulty; call Checkpointer.mark after such writes, or choose Tracking.OFF"
            .formatted(block, plan.entry().name());
    pipeline.trackers().distrust(what);
    return new IllegalStateException(what);
  }

  private void stage(Stager stager, Tile tile) {
    Supply.step("tile");
    boolean plain = tile.plan().entry().spec().codec() == Codec.NONE;
    boolean unseen = plain && !compared.containsKey(tile.plan());
    if (decision.full() && asynchronous && unseen) {
      stager.stageUndigested(tile, this);
    } else {
      stager.stage(tile, this, decision.full(), verifies);
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
      hold(batch);
      if (!holding) {
        stopHolding();
      }
    } else {
      hand(batch);
    }
  }

  private void hold(Batch batch) {
    try {
      held.add(batch);
    } catch (OutOfMemoryError e) {
      giveUp(batch, e);
    }
  }

  private void hand(Batch batch) {
    atWriter.incrementAndGet();
    try {
      pipeline.writer().execute(() -> writeInTurn(batch));
    } catch (OutOfMemoryError e) {
      atWriter.decrementAndGet();
      giveUp(batch, e);
    }
  }

  /** It cannot be written; who waits for a buffer must have it nevertheless. */
  private void giveUp(Batch batch, OutOfMemoryError reason) {
    failure.fail(reason);
    batch.clear();
    pipeline.pool().give(batch);
  }

  /** Lets the writer have what was held back, and all that follows at once. */
  private void stopHolding() {
    holding = false;
    Batch batch = held.poll();
    while (batch != null) {
      hand(batch);
      batch = held.poll();
    }
  }

  /** All datasets have been added: lets the writer make the version durable. */
  public void finish() {
    long start = pipeline.clock().nanos();
    flush();
    pipeline.devices().writeGathered(this);
    waitedNanos += pipeline.clock().nanos() - start;
    letComplete();
  }

  /** Gives the checkpoint up; returns when it has left no trace. */
  public void abort() {
    // Also where memory has run out: what stays open lets no other checkpoint begin.
    pipeline.reserve().insist(givingUp);
    letComplete();
    pipeline.reserve().insist(awaitingEnd);
  }

  private void giveUp() {
    failure.fail(new CancellationException("the checkpoint was aborted"));
    flush();
    pipeline.devices().writeGathered(this);
  }

  private void awaitEnd() {
    result.handle((stats, reason) -> stats).join();
  }

  private void letComplete() {
    pipeline.reserve().execute(pipeline.writer(), completion);
  }

  private void flush() {
    for (int i = 0; i < pipeline.crew().size(); i++) {
      pipeline.stager(i).handOver(this);
    }
    pipeline.devices().handOver(this);
  }

  // ---------------------------------------------------------------- the writer's part

  private void writeInTurn(Batch batch) {
    try {
      write(batch);
    } finally {
      atWriter.decrementAndGet();
    }
  }

  void write(Batch batch) {
    try {
      writing.write(batch);
    } finally {
      pipeline.pool().give(batch);
    }
  }

  private void complete() {
    try {
      long start = pipeline.clock().nanos();
      writing.awaitForce();
      Optional<Throwable> reason = failure.reason();
      if (reason.isPresent()) {
        writing.abortAfter(reason.get());
        pipeline.reserve().fail(result, reason.get());
        return;
      }
      gate.pass(List.copyOf(compared.values()));
      Writing.Published published = writing.publish(start);
      pipeline.trackers().published(published.version());
      Figures figures = new Figures(pipeline, commit, published);
      Added known = new Added(startedAt, waitedNanos, protectedBytes, asynchronous);
      CheckpointStats stats = figures.describe(decision, known, added);
      figures.teach(pipeline.costs(), added);
      pipeline.reserve().complete(result, stats);
    } catch (Throwable e) {
      writing.abortAfter(e);
      pipeline.reserve().fail(result, e);
    }
  }
}
