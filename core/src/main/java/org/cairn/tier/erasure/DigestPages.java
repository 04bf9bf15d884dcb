// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The digests of the blocks of a version, by slot. A block stays in its slot as long as its dataset
 * lives, whatever becomes of other datasets: so a change of a few blocks is a change of a few
 * pages.
 *
 * <pre>
 * Page → digest:u128{254} zero:u8{32}      4096 bytes; slot s is number s mod 254 of page s div 254
 * </pre>
 *
 * <p>A bit of {@code zero}, the lowest first, says that all bytes of the block are zero; it has no
 * digest then. A slot that no dataset has is 0 throughout.
 *
 * @param memory one page or more
 */
record DigestPages(MemorySegment memory) {
  static final int PAGE_BYTES = 4 << 10;

  /** How many slots a page has. */
  static final int SLOTS = 254;

  private static final int ZEROS = SLOTS * 16;

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** How many bytes the pages of so many slots have. */
  static long bytes(int slots) {
    return (long) Math.ceilDiv(slots, SLOTS) * PAGE_BYTES;
  }

  static int pageOf(int slot) {
    return slot / SLOTS;
  }

  private static long digestAt(int slot) {
    return (long) pageOf(slot) * PAGE_BYTES + slot % SLOTS * 16L;
  }

  private static long flagAt(int slot) {
    return (long) pageOf(slot) * PAGE_BYTES + ZEROS + slot % SLOTS / 8;
  }

  private static int flag(int slot) {
    return 1 << slot % SLOTS % 8;
  }

  long low(int slot) {
    return memory.get(LONG, digestAt(slot));
  }

  long high(int slot) {
    return memory.get(LONG, digestAt(slot) + 8);
  }

  boolean isZero(int slot) {
    return (memory.get(ValueLayout.JAVA_BYTE, flagAt(slot)) & flag(slot)) != 0;
  }

  void block(int slot, long low, long high) {
    set(slot, low, high, false);
  }

  void zero(int slot) {
    set(slot, 0, 0, true);
  }

  void release(int slot) {
    set(slot, 0, 0, false);
  }

  private void set(int slot, long low, long high, boolean zero) {
    memory.set(LONG, digestAt(slot), low);
    memory.set(LONG, digestAt(slot) + 8, high);
    int flags = memory.get(ValueLayout.JAVA_BYTE, flagAt(slot));
    flags = zero ? flags | flag(slot) : flags & ~flag(slot);
    memory.set(ValueLayout.JAVA_BYTE, flagAt(slot), (byte) flags);
  }

  boolean isSame(int slot, DigestPages other) {
    return low(slot) == other.low(slot)
        && high(slot) == other.high(slot)
        && isZero(slot) == other.isZero(slot);
  }
}
