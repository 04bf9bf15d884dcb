// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemorySegment;

/** What every transport refuses, in the same words. */
public final class Arguments {
  /** Larger ones are the shell's. */
  private static final int MAX_STATUS = 125;

  private Arguments() {}

  /** Refuses to send to ranks that do not exist, and tags that cannot be matched. */
  public static void checkSend(Communicator communicator, int to, int tag) {
    checkRank(communicator, to);
    if (tag == Communicator.ANY_TAG) {
      throw new IllegalArgumentException("a message needs a tag of its own, not ANY_TAG");
    }
    checkTag(tag);
  }

  /** Refuses to receive from ranks that do not exist, and memory that cannot be written. */
  public static void checkReceive(
      Communicator communicator, MemorySegment target, int from, int tag) {
    if (target.isReadOnly()) {
      throw new IllegalArgumentException("cannot receive into read-only memory");
    }
    checkPoll(communicator, from, tag);
  }

  /** Refuses to look for messages of ranks that do not exist. */
  public static void checkPoll(Communicator communicator, int from, int tag) {
    if (from != Communicator.ANY_SOURCE) {
      checkRank(communicator, from);
    }
    checkTag(tag);
  }

  /** Refuses ranks that do not exist. */
  public static void checkRank(Communicator communicator, int rank) {
    if (rank == Communicator.NOBODY) {
      throw new IllegalArgumentException(
          "NOBODY (%d) is beyond an open boundary: only sendReceive takes it, and leaves that half out"
              .formatted(rank));
    }
    if (rank < 0 || rank >= communicator.size()) {
      throw new IllegalArgumentException(
          "there is no rank " + rank + " among " + communicator.size());
    }
  }

  /** Refuses exit statuses that look like success or like a signal. */
  public static void checkStatus(int status) {
    if (status < 1 || status > MAX_STATUS) {
      throw new IllegalArgumentException(
          "ranks end with a status from 1 to %d, not %d".formatted(MAX_STATUS, status));
    }
  }

  /** Refuses to receive into memory that is being sent. */
  static void checkApart(MemorySegment data, MemorySegment target) {
    if (data.byteSize() > 0 && data.asOverlappingSlice(target).isPresent()) {
      throw new IllegalArgumentException("what is sent and what is received share memory");
    }
  }

  private static void checkTag(int tag) {
    if (tag < Communicator.MIN_TAG || tag > Communicator.MAX_TAG) {
      throw new IllegalArgumentException(
          "tags go from 0 to %d; %d is none".formatted(Communicator.MAX_TAG, tag));
    }
  }
}
