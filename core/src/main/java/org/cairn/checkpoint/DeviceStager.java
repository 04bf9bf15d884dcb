// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.cairn.Codec;
import org.cairn.container.DatasetPlan;
import org.cairn.container.StagedBlocks;
import org.cairn.device.Device;
import org.cairn.device.DeviceException;
import org.cairn.device.DeviceMemory;
import org.cairn.supply.Closing;
import org.cairn.supply.Supply;
import org.cairn.supply.Workspace;
import org.cairn.version.DatasetEntry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done with datasets in memory of a device: hashed where they are; blocks that must be
 * written are gathered on the device and copied into staging buffers, where they are blocks like
 * all others. Used by the program's thread, while the crew rests; but for what {@link
 * #writeGathered} leaves to the writer.
 *
 * <p>In an asynchronous checkpoint the program waits until blocks are gathered, not until they are
 * copied, as far as the device has memory for that. What does not fit is copied in pieces.
 */
final class DeviceStager {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceStager.class);

  /** Of what the host hashes, or codes, so much is copied at a time. */
  private static final long WINDOW = 8L << 20;

  private final Pipeline pipeline;
  private final DeviceHashing hashing = new DeviceHashing();
  private final DeviceCopies copies = new DeviceCopies();
  private final GatheringSpace gatheringSpace = new GatheringSpace();
  private final Workspace space = new Workspace();

  /** What the writer will copy, of the checkpoint that is going on. */
  private final List<DeviceCopies.Gathered> waiting = new ArrayList<>();

  /** What is being filled; null between two that are handed over. */
  private @Nullable Batch open;

  private @Nullable MemorySegment window;
  private long[] digests = new long[0];
  private long hashNanos;
  private long copyNanos;

  DeviceStager(Pipeline pipeline) {
    this.pipeline = pipeline;
  }

  void reset() {
    hashNanos = 0;
    copyNanos = 0;
  }

  /** How long the program waited for digests of devices. */
  long hashNanos() {
    return hashNanos;
  }

  /** A device has hashed memory of the host. */
  void countHashing(long nanos) {
    hashNanos += nanos;
  }

  /** How long it waited for copies. */
  long copyNanos() {
    return copyNanos;
  }

  /**
   * Stages what changed of a dataset, is new, or must be moved; all of it if {@code full}.
   *
   * @param later whether what fits into memory of the device may be copied in the background
   */
  void stage(Subject subject, DeviceMemory memory, CheckpointRun run, boolean full, boolean later) {
    DatasetPlan plan = subject.plan();
    try {
      long start = Supply.nanos();
      memory.settle();
      DatasetEntry entry = plan.entry();
      long[] all = digestsOf(entry.blocks());
      boolean byDevice = hashing.hash(entry, memory, all);
      long hashed = Supply.nanos() - start;
      hashNanos += hashed;
      start = Supply.nanos();
      if (byDevice) {
        run.hashed(plan, 0, entry.blocks(), all);
        subject.countHashed(memory.bytes(), hashed);
        stageHashed(subject, memory, all, run, full, later);
      } else {
        stageOnHost(subject, memory, run, full);
      }
      copyNanos += Supply.nanos() - start;
    } catch (DeviceException e) {
      throw new DeviceException(
          "dataset \"%s\": %s".formatted(plan.entry().name(), e.getMessage()), e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long[] digestsOf(int blocks) {
    if (digests.length < 2 * blocks) {
      digests = Supply.longs(2 * blocks);
    }
    return digests;
  }

  // ---------------------------------------------------------------- hashed by the device

  private void stageHashed(
      Subject subject,
      DeviceMemory memory,
      long[] all,
      CheckpointRun run,
      boolean full,
      boolean later)
      throws IOException {
    DatasetPlan plan = subject.plan();
    boolean plain = plan.entry().spec().codec() == Codec.NONE;
    DeviceChoice choice = DeviceChoice.of(plan, all, full, plain, pipeline.crew());
    Stager figures = pipeline.stager(0);
    figures.comparableBlocks += choice.leftBlocks();
    if (!plain) {
      // Compared again, and counted, by who codes them.
      inPieces(
          plan,
          memory,
          choice.blocks(),
          all,
          false,
          piece -> stageCoded(subject, piece, run, full));
      return;
    }
    figures.comparableBlocks += choice.comparable();
    figures.changedBlocks += choice.changed();
    subject.countChanged(choice.changedBytes());
    inPieces(plan, memory, choice.zeros(), all, false, piece -> stageZeros(piece, run));
    inPieces(plan, memory, choice.blocks(), all, later, piece -> copies.copy(piece, ofRun(run)));
  }

  /** What is done with blocks that were gathered. */
  @FunctionalInterface
  private interface Use {
    void of(DeviceCopies.Gathered piece) throws IOException;
  }

  /** Gathers blocks, as many at a time as the device has room for. */
  private void inPieces(
      DatasetPlan plan, DeviceMemory memory, int[] chosen, long[] all, boolean later, Use use)
      throws IOException {
    if (chosen.length == 0) {
      return;
    }
    int blockSize = plan.entry().spec().blockSize();
    Device.Buffer buffer = gatheringSpace.take(memory.device(), chosen.length, blockSize, later);
    try {
      int atOnce = (int) Math.min(chosen.length, buffer.bytes() / blockSize);
      for (int from = 0; from < chosen.length; from += atOnce) {
        int count = Math.min(atOnce, chosen.length - from);
        memory
            .device()
            .gather(memory.pointer(), memory.bytes(), blockSize, chosen, from, count, buffer);
        DeviceCopies.Gathered piece =
            gathered(plan, memory.device(), buffer, chosen, from, count, all);
        if (later && from + count == chosen.length) {
          waiting.add(piece);
          return;
        }
        use.of(piece);
      }
    } catch (IOException | RuntimeException | Error e) {
      closeAfter(buffer, e);
      throw e;
    }
    gatheringSpace.give(memory.device(), buffer);
  }

  private static void closeAfter(Device.Buffer buffer, Throwable reason) {
    try {
      buffer.close();
    } catch (RuntimeException e) {
      reason.addSuppressed(e);
    }
  }

  private static DeviceCopies.Gathered gathered(
      DatasetPlan plan,
      Device device,
      Device.Buffer buffer,
      int[] chosen,
      int from,
      int count,
      long[] all) {
    long[] own = Supply.longs(2 * count);
    for (int i = 0; i < count; i++) {
      System.arraycopy(all, 2 * chosen[from + i], own, 2 * i, 2);
    }
    int[] blocks = Arrays.copyOfRange(chosen, from, from + count);
    return new DeviceCopies.Gathered(plan, device, buffer, blocks, own);
  }

  /** That a block is zero is seen from its bytes, never inferred from its digest. */
  private void stageZeros(DeviceCopies.Gathered piece, CheckpointRun run) {
    DatasetEntry entry = piece.plan().entry();
    int blockSize = entry.spec().blockSize();
    int[] blocks = piece.blocks();
    MemorySegment memory = window(piece.device());
    int atOnce = (int) (memory.byteSize() / blockSize);
    for (int from = 0; from < blocks.length; from += atOnce) {
      int count = Math.min(atOnce, blocks.length - from);
      copyOut(piece, from, count, memory);
      StagedBlocks staged = current(run, 0).blocks();
      for (int i = 0; i < count; i++) {
        int block = blocks[from + i];
        int length = entry.blockLength(block);
        if (!DatasetPlan.isZero(memory, (long) i * blockSize, length)) {
          throw Stager.changed(piece.plan(), block);
        }
        staged.addZero(entry.slotOf(block), length);
        if (piece.plan().isComparable(block) && isClean(piece, from + i)) {
          current(run, 0).countMoved();
        }
      }
    }
  }

  private static boolean isClean(DeviceCopies.Gathered piece, int index) {
    return piece
        .plan()
        .isClean(piece.blocks()[index], piece.digests()[2 * index], piece.digests()[2 * index + 1]);
  }

  private static void copyOut(
      DeviceCopies.Gathered piece, int from, int count, MemorySegment target) {
    int blockSize = piece.plan().entry().spec().blockSize();
    long pointer = piece.buffer().pointer() + (long) from * blockSize;
    piece.device().copyOut(pointer, target.asSlice(0, (long) count * blockSize)).await();
  }

  /** The crew codes copies. */
  private void stageCoded(
      Subject subject, DeviceCopies.Gathered piece, CheckpointRun run, boolean full)
      throws IOException {
    int blockSize = piece.plan().entry().spec().blockSize();
    MemorySegment memory = window(piece.device());
    int atOnce = (int) (memory.byteSize() / blockSize);
    for (int from = 0; from < piece.blocks().length && run.goesOn(); from += atOnce) {
      int first = from;
      int count = Math.min(atOnce, piece.blocks().length - from);
      copyOut(piece, from, count, memory);
      AtomicInteger next = new AtomicInteger();
      pipeline
          .crew()
          .run(
              worker -> {
                int i = next.getAndIncrement();
                while (i < count && run.goesOn()) {
                  MemorySegment copy = memory.asSlice((long) i * blockSize, blockSize);
                  code(subject, piece, first + i, copy, pipeline.stager(worker), run, full);
                  i = next.getAndIncrement();
                }
              });
    }
  }

  private static void code(
      Subject subject,
      DeviceCopies.Gathered piece,
      int index,
      MemorySegment copy,
      Stager stager,
      CheckpointRun run,
      boolean full) {
    int block = piece.blocks()[index];
    Tile tile = new Tile(subject, copy, block, block + 1);
    boolean there = tile.moveTo(0);
    assert there;
    stager.considerBlock(
        tile, block, piece.digests()[2 * index], piece.digests()[2 * index + 1], run, full);
  }

  // ---------------------------------------------------------------- hashed by the host

  /** All of a dataset comes to the host, piece by piece, and is treated there as any other. */
  private void stageOnHost(Subject subject, DeviceMemory memory, CheckpointRun run, boolean full)
      throws IOException {
    DatasetPlan plan = subject.plan();
    int blockSize = plan.entry().spec().blockSize();
    MemorySegment copy = window(memory.device());
    int atOnce = (int) (copy.byteSize() / blockSize);
    int blocks = plan.entry().blocks();
    for (int first = 0; first < blocks && run.goesOn(); first += atOnce) {
      int end = Math.min(first + atOnce, blocks);
      long offset = (long) first * blockSize;
      long bytes = Math.min((long) (end - first) * blockSize, memory.bytes() - offset);
      memory.device().copyOut(memory.pointer() + offset, copy.asSlice(0, bytes)).await();
      stageWindow(subject, copy, first, end, run, full);
    }
  }

  private void stageWindow(
      Subject subject, MemorySegment copy, int first, int end, CheckpointRun run, boolean full)
      throws IOException {
    AtomicInteger next = new AtomicInteger();
    pipeline
        .crew()
        .run(
            worker -> {
              Tile tile = new Tile(subject, copy, first, end);
              while (run.goesOn() && tile.moveTo(next.getAndIncrement())) {
                pipeline.stager(worker).stage(tile, run, full, true);
              }
            });
  }

  private MemorySegment window(Device device) {
    MemorySegment known = window;
    if (known == null) {
      known = space.allocate(WINDOW, 4096);
      window = known;
    }
    copies.register(device, known);
    return known;
  }

  // ---------------------------------------------------------------- staging buffers

  private Batch current(CheckpointRun run, int room) {
    Batch mine = open;
    if (mine != null && mine.blocks().room() < room) {
      handOver(run);
      mine = null;
    }
    if (mine == null) {
      mine = run.takeBatch();
      open = mine;
    }
    return mine;
  }

  /** Passes what is staged on to the writer. */
  void handOver(CheckpointRun run) {
    Batch mine = open;
    open = null;
    if (mine != null) {
      run.giveToWriter(mine);
    }
  }

  /** Buffers that the writer gets when they are full. */
  private DeviceCopies.Buffers ofRun(CheckpointRun run) {
    return new DeviceCopies.Buffers() {
      @Override
      public Batch take(int room) {
        Batch batch = current(run, room);
        open = null;
        return batch;
      }

      @Override
      public void give(Batch batch) {
        Batch mine = open;
        if (mine == null && batch.blocks().room() > 0) {
          open = batch;
        } else {
          run.giveToWriter(batch);
        }
      }

      @Override
      public void drop(Batch batch) {
        pipeline.pool().give(batch);
      }
    };
  }

  /** Buffers of the writer itself, which writes them at once. */
  private DeviceCopies.Buffers ofWriter(CheckpointRun run) {
    return new DeviceCopies.Buffers() {
      @Override
      public Batch take(int room) {
        // All that were given to the writer before are free again, and nobody else takes any.
        return pipeline.pool().take();
      }

      @Override
      public void give(Batch batch) {
        run.write(batch);
      }

      @Override
      public void drop(Batch batch) {
        pipeline.pool().give(batch);
      }
    };
  }

  // ---------------------------------------------------------------- in the background

  /** Lets the writer copy what has been gathered, or forget it if the checkpoint has failed. */
  void writeGathered(CheckpointRun run) {
    while (!waiting.isEmpty()) {
      DeviceCopies.Gathered one = waiting.getFirst();
      pipeline.writer().execute(() -> write(one, run));
      waiting.removeFirst(); // only now: where memory runs out this is called again
    }
  }

  private void write(DeviceCopies.Gathered gathered, CheckpointRun run) {
    try {
      if (run.goesOn()) {
        copies.copy(gathered, ofWriter(run));
      }
      gatheringSpace.give(gathered.device(), gathered.buffer());
    } catch (DeviceException e) {
      run.fail(
          new DeviceException(
              "dataset \"%s\": %s".formatted(gathered.plan().entry().name(), e.getMessage()), e));
      closeAfter(gathered.buffer(), e);
    } catch (Throwable e) {
      run.fail(e);
      closeAfter(gathered.buffer(), e);
    }
  }

  /** After the writer, and before the staging buffers go. */
  void close() {
    Closing closing = new Closing();
    copies.close(closing);
    gatheringSpace.close(closing);
    closing.then(space::close);
    try {
      closing.end();
    } catch (IOException | RuntimeException e) {
      LOG.warn("memory that a device had registered is not given back cleanly: {}", e.getMessage());
    }
  }
}
