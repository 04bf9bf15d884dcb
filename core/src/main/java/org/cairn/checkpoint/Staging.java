// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

/**
 * How much memory blocks on their way to the file may take, on each rank: what was chosen, else an
 * eighth of the state, within what the ranks of a host have together. A small state has 8 MiB, so
 * that hashing and writing overlap; but no less than every thread needs.
 *
 * @param chosenBytes in all; 0 if nobody chose
 * @param chosenBuffer the size of one buffer, and so of the largest write; 0 if nobody chose
 * @param threads that fill buffers
 * @param ranksOnHost that share the memory
 */
public record Staging(long chosenBytes, int chosenBuffer, int threads, int ranksOnHost) {
  /** Has room for the largest block, twice. */
  public static final int LEAST_BUFFER = 2 << 20;

  private static final int USUAL_BUFFER = 4 << 20;
  private static final int GRAIN = 256 << 10;
  private static final int PART_OF_STATE = 8;
  private static final long FLOOR = 8L << 20;
  private static final long MOST_ON_HOST = 256L << 20;

  /** Buffers beside one for each thread: the writer has one, and one is filled. */
  private static final int SPARE_BUFFERS = 2;

  /** What a state of this size may take. */
  long bytes(long stateBytes) {
    if (chosenBytes > 0) {
      return chosenBytes;
    }
    long share = Math.max(MOST_ON_HOST / ranksOnHost, LEAST_BUFFER);
    return Math.min(Math.max(stateBytes / PART_OF_STATE, FLOOR), share);
  }

  /** The size of a buffer, for a state of this size. */
  int buffer(long stateBytes) {
    if (chosenBuffer > 0) {
      return chosenBuffer;
    }
    long even = bytes(stateBytes) / leastBuffers() / GRAIN * GRAIN;
    return Math.clamp(even, LEAST_BUFFER, USUAL_BUFFER);
  }

  /** With fewer somebody would wait for a buffer that nobody empties. */
  int leastBuffers() {
    return threads + SPARE_BUFFERS;
  }
}
