// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.figure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleSupplier;
import java.util.stream.DoubleStream;
import org.cairn.plan.chart.Axis;
import org.cairn.plan.chart.Chart;
import org.cairn.plan.chart.Colour;
import org.cairn.plan.chart.Guide;
import org.cairn.plan.chart.Marker;
import org.cairn.plan.chart.Series;
import org.cairn.plan.chart.Style;
import org.cairn.plan.interval.IntervalRule;
import org.cairn.plan.replication.BreakEven;
import org.cairn.plan.replication.FailureCount;
import org.cairn.plan.replication.Machine;
import org.cairn.plan.replication.Replication;
import org.cairn.plan.replication.SoftwareOverhead;
import org.cairn.plan.replication.Utilisation;

/** The figures of chapters 3 and 6 of Ferreira 2011, for any machine. */
public final class ReplicationFigures {
  private static final int POINTS = 161;
  private static final Scales.Span SOCKETS = new Scales.Span(100, 1e6);
  private static final Scales.Span BREAK_EVENS = new Scales.Span(1000, 1e6);
  private static final double MOST_YEARS = 100;

  private final Machine machine;
  private final double work;
  private final Utilisation asked;

  /**
   * For machines like this one, of any number of sockets.
   *
   * @param work seconds of work of the job
   * @param asked what somebody wants to see beside two replicas
   */
  public ReplicationFigures(Machine machine, double work, Utilisation asked) {
    this.machine = machine;
    this.work = work;
    this.asked = asked;
  }

  /** The same, with two replicas alone. */
  public ReplicationFigures(Machine machine, double work) {
    this(machine, work, Utilisation.of(Replication.PAIRS, SoftwareOverhead.BEST_PROTOCOL));
  }

  /** Whether the charts do not show it anyway. */
  private boolean isMore() {
    return asked.replication().isReplicated()
        && !(asked.replication().equals(Replication.PAIRS) && asked.count() == FailureCount.EXACT);
  }

  private String askedFor() {
    Replication replication = asked.replication();
    return replication.degree()
        + " replicas"
        + (replication.share() == 1 ? "" : " of " + Scales.number(100 * replication.share()) + " %")
        + ", "
        + asked.count().title();
  }

  /** Where the machine that was asked about stands, unless it is one socket that stands for all. */
  private List<Guide> here() {
    return machine.sockets() > 1 ? List.of(Scales.here(machine.sockets())) : List.of();
  }

  /** An axis of sockets on which it can be seen. */
  private Scales.Span seen(Scales.Span usual) {
    return machine.sockets() > 1 ? usual.with(machine.sockets()) : usual;
  }

  private double pairs() {
    return Math.floor(machine.sockets() / 2);
  }

  private List<Guide> herePairs() {
    double pairs = pairs();
    return machine.sockets() > 1
        ? List.of(new Guide(String.format(Locale.ROOT, "yours: %,.0f pairs", pairs), pairs))
        : List.of();
  }

  private Scales.Span processes(double from) {
    Scales.Span usual = new Scales.Span(from, SOCKETS.to());
    return pairs() >= 1 ? usual.with(pairs()) : usual;
  }

  private Scales.Span sockets() {
    Scales.Span seen = seen(SOCKETS);
    return new Scales.Span(Math.max(1, seen.from()), seen.to());
  }

  /** Machines that are too small for a strategy say nothing of it. */
  private static double ifEnough(double sockets, Replication replication, DoubleSupplier value) {
    return sockets < replication.socketsPerProcess() ? Double.NaN : value.getAsDouble();
  }

  private String described() {
    String storage =
        switch (machine.storage()) {
          case Machine.Storage.FixedTime fixed -> "checkpoint " + Scales.time(fixed.checkpoint());
          case Machine.Storage.Bandwidth pipe ->
              Scales.number(pipe.memory() / 1e9)
                  + " GB per process through "
                  + Scales.number(pipe.bandwidth() / 1e12)
                  + " TB/s";
        };
    return Scales.time(work)
        + " of work, MTBF of a socket "
        + Scales.time(machine.socketMtbf())
        + ", "
        + storage;
  }

  /** Figure 3.1: failures that pairs absorb before the job is interrupted. */
  public Chart absorbedFailures() {
    Scales.Span span = processes(1);
    double[] processes = whole(span.points(POINTS));
    return new Chart(
        "Failures until the job is interrupted, two replicas of each process",
        "the birthday count throws failures at processes, a machine at sockets, dead ones too",
        Axis.log("processes", "").between(span.from(), span.to()),
        Axis.log("failures until the interrupt", "").between(1, 10 * Math.sqrt(span.to())),
        List.of(
            line("exact", processes, FailureCount.EXACT, 2),
            line("birthday problem (3.1)", processes, FailureCount.BIRTHDAY, 2)),
        List.of(Scales.exascalePairs()),
        List.of(),
        herePairs());
  }

  /** The birthday problem knows whole numbers of bins only. */
  private static double[] whole(double[] numbers) {
    return Arrays.stream(numbers).map(Math::rint).distinct().toArray();
  }

  private static Series line(String name, double[] processes, FailureCount count, int degree) {
    Replication replication = Replication.full(degree);
    return Scales.line(name, processes, n -> count.failures(replication, n * degree));
  }

  /** Figure 3.2: by how much the approximations miss the birthday count. */
  public Chart approximations() {
    Scales.Span span = processes(10);
    double[] processes = whole(span.points(POINTS));
    List<Series> series = new ArrayList<>();
    for (FailureCount count :
        List.of(FailureCount.INDICATOR, FailureCount.RAMANUJAN, FailureCount.AS_PRINTED)) {
      series.add(
          Scales.line(
              count.title(),
              processes,
              n -> {
                double right = FailureCount.BIRTHDAY.failures(Replication.PAIRS, 2 * n);
                return 100 * (count.failures(Replication.PAIRS, 2 * n) / right - 1);
              }));
    }
    return new Chart(
        "Error of the approximations to the birthday problem",
        "indicator variables (3.7), Ramanujan's expansion, and the same as printed (3.3)",
        Axis.log("processes", "").between(span.from(), span.to()),
        Axis.linear("error", "%").between(-30, 30),
        series,
        List.of(Scales.exascalePairs()),
        List.of(),
        herePairs());
  }

  /** Figure 3.3 (a): mean time to interrupt with and without replication. */
  public Chart mtti() {
    Scales.Span span = sockets();
    double[] sockets = span.points(POINTS);
    List<Series> series =
        new ArrayList<>(
            List.of(
                mtti("without replicas", sockets, Replication.NONE, FailureCount.EXACT, Style.LINE),
                mtti(
                    "two replicas, exact",
                    sockets,
                    Replication.PAIRS,
                    FailureCount.EXACT,
                    Style.LINE),
                mtti(
                    "two replicas, birthday",
                    sockets,
                    Replication.PAIRS,
                    FailureCount.BIRTHDAY,
                    Style.DASHED),
                mtti(
                    "three replicas, exact",
                    sockets,
                    Replication.full(3),
                    FailureCount.EXACT,
                    Style.LINE)));
    if (isMore()) {
      series.add(mtti(askedFor(), sockets, asked.replication(), asked.count(), Style.DASHED));
    }
    return new Chart(
        "Mean time to interrupt",
        "MTBF of a socket " + Scales.time(machine.socketMtbf()),
        Scales.sockets(span),
        Axis.log("mean time to interrupt", "h"),
        series,
        List.of(Scales.exascaleSockets()),
        List.of(),
        here());
  }

  private Series mtti(
      String name, double[] sockets, Replication replication, FailureCount count, Style style) {
    return Scales.ofStrategy(
        name,
        sockets,
        n ->
            ifEnough(
                n,
                replication,
                () -> count.mtti(replication, n, machine.socketMtbf()) / Scales.HOUR),
        style);
  }

  /** Figures 3.3 (b) and 6.1: efficiency with and without replication, and with its software. */
  public Chart efficiency() {
    Scales.Span span = sockets();
    double[] sockets = span.points(POINTS);
    List<Series> series = new ArrayList<>();
    series.add(efficiency("without replicas", sockets, Utilisation.PLAIN, Style.LINE));
    for (SoftwareOverhead overhead : SoftwareOverhead.values()) {
      series.add(
          efficiency(
              overhead == SoftwareOverhead.NONE
                  ? "two replicas, no overhead"
                  : "two replicas, " + overhead.title(),
              sockets,
              Utilisation.of(Replication.PAIRS, overhead),
              overhead == SoftwareOverhead.NONE ? Style.LINE : Style.DASHED));
    }
    if (isMore()) {
      series.add(efficiency(askedFor() + ", as asked", sockets, asked, Style.DASHED));
    }
    return new Chart(
        "Efficiency with and without replication",
        described(),
        Scales.sockets(span),
        Scales.efficiency(),
        series,
        List.of(Scales.exascaleSockets()),
        List.of(),
        here());
  }

  private Series efficiency(String name, double[] sockets, Utilisation use, Style style) {
    return Scales.ofStrategy(
        name,
        sockets,
        n ->
            ifEnough(
                n, use.replication(), () -> 100 * use.efficiency(machine.withSockets(n), work)),
        style);
  }

  /** What replicating a part of the processes gives: little, until it is nearly all. */
  public Chart partial() {
    double[] shares = Scales.linear(0, 1, 101);
    double[] percent = Scales.linear(0, 100, 101);
    List<Series> series = new ArrayList<>();
    for (double sockets : partialSizes()) {
      double[] efficiency = new double[shares.length];
      for (int i = 0; i < shares.length; i++) {
        Utilisation use =
            Utilisation.of(new Replication(2, shares[i]), SoftwareOverhead.BEST_PROTOCOL);
        efficiency[i] = 100 * use.efficiency(machine.withSockets(sockets), work);
      }
      boolean own = sockets == machine.sockets();
      String name =
          String.format(Locale.ROOT, own ? "yours: %,.0f sockets" : "%,.0f sockets", sockets);
      series.add(new Series(name, percent, efficiency, own ? Style.LINE : Style.DASHED));
    }
    return new Chart(
        "Partial replication",
        described() + ", software of equation 5.1 (Ferreira 2011)",
        Axis.linear("processes with two replicas", "%").between(0, 100),
        Scales.efficiency(),
        series,
        List.of(),
        List.of(),
        List.of(new Guide("asked", 100 * asked.replication().share())));
  }

  private double[] partialSizes() {
    return DoubleStream.concat(
            machine.sockets() > 1 ? DoubleStream.of(machine.sockets()) : DoubleStream.empty(),
            DoubleStream.of(20_000, 50_000, 100_000, 200_000))
        .distinct()
        .toArray();
  }

  /** Figure 6.2: from how many sockets on two replicas pay. */
  public Chart breakEven() {
    List<Series> series = new ArrayList<>();
    for (SoftwareOverhead overhead : SoftwareOverhead.values()) {
      String name = overhead == SoftwareOverhead.NONE ? "no overhead" : overhead.title();
      series.add(breakEven(name, machine.storage(), Utilisation.of(Replication.PAIRS, overhead)));
    }
    if (isMore()) {
      series.add(breakEven(askedFor() + ", as asked", machine.storage(), asked));
    }
    return breakEven("Break-even of replication", described(machine), series);
  }

  private static String described(Machine machine) {
    return machine.storage() instanceof Machine.Storage.FixedTime fixed
        ? "checkpoint " + Scales.time(fixed.checkpoint()) + "; replication wins above the curve"
        : "replication wins above the curve";
  }

  /** Figure 6.3: the same for several bandwidths of the storage, in bytes a second. */
  public Chart breakEvenOfBandwidths(double memory, double... bandwidths) {
    List<Series> series = new ArrayList<>();
    for (double bandwidth : bandwidths) {
      series.add(
          breakEven(
              Scales.number(bandwidth / 1e12) + " TB/s",
              new Machine.Storage.Bandwidth(memory, bandwidth),
              Utilisation.of(Replication.PAIRS, SoftwareOverhead.BEST_PROTOCOL)));
    }
    return breakEven(
        "Break-even of two replicas, by the bandwidth of the storage",
        Scales.number(memory / 1e9) + " GB per process; replication wins above the curves",
        series);
  }

  /** Figure 6.4: the same for several numbers of replicas. */
  public Chart breakEvenOfReplicas(FailureCount count, int... degrees) {
    List<Series> series = new ArrayList<>();
    List<Colour> colours = Hues.ofReplicas(degrees);
    for (int degree : degrees) {
      Utilisation use =
          new Utilisation(
              Replication.full(degree), SoftwareOverhead.BEST_PROTOCOL, count, IntervalRule.EXACT);
      series.add(
          breakEven(degree + " replicas", machine.storage(), use).in(colours.get(series.size())));
    }
    return breakEven(
        "Break-even by the number of replicas",
        described(machine) + "; failures counted: " + count.title(),
        series);
  }

  private Series breakEven(String name, Machine.Storage storage, Utilisation use) {
    double[] years = years().points(120);
    BreakEven breakEven = new BreakEven(Utilisation.PLAIN, use, work);
    return Scales.line(
        name,
        years,
        y -> breakEven.sockets(new Machine(1, y * Scales.YEAR, storage)).orElse(Double.NaN));
  }

  private Chart breakEven(String title, String subtitle, List<Series> series) {
    return new Chart(
        title,
        subtitle,
        Axis.linear("MTBF of a socket", "years").between(0, years().to()),
        Scales.sockets(seen(BREAK_EVENS)),
        series,
        List.of(Scales.exascaleDesigns(seen(BREAK_EVENS).to())),
        own());
  }

  private Scales.Span years() {
    return new Scales.Span(0.5, MOST_YEARS).with(machine.socketMtbf() / Scales.YEAR);
  }

  /** The machine that was asked about. */
  private List<Marker> own() {
    double years = machine.socketMtbf() / Scales.YEAR;
    return machine.sockets() > 1
        ? List.of(new Marker("your machine", years, machine.sockets()))
        : List.of();
  }
}
