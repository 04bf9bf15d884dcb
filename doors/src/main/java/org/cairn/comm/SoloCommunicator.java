// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.cairn.supply.HostName;

/**
 * The communicator of a program that is one rank: rank 0 of 1. It can send to itself, and never has
 * to wait for that.
 */
public final class SoloCommunicator implements Communicator {
  private final Communicator self;

  /** One rank on this host. */
  public SoloCommunicator() {
    this(HostName.get());
  }

  /** One rank in this failure domain. */
  public SoloCommunicator(String domain) {
    this(new ThreadCommunicator(ThreadTeam.ofAll(new ThreadWorld(List.of(domain))), 0));
  }

  private SoloCommunicator(Communicator self) {
    this.self = self;
  }

  @Override
  public int rank() {
    return 0;
  }

  @Override
  public int size() {
    return 1;
  }

  @Override
  public String domain(int rank) {
    return self.domain(rank);
  }

  @Override
  public boolean isConcurrent() {
    return true;
  }

  @Override
  public Request startSend(MemorySegment data, int to, int tag) {
    return self.startSend(data, to, tag);
  }

  @Override
  public Request startReceive(MemorySegment target, int from, int tag) {
    return self.startReceive(target, from, tag);
  }

  @Override
  public Optional<Message> poll(int from, int tag) {
    return self.poll(from, tag);
  }

  @Override
  public Communicator split(int color, int key) {
    return new SoloCommunicator(self.split(color, key));
  }

  @Override
  public void close() {
    self.close();
  }

  @Override
  public String toString() {
    return "the only rank";
  }
}
