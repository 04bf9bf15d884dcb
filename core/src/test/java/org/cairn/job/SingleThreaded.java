// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.cairn.comm.Communicator;
import org.cairn.comm.ForwardingCommunicator;
import org.cairn.comm.Message;
import org.cairn.comm.Request;

/** A transport that serves one thread only, like an MPI that was built so, and insists on it. */
final class SingleThreaded extends ForwardingCommunicator {
  private final Thread owner = Thread.currentThread();

  SingleThreaded(Communicator inner) {
    super(inner);
  }

  private void checkThread() {
    if (Thread.currentThread() != owner) {
      throw new AssertionError(Thread.currentThread() + " is not " + owner);
    }
  }

  @Override
  public boolean isConcurrent() {
    return false;
  }

  @Override
  public boolean isIndependent() {
    return false;
  }

  @Override
  public Request startSend(MemorySegment data, int to, int tag) {
    checkThread();
    return super.startSend(data, to, tag);
  }

  @Override
  public Request startReceive(MemorySegment target, int from, int tag) {
    checkThread();
    return super.startReceive(target, from, tag);
  }

  @Override
  public Optional<Message> poll(int from, int tag) {
    checkThread();
    return super.poll(from, tag);
  }

  @Override
  public Message probe(int from, int tag) {
    checkThread();
    return super.probe(from, tag);
  }

  @Override
  public Communicator split(int color, int key) {
    checkThread();
    return new SingleThreaded(inner().split(color, key));
  }

  @Override
  public Communicator duplicate() {
    checkThread();
    return new SingleThreaded(inner().duplicate());
  }
}
