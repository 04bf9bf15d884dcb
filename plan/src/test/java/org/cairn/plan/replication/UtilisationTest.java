// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.cairn.plan.interval.IntervalRule;
import org.junit.jupiter.api.Test;

class UtilisationTest {
  private static final double YEAR = 365 * 86400.0;
  private static final double WEEK = 168 * 3600.0;
  private static final Machine.Storage QUARTER_HOUR = new Machine.Storage.FixedTime(900, 900);

  private static Machine exascale(double sockets) {
    return new Machine(sockets, 5 * YEAR, QUARTER_HOUR);
  }

  @Test
  void overheadsAreThoseThatFerreiraNames() {
    assertThat(SoftwareOverhead.BEST_PROTOCOL.fraction(200_000)).isCloseTo(0.049, within(5e-4));
    assertThat(SoftwareOverhead.WORST_PROTOCOL.fraction(200_000)).isCloseTo(0.357, within(5e-4));
    assertThat(SoftwareOverhead.WORST_PROTOCOL.fraction(2)).isZero();
    assertThat(SoftwareOverhead.BEST_PROTOCOL.fraction(200_000, Replication.full(4)))
        .isCloseTo(2 * SoftwareOverhead.BEST_PROTOCOL.fraction(200_000), within(1e-12));
    assertThat(SoftwareOverhead.BEST_PROTOCOL.fraction(200_000, Replication.NONE)).isZero();
  }

  @Test
  void pairsStayCloseToHalfWhereCheckpointsAloneCollapse() {
    Utilisation pairs = Utilisation.of(Replication.PAIRS, SoftwareOverhead.NONE);
    assertThat(pairs.efficiency(exascale(200_000), WEEK)).isBetween(0.44, 0.5);
    assertThat(Utilisation.PLAIN.efficiency(exascale(200_000), WEEK)).isLessThan(0.06);
    assertThat(Utilisation.PLAIN.efficiency(exascale(1_000), WEEK)).isGreaterThan(0.85);
  }

  @Test
  void breakEvenSeparatesTheTwo() {
    for (SoftwareOverhead overhead : SoftwareOverhead.values()) {
      Utilisation pairs = Utilisation.of(Replication.PAIRS, overhead);
      double sockets =
          new BreakEven(Utilisation.PLAIN, pairs, WEEK).sockets(exascale(1)).orElseThrow();
      Machine below = exascale(sockets * 0.99);
      Machine above = exascale(sockets * 1.01);
      assertThat(pairs.efficiency(below, WEEK))
          .isLessThan(Utilisation.PLAIN.efficiency(below, WEEK));
      assertThat(pairs.efficiency(above, WEEK))
          .isGreaterThan(Utilisation.PLAIN.efficiency(above, WEEK));
    }
  }

  @Test
  void breakEvenMovesUpWithBetterSocketsAndFasterStorage() {
    Utilisation pairs = Utilisation.of(Replication.PAIRS, SoftwareOverhead.BEST_PROTOCOL);
    BreakEven breakEven = new BreakEven(Utilisation.PLAIN, pairs, WEEK);
    double before = 0;
    for (double years : new double[] {1, 5, 20, 50, 100}) {
      double now = breakEven.sockets(new Machine(1, years * YEAR, QUARTER_HOUR)).orElseThrow();
      assertThat(now).isGreaterThan(before);
      before = now;
    }
    before = 0;
    for (double rate : new double[] {0.5e12, 1e12, 5e12, 30e12}) {
      Machine.Storage storage = new Machine.Storage.Bandwidth(16e9, rate);
      double now = breakEven.sockets(new Machine(1, 5 * YEAR, storage)).orElseThrow();
      assertThat(now).isGreaterThan(before);
      before = now;
    }
  }

  @Test
  void moreReplicasBreakEvenLater() {
    double before = 0;
    for (int degree = 2; degree <= 10; degree++) {
      Utilisation replicated =
          new Utilisation(
              Replication.full(degree),
              SoftwareOverhead.BEST_PROTOCOL,
              FailureCount.INDICATOR_CORRECTED,
              IntervalRule.DALY);
      double now =
          new BreakEven(Utilisation.PLAIN, replicated, WEEK).sockets(exascale(1)).orElseThrow();
      assertThat(now).as("%s replicas", degree).isGreaterThan(before);
      before = now;
    }
  }

  @Test
  void replicationNeverPaysWhereCheckpointsAreFree() {
    Machine machine = new Machine(1, 1e30, new Machine.Storage.FixedTime(1e-9, 0));
    BreakEven breakEven =
        new BreakEven(
            Utilisation.PLAIN, Utilisation.of(Replication.PAIRS, SoftwareOverhead.NONE), WEEK);
    assertThat(breakEven.sockets(machine)).isEmpty();
  }

  @Test
  void bandwidthIsSharedByAllProcesses() {
    Machine.Storage storage = new Machine.Storage.Bandwidth(16e9, 1e12);
    assertThat(storage.checkpoint(100_000)).isEqualTo(1600);
    Utilisation pairs = Utilisation.of(Replication.PAIRS, SoftwareOverhead.NONE);
    Machine machine = new Machine(100_000, 5 * YEAR, storage);
    assertThat(pairs.conditions(machine).checkpoint()).isEqualTo(800);
  }

  @Test
  void refusesMachinesWithoutSockets() {
    assertThatThrownBy(() -> new Machine(0, 1, QUARTER_HOUR)).hasMessageContaining("sockets is 0");
    assertThatThrownBy(() -> new Machine(1, -1, QUARTER_HOUR)).hasMessageContaining("MTBF");
  }
}
