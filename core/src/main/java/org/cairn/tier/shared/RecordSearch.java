// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.cairn.record.RecordReader;
import org.cairn.record.SealedRecord;
import org.cairn.store.StoreFile;

/**
 * Looks for sealed records where nobody tells any more where they lie: a tag, a length that fits,
 * and a checksum that is right.
 */
final class RecordSearch {
  private static final int WINDOW = 1 << 20;
  private static final int TAG_BYTES = Integer.BYTES;
  private static final int HEAD_BYTES = 2 * Integer.BYTES;
  private static final int CHECKSUM_BYTES = 16;

  private final StoreFile file;
  private final String location;
  private final byte[] window = new byte[WINDOW + TAG_BYTES - 1];

  /** How many bytes may still be hashed: else a file full of tags would take for ever. */
  private long budget;

  /**
   * A record that was found.
   *
   * @param length with its tag and checksum
   */
  record Found(long offset, long length, SealedRecord record) {
    long end() {
      return offset + length;
    }

    RecordReader in() throws IOException {
      return record.verified("record");
    }
  }

  RecordSearch(StoreFile file, String location) throws IOException {
    this.file = file;
    this.location = location;
    this.budget = (64L << 20) + 4 * file.size();
  }

  /** The record that begins just here, if there is one. */
  Optional<Found> at(int tag, long offset, long end) throws IOException {
    byte[] head = new byte[HEAD_BYTES];
    if (end - offset < HEAD_BYTES + CHECKSUM_BYTES
        || file.read(offset, MemorySegment.ofArray(head)) < HEAD_BYTES) {
      return Optional.empty();
    }
    RecordReader in = RecordReader.of(head, location);
    if (in.getInt() != tag) {
      return Optional.empty();
    }
    long length = HEAD_BYTES + Integer.toUnsignedLong(in.getInt()) + CHECKSUM_BYTES;
    if (length > end - offset || length > budget || length > Runtime.getRuntime().maxMemory() / 4) {
      return Optional.empty();
    }
    budget -= length;
    SealedRecord record = SealedRecord.read(file, location, offset, length);
    return record.isIntact() ? Optional.of(new Found(offset, length, record)) : Optional.empty();
  }

  /** The first record of a kind between two places. */
  Optional<Found> first(int tag, long from, long end) throws IOException {
    for (long start = from; start < end; start += WINDOW) {
      int count = fill(start, end);
      for (int i = 0; i + TAG_BYTES <= count; i++) {
        if (isTag(tag, i)) {
          Optional<Found> found = at(tag, start + i, end);
          if (found.isPresent()) {
            return found;
          }
        }
      }
    }
    return Optional.empty();
  }

  /** The last record of a kind between two places. */
  Optional<Found> last(int tag, long from, long end) throws IOException {
    long behind = end;
    while (behind > from) {
      long start = Math.max(from, behind - WINDOW);
      int count = fill(start, Math.min(end, behind + TAG_BYTES - 1));
      for (int i = count - TAG_BYTES; i >= 0; i--) {
        if (isTag(tag, i)) {
          Optional<Found> found = at(tag, start + i, end);
          if (found.isPresent()) {
            return found;
          }
        }
      }
      behind = start;
    }
    return Optional.empty();
  }

  private int fill(long start, long end) throws IOException {
    int wanted = (int) Math.min(window.length, end - start);
    return (int) file.read(start, MemorySegment.ofArray(window).asSlice(0, wanted));
  }

  private boolean isTag(int tag, int at) {
    return window[at] == (byte) tag
        && window[at + 1] == (byte) (tag >> 8)
        && window[at + 2] == (byte) (tag >> 16)
        && window[at + 3] == (byte) (tag >> 24);
  }
}
