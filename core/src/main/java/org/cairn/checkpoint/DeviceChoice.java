// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.cairn.container.DatasetPlan;
import org.cairn.supply.Supply;
import org.cairn.work.Workers;

/**
 * What must be written of a dataset whose digests are known. A device hashes a block in about the
 * time in which one thread compares it, so the crew helps where there are many.
 *
 * @param blocks numbers of blocks
 * @param zeros numbers of blocks with the digest of zeros, at which somebody has still to look
 * @param leftBlocks how many are as they were, and need not be written
 * @param comparable how many of the others could be compared
 * @param changed how many of them changed
 * @param changedBytes of blocks that changed or are new
 */
record DeviceChoice(
    int[] blocks, int[] zeros, long leftBlocks, long comparable, long changed, long changedBytes) {
  /** So many blocks are compared at a time: less is done before another thread has woken up. */
  private static final int SOME = 1 << 14;

  /** Compares; blocks of zeros are told apart if they are to be. */
  static DeviceChoice of(
      DatasetPlan plan, long[] digests, boolean full, boolean apart, Workers crew)
      throws IOException {
    int blocks = plan.entry().blocks();
    int parts = Math.ceilDiv(blocks, SOME);
    DeviceChoice[] found = new DeviceChoice[parts];
    AtomicInteger next = new AtomicInteger();
    Workers.Task task =
        _ -> {
          int part = next.getAndIncrement();
          while (part < parts) {
            int end = Math.min(blocks, (part + 1) * SOME);
            found[part] = among(plan, digests, part * SOME, end, full, apart);
            part = next.getAndIncrement();
          }
        };
    if (parts == 1) {
      task.run(0);
    } else {
      crew.run(Math.min(crew.size(), parts), task);
    }
    return together(found);
  }

  private static DeviceChoice among(
      DatasetPlan plan, long[] digests, int first, int end, boolean full, boolean apart) {
    Chosen chosen = new Chosen(plan, digests, full, apart);
    int block = first;
    while (block < end) {
      int some = Math.min(Long.SIZE, end - block);
      long doubtful = -1;
      if (!full && plan.isComparable(block)) {
        some = Math.min(some, plan.comparableBlocks() - block);
        some = Math.min(some, plan.entry().slots().contiguousFrom(block));
        doubtful = plan.doubtful(block, some, digests);
      }
      chosen.consider(block, some, doubtful);
      block += some;
    }
    return chosen.build();
  }

  /** What has been chosen so far, by one thread. */
  private static final class Chosen {
    private final DatasetPlan plan;
    private final long[] digests;
    private final boolean full;
    private final boolean apart;
    private int[] blocks = Supply.ints(Long.SIZE);
    private int[] zeros = Supply.ints(1);
    private int blockCount;
    private int zeroCount;
    private long left;
    private long comparable;
    private long changed;
    private long changedBytes;

    Chosen(DatasetPlan plan, long[] digests, boolean full, boolean apart) {
      this.plan = plan;
      this.digests = digests;
      this.full = full;
      this.apart = apart;
    }

    /** Looks at those blocks of some whose bit is set; the others are left as they are. */
    void consider(int first, int count, long doubtful) {
      int looked = 0;
      for (int i = 0; i < count; i++) {
        long rest = doubtful >>> i;
        if (rest == 0) {
          break;
        }
        i += Long.numberOfTrailingZeros(rest);
        if (i < count) {
          consider(first + i);
          looked++;
        }
      }
      left += count - looked;
    }

    private void consider(int block) {
      long low = digests[2 * block];
      long high = digests[2 * block + 1];
      boolean known = plan.isComparable(block);
      boolean clean = known && plan.isClean(block, low, high);
      if (!clean) {
        plan.changed(block);
        changedBytes += plan.entry().blockLength(block);
      } else if (!full && !plan.takeToMove(block)) {
        left++;
        return;
      }
      comparable += known ? 1 : 0;
      changed += known && !clean ? 1 : 0;
      if (apart && plan.isZeroDigest(block, low, high)) {
        zeros = withRoom(zeros, zeroCount);
        zeros[zeroCount++] = block;
      } else {
        blocks = withRoom(blocks, blockCount);
        blocks[blockCount++] = block;
      }
    }

    private static int[] withRoom(int[] numbers, int count) {
      if (count < numbers.length) {
        return numbers;
      }
      int[] more = Supply.ints(2 * count);
      System.arraycopy(numbers, 0, more, 0, count);
      return more;
    }

    DeviceChoice build() {
      return new DeviceChoice(
          Arrays.copyOf(blocks, blockCount),
          Arrays.copyOf(zeros, zeroCount),
          left,
          comparable,
          changed,
          changedBytes);
    }
  }

  private static DeviceChoice together(DeviceChoice[] parts) {
    if (parts.length == 1) {
      return parts[0];
    }
    return new DeviceChoice(
        joined(parts, DeviceChoice::blocks),
        joined(parts, DeviceChoice::zeros),
        Arrays.stream(parts).mapToLong(part -> part.leftBlocks).sum(),
        Arrays.stream(parts).mapToLong(part -> part.comparable).sum(),
        Arrays.stream(parts).mapToLong(part -> part.changed).sum(),
        Arrays.stream(parts).mapToLong(part -> part.changedBytes).sum());
  }

  private static int[] joined(DeviceChoice[] parts, Function<DeviceChoice, int[]> numbers) {
    int[] all =
        Supply.ints(Arrays.stream(parts).mapToInt(part -> numbers.apply(part).length).sum());
    int at = 0;
    for (DeviceChoice part : parts) {
      int[] some = numbers.apply(part);
      System.arraycopy(some, 0, all, at, some.length);
      at += some.length;
    }
    return all;
  }
}
