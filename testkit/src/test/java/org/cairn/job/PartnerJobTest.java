// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.dataset.LongCell;
import org.cairn.restart.RestartReport;
import org.cairn.tier.TierKind;
import org.cairn.tier.Tiers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PartnerJobTest {
  private static final Options OPTIONS =
      Options.defaults().threads(1).tiers(Tiers.none().partner(1));

  private final MemoryDirectories directories = new MemoryDirectories();

  /** Runs to {@code steps}, with a checkpoint at each; returns the sum of all ranks' state. */
  private RestartReport run(int ranks, long steps) {
    List<RestartReport> reports = Collections.synchronizedList(new ArrayList<>());
    Ranks.run(
        ranks,
        rank -> "node" + rank,
        comm -> {
          RestartReport report = program(comm, steps);
          if (comm.rank() == 0) {
            reports.add(report);
          }
        });
    return reports.getFirst();
  }

  private RestartReport program(Communicator comm, long steps) {
    try (Checkpointer cairn = Checkpointer.open(directories, comm, OPTIONS)) {
      double[] u = new double[100_000 + 1000 * comm.rank()];
      LongCell step = cairn.protect("step", 0L);
      cairn.protect("u", u);
      RestartReport report = cairn.restart();
      for (int i = 0; i < u.length; i++) {
        assertThat(u[i]).isEqualTo(value(i, comm.rank(), step.get()));
      }
      while (step.get() < steps) {
        step.increment();
        for (int i = 0; i < u.length; i++) {
          u[i] = value(i, comm.rank(), step.get());
        }
        cairn.checkpoint().await(TierKind.PARTNER);
      }
      return report;
    }
  }

  private static double value(int i, int rank, long step) {
    long changes = i % 10 == 0 ? step : Math.min(step, 1);
    return changes == 0 ? 0 : i + 1000.0 * rank + changes;
  }

  @Test
  void aLostDirectoryComesBackFromItsPartner() {
    assertThat(run(4, 3).version()).isEmpty();
    RestartReport plain = run(4, 5);
    assertThat(plain.version()).isPresent();
    assertThat(plain.origins()).containsOnly("local");
    directories.lose(2);

    RestartReport report = run(4, 7);

    assertThat(report.version().orElseThrow().sequence()).isEqualTo(5);
    assertThat(report.origins()).containsExactly("local", "local", "partner of rank 3", "local");
    assertThat(run(4, 8).origins()).containsOnly("local");
  }
}
