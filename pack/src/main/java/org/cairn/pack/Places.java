// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.util.Arrays;

/**
 * Where the bytes of a stream lie in its file: a stream is what one variable has there, side by
 * side.
 */
final class Places {
  private long[] starts = new long[4];
  private long[] offsets = new long[4];
  private int count;
  private long length;

  /** Bytes of a file. */
  interface Use {
    void run(long offset, long length) throws IOException;
  }

  /** Adds what comes next in the stream. */
  void add(long offset, long bytes) {
    if (count > 0 && offsets[count - 1] + (length - starts[count - 1]) == offset) {
      length += bytes;
      return;
    }
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count);
      offsets = Arrays.copyOf(offsets, 2 * count);
    }
    starts[count] = length;
    offsets[count] = offset;
    count++;
    length += bytes;
  }

  /** How many bytes the stream has. */
  long length() {
    return length;
  }

  /** Goes through the places of a range of the stream, in its order. */
  void forEach(long from, long to, Use use) throws IOException {
    int at = Arrays.binarySearch(starts, 0, count, from);
    at = at >= 0 ? at : -at - 2;
    long position = from;
    while (position < to) {
      long end = Math.min(to, at + 1 < count ? starts[at + 1] : length);
      use.run(offsets[at] + (position - starts[at]), end - position);
      position = end;
      at++;
    }
  }
}
