// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.cairn.comm.Communicator;
import org.cairn.comm.Message;
import org.cairn.comm.Request;

/** Counts what a rank sends, also through communicators that come of this one. */
final class CountingCommunicator implements Communicator {
  private final Communicator inner;
  private final LongAdder bytes;

  CountingCommunicator(Communicator inner) {
    this(inner, new LongAdder());
  }

  private CountingCommunicator(Communicator inner, LongAdder bytes) {
    this.inner = inner;
    this.bytes = bytes;
  }

  /** Bytes sent so far; collectives count as the messages they are made of. */
  long bytes() {
    return bytes.sum();
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
  public boolean isConcurrent() {
    return inner.isConcurrent();
  }

  @Override
  public Request startSend(MemorySegment data, int to, int tag) {
    bytes.add(data.byteSize());
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
  public Communicator split(int color, int key) {
    return new CountingCommunicator(inner.split(color, key), bytes);
  }

  @Override
  public void close() {
    inner.close();
  }
}
