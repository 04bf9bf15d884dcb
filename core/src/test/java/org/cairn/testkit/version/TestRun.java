// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.version;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.cairn.container.Container;
import org.cairn.container.Retention;
import org.cairn.store.Store;
import org.cairn.version.JobId;
import org.cairn.version.Lineage;
import org.cairn.version.Ownership;
import org.cairn.version.RunId;
import org.cairn.version.RunInfo;
import org.cairn.version.VersionId;

/** One run of one job, for tests that are not about whose state it is. */
public final class TestRun {
  private static final JobId JOB = new JobId(0x0123456789abcdefL, 0xfedcba9876543210L);
  private static final RunId RUN = new RunId(0x5f0c91aa3344bbccL);

  /** Random bits for names of files that no test looks at: the same in the same order. */
  public static final LongSupplier RANDOM = new AtomicLong(1)::getAndIncrement;

  private TestRun() {}

  /** A version of this run. */
  public static VersionId id(long epoch, long sequence, int ranks) {
    return new VersionId(JOB, RUN, epoch, sequence, ranks);
  }

  /** A job of one run, without a name. */
  public static Lineage lineage(int ranks) {
    RunInfo run =
        RunInfo.of(RUN, Instant.EPOCH, ranks, Optional.empty(), false, List.of(), Optional.empty());
    return Lineage.beginning(JOB, "", run);
  }

  /** What the container of a rank says about itself. */
  public static Ownership state(int rank, int ranks) {
    return new Ownership(lineage(ranks), Ownership.STATE, rank, ranks);
  }

  /** Opens or creates the container of a single rank. */
  public static Container open(Store store, String name, int retain) throws IOException {
    return open(store, name, Retention.newest(retain));
  }

  /** Opens or creates the container of a single rank. */
  public static Container open(Store store, String name, Retention retention) throws IOException {
    return Container.open(store, name, retention, state(0, 1), RANDOM);
  }
}
