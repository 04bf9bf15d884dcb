// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.comm;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.LongStream;

/** What one rank has sent, counted when a send starts; collectives count as their messages. */
public final class TrafficMeter {
  private final AtomicLongArray bytes;
  private final AtomicLong messages = new AtomicLong();

  TrafficMeter(int ranks) {
    this.bytes = new AtomicLongArray(ranks);
  }

  void sent(int to, long count) {
    bytes.addAndGet(to, count);
    messages.incrementAndGet();
  }

  /** Bytes sent to a rank of the communicator that was decorated first, also through splits. */
  public long bytesTo(int rank) {
    return bytes.get(rank);
  }

  /** Bytes sent to all ranks. */
  public long bytes() {
    return LongStream.range(0, bytes.length()).map(rank -> bytes.get((int) rank)).sum();
  }

  /** Messages sent to all ranks. */
  public long messages() {
    return messages.get();
  }

  /** Starts from 0. */
  public void reset() {
    for (int rank = 0; rank < bytes.length(); rank++) {
      bytes.set(rank, 0);
    }
    messages.set(0);
  }
}
