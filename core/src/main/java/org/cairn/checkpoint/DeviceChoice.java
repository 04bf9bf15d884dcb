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
 * What must be written of a dataset whose digests are known. A device hashes a block in the time in
 * which one thread compares it, so all of the crew do.
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
  /** So many blocks are compared at a time. */
  private static final int SOME = 1 << 12;

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
      crew.run(task);
    }
    return together(found);
  }

  private static DeviceChoice among(
      DatasetPlan plan, long[] digests, int first, int end, boolean full, boolean apart) {
    // From the front those that have something, from the back those of zeros.
    int[] chosen = Supply.ints(end - first);
    int count = 0;
    int zeros = 0;
    long left = 0;
    long comparable = 0;
    long changed = 0;
    long changedBytes = 0;
    for (int block = first; block < end; block++) {
      long low = digests[2 * block];
      long high = digests[2 * block + 1];
      boolean clean = plan.isComparable(block) && plan.isClean(block, low, high);
      if (!clean) {
        plan.changed(block);
      } else if (!full && !plan.takeToMove(block)) {
        left++;
        continue;
      }
      comparable += plan.isComparable(block) ? 1 : 0;
      changed += plan.isComparable(block) && !clean ? 1 : 0;
      changedBytes += clean ? 0 : plan.entry().blockLength(block);
      if (apart && plan.isZeroDigest(block, low, high)) {
        chosen[chosen.length - ++zeros] = block;
      } else {
        chosen[count++] = block;
      }
    }
    int[] apartOnes = Arrays.copyOfRange(chosen, chosen.length - zeros, chosen.length);
    reverse(apartOnes);
    return new DeviceChoice(
        Arrays.copyOf(chosen, count), apartOnes, left, comparable, changed, changedBytes);
  }

  private static void reverse(int[] numbers) {
    for (int i = 0; i < numbers.length / 2; i++) {
      int other = numbers.length - 1 - i;
      int number = numbers[i];
      numbers[i] = numbers[other];
      numbers[other] = number;
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
