// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.store;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.cairn.store.StoreFile;

/**
 * Decides what a crash does to operations that were never forced, and does it to the bytes.
 *
 * <p>What the disks and file systems we know can do to an unforced write, and this class does:
 *
 * <ul>
 *   <li>lose it, keep it, or tear it: a prefix of any length stays, or any set of its sectors;
 *   <li>treat each write by itself, so that a later one survives an earlier one;
 *   <li>of a write that would have made the file longer, keep the length but not the bytes, in full
 *       or in part. What is then read there was never written by anyone: zeros, noise, or a piece
 *       of other contents of the file that looks like valid data.
 * </ul>
 */
final class Fate {
  /** What a disk writes at once; also where garbage is cut, so that it looks like real contents. */
  static final int SECTOR = 512;

  private final Survival mode;
  private final Random random;

  /**
   * The share of operations that survive whole. Drawn once per crash: with a fixed one half, a
   * crash that loses just one of a hundred operations would never be seen.
   */
  private final double keeping;

  Fate(Survival mode, Random random) {
    this.mode = mode;
    this.random = random;
    this.keeping = random.nextDouble();
  }

  /** Whether an operation that cannot be torn survives. */
  boolean keeps() {
    return switch (mode) {
      case LOSE_ALL -> false;
      case KEEP_ALL -> true;
      case RANDOM -> random.nextDouble() < keeping;
    };
  }

  /** Leaves of an unforced write what the crash leaves of it. */
  void settleWrite(StoreFile disk, long position, byte[] bytes) throws IOException {
    if (keeps()) {
      disk.write(position, MemorySegment.ofArray(bytes));
    } else if (mode == Survival.RANDOM) {
      tear(disk, position, bytes);
    }
  }

  private void tear(StoreFile disk, long position, byte[] bytes) throws IOException {
    long oldSize = disk.size();
    byte[] result = underneath(disk, position, bytes.length);
    int end =
        switch (random.nextInt(3)) {
          case 0 -> 0;
          case 1 -> keepPrefix(bytes, result);
          default -> keepSectors(position, bytes, result);
        };
    boolean grows = position + bytes.length > oldSize;
    if (grows && random.nextBoolean()) {
      end = random.nextInt(end, bytes.length + 1);
    }
    disk.write(position, MemorySegment.ofArray(result).asSlice(0, end));
  }

  /** What the range shows where the write is lost: old contents, then what growth uncovers. */
  private byte[] underneath(StoreFile disk, long position, int length) throws IOException {
    byte[] result = garbage(disk, length);
    disk.read(position, MemorySegment.ofArray(result));
    return result;
  }

  private byte[] garbage(StoreFile disk, int length) throws IOException {
    byte[] result = new byte[length];
    switch (random.nextInt(3)) {
      case 0 -> {}
      case 1 -> random.nextBytes(result);
      default -> {
        long sectors = disk.size() / SECTOR;
        long from = sectors == 0 ? 0 : random.nextLong(sectors) * SECTOR;
        disk.read(from, MemorySegment.ofArray(result));
      }
    }
    return result;
  }

  private int keepPrefix(byte[] bytes, byte[] result) {
    int length = random.nextInt(bytes.length);
    System.arraycopy(bytes, 0, result, 0, length);
    return length;
  }

  private int keepSectors(long position, byte[] bytes, byte[] result) {
    int end = 0;
    for (int from = 0; from < bytes.length; ) {
      int toBoundary = SECTOR - (int) ((position + from) % SECTOR);
      int length = Math.min(toBoundary, bytes.length - from);
      if (random.nextBoolean()) {
        System.arraycopy(bytes, from, result, from, length);
        end = from + length;
      }
      from += length;
    }
    return end;
  }
}
