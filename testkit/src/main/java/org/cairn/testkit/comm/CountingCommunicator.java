// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.comm;

import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.cairn.comm.Arguments;
import org.cairn.comm.Communicator;
import org.cairn.comm.ForwardingCommunicator;
import org.cairn.comm.Request;

/**
 * Counts what a rank sends, also through communicators that come of this one. A split counts as the
 * exchange of what the ranks choose, and a duplicate as a barrier: transports need that much, and
 * do it where nobody can count.
 */
public final class CountingCommunicator extends ForwardingCommunicator {
  private final Traffic traffic;

  /** The ranks of this communicator in the one that was decorated first, by which is counted. */
  private final int[] origins;

  /**
   * Counts from now on.
   *
   * @param traffic the same for all ranks that are threads of this process
   */
  public CountingCommunicator(Communicator inner, Traffic traffic) {
    this(inner, traffic, IntStream.range(0, inner.size()).toArray());
  }

  private CountingCommunicator(Communicator inner, Traffic traffic, int[] origins) {
    super(inner);
    this.traffic = traffic;
    this.origins = origins;
  }

  @Override
  public Request startSend(MemorySegment data, int to, int tag) {
    Arguments.checkSend(this, to, tag); // what is refused is not counted
    traffic.sent(origins[rank()], origins[to], data.byteSize());
    return inner().startSend(data, to, tag);
  }

  @Override
  public Communicator split(int color, int key) {
    long[] choices = new long[2 * size()];
    allGather(new long[] {color, key}, choices);
    int[] members =
        IntStream.range(0, size())
            .filter(other -> choices[2 * other] == color)
            .boxed()
            .sorted(Comparator.comparingLong(other -> choices[2 * other + 1]))
            .mapToInt(other -> origins[other])
            .toArray();
    return new CountingCommunicator(inner().split(color, key), traffic, members);
  }

  @Override
  public Communicator duplicate() {
    barrier();
    return new CountingCommunicator(inner().duplicate(), traffic, origins);
  }

  @Override
  public String toString() {
    return "counted " + inner();
  }
}
