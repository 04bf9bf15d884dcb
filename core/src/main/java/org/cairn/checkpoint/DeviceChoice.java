// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.cairn.container.DatasetPlan;
import org.cairn.supply.Supply;
import org.cairn.work.Workers;

/**
 * What must be written of a dataset whose digests are known. A device hashes a block in the time in
 * which one thread compares it, so all of the crew do.
 *
 * @param blocks numbers of blocks
 * @param zeros numbers of blocks with the digest of zeros, at which somebody has still to look
 * @param comparable how many blocks could be compared
 * @param changed how many of them changed
 */
record DeviceChoice(int[] blocks, int[] zeros, long comparable, long changed) {
  /** So many blocks are compared at a time. */
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
    long comparable = 0;
    long changed = 0;
    for (int block = first; block < end; block++) {
      long low = digests[2 * block];
      long high = digests[2 * block + 1];
      boolean clean = false;
      if (plan.isComparable(block)) {
        clean = plan.isClean(block, low, high);
        comparable++;
        changed += clean ? 0 : 1;
      }
      if (clean && !full && !plan.mustMove(block)) {
        continue;
      }
      if (apart && plan.isZeroDigest(block, low, high)) {
        chosen[chosen.length - ++zeros] = block;
      } else {
        chosen[count++] = block;
      }
    }
    int[] apartOnes = Arrays.copyOfRange(chosen, chosen.length - zeros, chosen.length);
    reverse(apartOnes);
    return new DeviceChoice(Arrays.copyOf(chosen, count), apartOnes, comparable, changed);
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
        Arrays.stream(parts).flatMapToInt(part -> Arrays.stream(part.blocks)).toArray(),
        Arrays.stream(parts).flatMapToInt(part -> Arrays.stream(part.zeros)).toArray(),
        Arrays.stream(parts).mapToLong(part -> part.comparable).sum(),
        Arrays.stream(parts).mapToLong(part -> part.changed).sum());
  }
}
