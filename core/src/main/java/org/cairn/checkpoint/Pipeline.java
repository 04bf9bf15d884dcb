// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import org.cairn.Strategy;
import org.cairn.clock.Clock;
import org.cairn.container.Commit;
import org.cairn.supply.Supply;
import org.cairn.track.Trackers;
import org.cairn.work.Reserve;
import org.cairn.work.Workers;

/**
 * The threads and the memory that checkpoints are made with: a crew that hashes and stages, a
 * bounded pool of staging buffers, one writer, and one forcer. They live as long as their owner and
 * are used by one {@link CheckpointRun} after the other.
 *
 * <pre>
 *   crew:    hash tile → compare → copy dirty blocks ─┐        (all cores)
 *   writer:                             write batch ←─┘ … records, force, superblock, force
 *   forcer:                                   force now and then
 * </pre>
 *
 * <p>A system that is left alone keeps what is written in memory and begins to move it when it is
 * forced. The forcer makes it begin earlier: most of the way to the disk then lies beside hashing
 * and copying, and a checkpoint of everything takes less time than writing and then forcing it
 * would.
 */
public final class Pipeline implements AutoCloseable {
  private final Workers crew;
  private final StagingPool pool;
  private final ThreadPoolExecutor writer;
  private final ThreadPoolExecutor forcer;
  private final Stager[] stagers;
  private final DeviceStager devices = new DeviceStager(this);
  private final Clock clock;
  private final CostModel costs = new CostModel();
  private final Offload offload = new Offload(costs);
  private final Trackers trackers;
  private final Reserve reserve = new Reserve();

  /**
   * A pipeline.
   *
   * @param trackers who knows what was written to
   * @param crew hashes and stages; stays the caller's to close
   * @param staging memory for blocks on their way to the file
   */
  public Pipeline(Trackers trackers, Workers crew, Staging staging, Clock clock) {
    this.trackers = trackers;
    this.crew = crew;
    this.pool = new StagingPool(staging);
    this.clock = clock;
    this.writer = Supply.oneThread("cairn-writer");
    this.forcer = Supply.oneThread("cairn-forcer");
    this.stagers = new Stager[crew.size()];
    for (int i = 0; i < stagers.length; i++) {
      stagers[i] = new Stager();
    }
  }

  /**
   * Starts a checkpoint of about this many bytes; the one before must have ended.
   *
   * @param gate where it waits before it becomes durable
   */
  public CheckpointRun start(
      Commit commit, Strategy strategy, boolean asynchronous, long protectedBytes, Gate gate) {
    // Now, if not before: where threads have run out a checkpoint must not begin and then hang.
    writer.prestartCoreThread();
    forcer.prestartCoreThread();
    reserve.refill();
    pool.serve(protectedBytes);
    boolean wouldHide = asynchronous && protectedBytes <= pool.bytes();
    return new CheckpointRun(this, commit, costs.decide(strategy, wouldHide), asynchronous, gate);
  }

  /** What has been measured so far. */
  public CostModel costs() {
    return costs;
  }

  /** For the moment when memory has run out. */
  public Reserve reserve() {
    return reserve;
  }

  Trackers trackers() {
    return trackers;
  }

  Workers crew() {
    return crew;
  }

  StagingPool pool() {
    return pool;
  }

  ExecutorService writer() {
    return writer;
  }

  ExecutorService forcer() {
    return forcer;
  }

  Stager stager(int worker) {
    return stagers[worker];
  }

  /** Lets devices hash what they have registered, where that is faster. */
  public void offloads(boolean choice) {
    offload.want(choice);
  }

  Offload offload() {
    return offload;
  }

  DeviceStager devices() {
    return devices;
  }

  Clock clock() {
    return clock;
  }

  /** Waits for the writer to finish what it has been given. */
  @Override
  public void close() {
    Supply.end(writer);
    // Every checkpoint has waited for what it gave to the forcer.
    forcer.shutdown();
    for (Stager stager : stagers) {
      stager.close();
    }
    devices.close();
    pool.close();
  }
}
