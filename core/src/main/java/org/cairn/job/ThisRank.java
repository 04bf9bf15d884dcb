// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.time.Duration;
import org.cairn.clock.Clock;
import org.cairn.comm.Communicator;
import org.cairn.store.Store;
import org.cairn.tier.Home;

/** This rank of a job: what stays as it is from opening to closing. */
record ThisRank(Ranks ranks, Place place, Home home, JobSetup setup) {
  Communicator comm() {
    return ranks.comm();
  }

  int number() {
    return ranks.rank();
  }

  int size() {
    return ranks.size();
  }

  /** Where this rank keeps its files. */
  Store store() {
    return place.store();
  }

  /** Where all ranks keep them, for messages. */
  String everywhere() {
    return place.directories().location();
  }

  /** The name by which the job is found again; empty if it has none. */
  String name() {
    return setup.name();
  }

  Clock clock() {
    return setup.clock();
  }

  /** What is left of a time that began at {@code start}. */
  Duration left(long start, Duration limit) {
    return limit.minus(Duration.ofNanos(clock().nanos() - start));
  }
}
