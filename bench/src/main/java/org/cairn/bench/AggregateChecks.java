// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.cairn.bench.aggregate.Ratios;
import org.cairn.bench.aggregate.Sizes;

/** What was promised of aggregation, and what was measured. */
final class AggregateChecks {
  /** {@code small} must be so many times smaller than gzip −6 and zstd −3. */
  private static final Map<String, List<Double>> TIMES_SMALLER =
      Map.of(
          "openPMD", List.of(2.8, 1.25),
          "Cactus", List.of(1.9, 1.05),
          "AMReX", List.of(1.4, 1.3),
          "amr", List.of(1.4, 1.4));

  private static final String NOISE = "noise";

  private final List<Check> checks = new ArrayList<>();

  /** One promise. */
  record Check(String set, String what, double measured, Target.Bound bound) {
    boolean kept() {
      return bound.keeps(measured);
    }
  }

  List<Check> all() {
    return checks;
  }

  void add(String set, String what, double measured, Target.Bound bound) {
    checks.add(new Check(set, what, measured, bound));
  }

  void sizes(Sizes sizes) {
    double small = sizes.small();
    List<Double> wanted = TIMES_SMALLER.get(sizes.set());
    if (sizes.set().equals(NOISE)) {
      double growth = 100 * (small / sizes.bytes() - 1);
      add(NOISE, "growth of noise, %", growth, Target.Bound.atMost(0.1));
      return;
    }
    double gzip = wanted == null ? 1 : wanted.getFirst();
    add(sizes.set(), "small / gzip −6", sizes.gzip() / small, Target.Bound.atLeast(gzip));
    if (wanted != null) {
      Target.Bound bound = Target.Bound.atLeast(wanted.getLast());
      add(sizes.set(), "small / zstd −3", sizes.zstd() / small, bound);
    }
    Target.Bound bound = Target.Bound.atLeast(1);
    add(sizes.set(), "small / FPC + gzip", sizes.fpcGzip() / small, bound);
  }

  void fixed(Ratios.AgainstFixed one) {
    add(
        one.set(),
        "auto / best fixed choice (%s), level %d".formatted(one.best(), one.level()),
        one.share(),
        Target.Bound.atLeast(0.98));
  }

  void speed(AggregateSpeed.Speed speed) {
    add(speed.set(), "speed of fast / gzip −6", speed.timesGzip(), Target.Bound.atLeast(5));
    add(speed.set(), "ratio of fast / gzip −6", speed.ratioOfGzip(), Target.Bound.atLeast(0.88));
    Target.Bound decoding = Target.Bound.atLeast(0.6);
    add(speed.set(), "decoding / plain zstd", speed.decodingOfZstd(), decoding);
    add(speed.set(), "two cores / one", speed.twoCores(), Target.Bound.atLeast(1.7));
  }

  /** {@code auto} against the best configuration at a store. */
  void stores(List<AggregateStores.Result> results) {
    for (AggregateStores.Result auto : results) {
      if (auto.isAuto()) {
        double best =
            results.stream()
                .filter(one -> one.set().equals(auto.set()) && one.store() == auto.store())
                .mapToDouble(AggregateStores.Result::seconds)
                .min()
                .orElseThrow();
        add(
            auto.set(),
            "auto / best, store of %.0f MB/s".formatted(auto.store()),
            auto.seconds() / best,
            Target.Bound.atMost(1.1));
      }
    }
  }
}
