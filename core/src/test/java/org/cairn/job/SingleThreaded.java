// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.cairn.comm.Communicator;
import org.cairn.comm.Message;
import org.cairn.comm.Request;

/** A transport that serves one thread only, like an MPI that was built so, and insists on it. */
final class SingleThreaded implements Communicator {
  private final Communicator ranks;
  private final Thread owner = Thread.currentThread();

  SingleThreaded(Communicator ranks) {
    this.ranks = ranks;
  }

  private void checkThread() {
    if (Thread.currentThread() != owner) {
      throw new AssertionError(Thread.currentThread() + " is not " + owner);
    }
  }

  @Override
  public int rank() {
    return ranks.rank();
  }

  @Override
  public int size() {
    return ranks.size();
  }

  @Override
  public String domain(int rank) {
    return ranks.domain(rank);
  }

  @Override
  public int ranksOnHost() {
    return ranks.ranksOnHost();
  }

  @Override
  public boolean isConcurrent() {
    return false;
  }

  @Override
  public Request startSend(MemorySegment data, int to, int tag) {
    checkThread();
    return ranks.startSend(data, to, tag);
  }

  @Override
  public Request startReceive(MemorySegment target, int from, int tag) {
    checkThread();
    return ranks.startReceive(target, from, tag);
  }

  @Override
  public Optional<Message> poll(int from, int tag) {
    checkThread();
    return ranks.poll(from, tag);
  }

  @Override
  public Communicator split(int color, int key) {
    checkThread();
    return new SingleThreaded(ranks.split(color, key));
  }

  @Override
  public void close() {
    ranks.close();
  }
}
