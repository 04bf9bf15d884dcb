// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import org.cairn.pack.locate.MalformedException;

/**
 * How many elements a dataset has along each axis.
 *
 * <pre>
 * Message 1 → 1, Rank:8, Flags:8, 0:40, Length{rank}, [Most:length{rank}]
 * Message 2 → 2, Rank:8, Flags:8, Kind:8, Length{rank}, [Most:length{rank}]
 * </pre>
 *
 * @param lengths the slowest axis first; none for a single element
 * @param most how long each axis may become; {@link Cursor#UNDEFINED} is without limit
 * @param isNull whether there are no elements at all
 */
record Dataspace(long[] lengths, long[] most, boolean isNull) {
  static final int HIGHEST_RANK = 32;

  private static final int NULL = 2;

  /** Reads the message. */
  static Dataspace read(Cursor message) throws IOException, MalformedException {
    long at = message.at();
    int head = (int) message.u32();
    int version = head & 0xFF;
    int rank = head >> 8 & 0xFF;
    int flags = head >> 16 & 0xFF;
    int kind = head >>> 24;
    if (version != 1 && version != 2 || rank > HIGHEST_RANK) {
      throw new MalformedException(at, "has a dataspace that is not understood");
    }
    message.skip(version == 1 ? 4 : 0);
    long[] lengths = lengths(message, rank);
    long[] most = (flags & 1) != 0 ? lengths(message, rank) : lengths.clone();
    for (int i = 0; i < rank; i++) {
      boolean fits = most[i] == Cursor.UNDEFINED || most[i] >= lengths[i];
      if (lengths[i] < 0 || lengths[i] >= Cursor.FAR || !fits) {
        throw new MalformedException(at, "has an axis of absurd length");
      }
    }
    return new Dataspace(lengths, most, version == 2 && kind == NULL);
  }

  private static long[] lengths(Cursor message, int rank) throws IOException, MalformedException {
    long[] lengths = new long[rank];
    for (int i = 0; i < rank; i++) {
      lengths[i] = message.lengthOrUndefined();
    }
    return lengths;
  }

  int rank() {
    return lengths.length;
  }

  /** Whether there are no elements. */
  boolean isEmpty() {
    for (long length : lengths) {
      if (length == 0) {
        return true;
      }
    }
    return isNull;
  }

  /** The only axis without limit, or −1 if there is none or there are several. */
  int unlimitedAxis() {
    int found = -1;
    for (int i = 0; i < most.length; i++) {
      if (most[i] == Cursor.UNDEFINED) {
        if (found >= 0) {
          return -1;
        }
        found = i;
      }
    }
    return found;
  }
}
