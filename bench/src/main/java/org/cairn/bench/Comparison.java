// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What two builds measured in turn, figure by figure, and which of them became worse. A figure of a
 * run is a median already; what is compared is the median of all runs.
 */
final class Comparison {
  /** A change of so much is none. */
  private static final double ALLOWED = 0.05;

  private final Map<Figure, Runs> all = new LinkedHashMap<>();

  /** Which way a figure becomes worse. */
  enum Worse {
    MORE,
    LESS,

    /** It is a property of the machine, or of how it was measured. */
    NEITHER
  }

  /**
   * What is measured, in all runs alike.
   *
   * @param group what it belongs to
   */
  record Figure(String group, String name, Worse worse) {}

  /** One figure of one run. */
  record Value(Figure figure, double value) {}

  /** The two builds. */
  enum Build {
    BEFORE,
    AFTER
  }

  private record Runs(List<Double> before, List<Double> after) {
    private static Series series(List<Double> runs) {
      return new Series(runs.stream().mapToDouble(Double::doubleValue).toArray());
    }
  }

  /** Takes what a build measured in one run. */
  void add(Build build, List<Value> values) {
    for (Value value : values) {
      Runs runs =
          all.computeIfAbsent(value.figure, _ -> new Runs(new ArrayList<>(), new ArrayList<>()));
      (build == Build.BEFORE ? runs.before : runs.after).add(value.value);
    }
  }

  /**
   * A figure of both builds.
   *
   * @param before medians of its runs
   */
  record Line(Figure figure, Series before, Series after) {
    private double grown() {
      return after.median() - before.median();
    }

    /** The interval of the measurement: half the distance of the quartiles, of both. */
    private double interval() {
      return before.spread() + after.spread();
    }

    boolean isWorse() {
      double worse =
          switch (figure.worse) {
            case MORE -> grown();
            case LESS -> -grown();
            case NEITHER -> 0;
          };
      return worse > ALLOWED * Math.abs(before.median()) + interval();
    }

    private String markdown() {
      return "| %s | %s | %s | %s | %s | %s |"
          .formatted(
              figure.group,
              figure.name,
              number(before),
              number(after),
              change(),
              isWorse() ? "WORSE" : "");
    }

    private String change() {
      double was = Math.abs(before.median());
      return was == 0 ? "" : String.format(Locale.ROOT, "%+.0f %%", 100 * grown() / was);
    }

    private static String number(Series series) {
      return Target.number(series.median()) + " ± " + Target.number(series.spread());
    }
  }

  /** What both builds have measured, in the order in which it was. */
  List<Line> lines() {
    List<Line> lines = new ArrayList<>();
    all.forEach(
        (figure, runs) -> {
          if (!runs.before.isEmpty() && !runs.after.isEmpty()) {
            lines.add(new Line(figure, Runs.series(runs.before), Runs.series(runs.after)));
          }
        });
    return lines;
  }

  /** As it is in {@code docs/benchmarks.md}. */
  String markdown() {
    StringBuilder out = new StringBuilder();
    out.append("|  | what | before | after | change |  |\n|---|---|---|---|---|---|\n");
    lines().forEach(line -> out.append(line.markdown()).append('\n'));
    return out.toString();
  }
}
