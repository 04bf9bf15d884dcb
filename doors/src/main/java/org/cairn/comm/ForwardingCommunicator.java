// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Passes messages on to another communicator, for those that look at them on the way. What comes of
 * it, by a split or as a duplicate, has to be decorated by them.
 */
public abstract class ForwardingCommunicator implements Communicator {
  private final Communicator inner;

  protected ForwardingCommunicator(Communicator inner) {
    this.inner = inner;
  }

  /** The communicator behind this one. */
  protected final Communicator inner() {
    return inner;
  }

  @Override
  public int rank() {
    return inner.rank();
  }

  @Override
  public int size() {
    return inner.size();
  }

  @Override
  public String domain(int rank) {
    return inner.domain(rank);
  }

  @Override
  public int ranksOnHost() {
    return inner.ranksOnHost();
  }

  @Override
  public boolean isConcurrent() {
    return inner.isConcurrent();
  }

  @Override
  public boolean isIndependent() {
    return inner.isIndependent();
  }

  @Override
  public boolean isProcess() {
    return inner.isProcess();
  }

  @Override
  public Request startSend(MemorySegment data, int to, int tag) {
    return inner.startSend(data, to, tag);
  }

  @Override
  public Request startReceive(MemorySegment target, int from, int tag) {
    return inner.startReceive(target, from, tag);
  }

  @Override
  public Optional<Message> poll(int from, int tag) {
    return inner.poll(from, tag);
  }

  @Override
  public Message probe(int from, int tag) {
    return inner.probe(from, tag);
  }

  @Override
  public abstract Communicator split(int color, int key);

  @Override
  public abstract Communicator duplicate();

  @Override
  public void abort(int status) {
    inner.abort(status);
  }

  @Override
  public void close() {
    inner.close();
  }
}
