// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

/**
 * How many threads and slots a line has within a budget.
 *
 * @param slotBytes the memory of one slot
 * @param asideBytes the memory for frames that are done before their turn, together
 */
record Capacity(int threads, int slots, long slotBytes, long asideBytes) {
  /** What tables take, unless a frame has thousands of pieces. */
  private static final long TABLE = 64 << 10;

  /** What zstd takes outside our sight at levels up to 9. */
  private static final long CONTEXT = 8 << 20;

  private static final int BEYOND_THREADS = 2;

  /** Of a slot, to be put aside: what is larger took long itself. */
  private static final int ASIDE = 8;

  /**
   * As many threads as wanted, or as the budget allows: with each one slot, and one for the caller.
   *
   * @param frame the largest frame, plain
   * @param framesEach how many frames' worth of memory a worker has
   */
  static Capacity of(int wanted, long budget, long frame, int framesEach) {
    if (wanted < 1) {
      throw new IllegalArgumentException("a line of " + wanted + " threads");
    }
    long slot = frame + TABLE;
    long aside = slot / ASIDE;
    long worker = framesEach * slot + CONTEXT;
    long rest = budget - aside;
    long threads = Math.min(wanted, Math.max(1, (rest - slot) / (worker + slot)));
    long slots = Math.min(threads + BEYOND_THREADS, (rest - threads * worker) / slot);
    if (slots < 1) {
      throw new IllegalArgumentException(
          "a budget of %d bytes is too small for frames of %d; %d are needed"
              .formatted(budget, frame, worker + slot + aside));
    }
    return new Capacity((int) threads, (int) slots, slot, aside);
  }
}
