// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Question;
import org.cairn.cli.answer.Sheet;
import org.cairn.cli.answer.Sheet.Kind;
import org.cairn.cli.answer.Units;
import org.cairn.cli.answer.Words;
import org.cairn.cli.terminal.Terminal;
import org.cairn.plan.figure.ReplicationFigures;
import org.cairn.plan.interval.IntervalRule;
import org.cairn.plan.replication.BreakEven;
import org.cairn.plan.replication.FailureCount;
import org.cairn.plan.replication.Machine;
import org.cairn.plan.replication.Replication;
import org.cairn.plan.replication.SoftwareOverhead;
import org.cairn.plan.replication.Utilisation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn plan replication}. */
@Command(
    name = "replication",
    description = {"Whether running every process several times is worth the sockets.", ""},
    footer = {
      "",
      "Pictures (--plot), with the figures of Ferreira 2011: efficiency (3.3b and 6.1), mtti (3.3a),"
          + " absorbed (3.1), approximations (3.2), break-even (6.2), break-even-bandwidth (6.3),"
          + " break-even-replicas (6.4), partial",
      "",
      "Examples:",
      "  cairn plan replication --mtbf 5y --sockets 200000 --checkpoint 15min",
      "  cairn plan replication --mtbf 5y --sockets 100000 --memory 16GB --bandwidth 1TB/s",
      "  cairn plan replication --mtbf 5y --sockets 200000 --checkpoint 15min --count birthday",
      "  cairn plan replication --mtbf 5y --checkpoint 15min --plot break-even --svg even.svg"
    })
final class ReplicationCommand extends Question {
  private static final int MOST_REPLICAS = 10;
  private static final int MANY_REPLICAS = 100;
  private static final double SOCKET_MEMORY = 16e9;
  private static final double YEAR = 365 * 86400.0;
  private static final int[] BREAK_EVEN_DEGREES = {2, 3, 4, 6, 8, 10};

  @Mixin private final MachineOptions options = new MachineOptions();

  @Option(
      names = "--replicas",
      paramLabel = "N",
      defaultValue = "2",
      description = "Replicas of each process that the answer is about; 2 unless given.")
  private int replicas;

  @Option(
      names = "--share",
      paramLabel = "PART",
      converter = Units.Share.class,
      defaultValue = "100%",
      description = "What part of the processes is replicated; 100%% unless given.")
  private double share;

  @Option(
      names = "--overhead",
      paramLabel = "FIT",
      defaultValue = "best",
      description =
          "What the software costs: none, best (equation 5.1 of Ferreira 2011, the default) or worst"
              + " (5.2).")
  private String overhead = "best";

  @Option(
      names = "--count",
      paramLabel = "MODEL",
      defaultValue = "exact",
      description =
          "How absorbed failures are counted: exact (the default), birthday, ramanujan,"
              + " as-printed, indicator or indicator-corrected.")
  private String count = "exact";

  ReplicationCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  public Answer answer() {
    checkReplicas();
    Machine machine = options.machine();
    double work = options.work();
    Replication replication = new Replication(replicas, share);
    Utilisation plain = Utilisation.PLAIN;
    Utilisation replicated = new Utilisation(replication, overhead(), count(), IntervalRule.EXACT);
    Answer answer = new Answer("Is replication worth it?");
    options.describe(answer);
    answer
        .given("replicas", replicas)
        .given("share", share)
        .given("overhead", overhead().title())
        .given("overheadShare", overhead().fraction(machine.sockets(), replication))
        .given("countOfFailures", count().title());
    if (machine.sockets() >= replication.socketsPerProcess()) {
      compare(answer, machine, work, plain, replicated);
    } else {
      answer.say(
          Words.count(machine.sockets())
              + " socket is too few to replicate anything; here is from"
              + " how many on it pays.");
    }
    breakEven(answer, machine, work, plain, replicated);
    answer.sheet(strategies(machine, work));
    answer.sheet(counts(machine));
    answer.sheet(breakEvens(machine, work));
    answer.note(
        "Efficiency is the useful part of the whole machine: replicas are not useful in this sense."
            + " Failures until the interrupt by the '"
            + count().title()
            + "' count: "
            + count().explanation()
            + ".");
    answer.note(
        "The counts differ because the birthday problem throws failures at processes, where the"
            + " second hit always kills; on a machine they strike sockets, and a hit on a replica"
            + " that is dead already does nothing. The 561 of Ferreira 2011 for 200,000 is the"
            + " birthday count of 200,000 processes, and its expansion has -1/3 where +2/3 is"
            + " right.");
    charts(answer, machine, work, replicated);
    return answer;
  }

  private void checkReplicas() {
    if (replicas < 2 || replicas > MANY_REPLICAS) {
      throw new IllegalArgumentException(
          "--replicas is " + replicas + "; it must be between 2 and " + MANY_REPLICAS);
    }
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException(
          "--share is " + share + "; it must be more than 0 and at most 1 (100%)");
    }
  }

  private static void compare(
      Answer answer, Machine machine, double work, Utilisation plain, Utilisation replicated) {
    Utilisation.Result without = plain.evaluate(machine, work);
    Utilisation.Result with = replicated.evaluate(machine, work);
    String name = name(replicated.replication());
    answer.say(
        String.format(
            Locale.ROOT,
            "%s On %s sockets that fail every %s each, checkpoints alone use %s of the machine;"
                + " with %s it is %s.",
            with.efficiency() > without.efficiency()
                ? "Yes, replication is worth it here."
                : without.efficiency() > 0
                    ? "No, checkpoints alone do better here."
                    : "No, and checkpoints alone do not get the job done either.",
            Words.count(machine.sockets()),
            Words.time(machine.socketMtbf()),
            Words.percent(without.efficiency()),
            name,
            Words.percent(with.efficiency())));
    answer.say(
        "The job is interrupted every "
            + Words.time(with.mtti())
            + " instead of every "
            + Words.time(without.mtti())
            + ", and checkpoints every "
            + Words.time(with.interval())
            + ".");
  }

  private static void breakEven(
      Answer answer, Machine machine, double work, Utilisation plain, Utilisation replicated) {
    OptionalDouble even = new BreakEven(plain, replicated, work).sockets(machine);
    if (even.isPresent()) {
      answer.given("breakEvenSockets", (long) Math.ceil(even.getAsDouble()));
      answer.say(
          "With sockets and storage like these, it pays from "
              + Words.count(Math.ceil(even.getAsDouble()))
              + " sockets on.");
    } else {
      answer.say(
          "With sockets and storage like these, it does not pay on up to 1,000,000,000 sockets.");
    }
  }

  private static String name(Replication replication) {
    String what = replication.degree() + " replicas";
    return replication.share() == 1
        ? what
        : what + " of " + Words.percent(replication.share()) + " of the processes";
  }

  private Sheet strategies(Machine machine, double work) {
    Sheet sheet =
        new Sheet("Strategies")
            .column("strategy", Kind.TEXT)
            .column("mtti", Kind.TIME)
            .columnForPeople("mtti in s", Kind.NUMBER)
            .column("checkpoint", Kind.TIME)
            .column("interval", Kind.TIME)
            .column("wall time", Kind.TIME)
            .column("efficiency", Kind.SHARE)
            .column("pays from sockets", Kind.COUNT);
    Map<String, Utilisation> strategies = new LinkedHashMap<>();
    strategies.put("checkpoints alone", Utilisation.PLAIN);
    if (share != 1) {
      Replication partial = new Replication(replicas, share);
      strategies.put(name(partial), Utilisation.of(partial, overhead()));
    }
    List<Integer> degrees = new ArrayList<>();
    for (int degree = 2; degree <= MOST_REPLICAS; degree++) {
      degrees.add(degree);
    }
    if (replicas > MOST_REPLICAS) {
      degrees.add(replicas);
    }
    for (int degree : degrees) {
      boolean countable = degree == 2 || count() == FailureCount.EXACT || isIndicator();
      FailureCount counted = countable ? count() : FailureCount.EXACT;
      strategies.put(
          degree + " replicas" + (countable ? "" : " (exact count)"),
          new Utilisation(Replication.full(degree), overhead(), counted, IntervalRule.EXACT));
    }
    strategies.forEach((name, use) -> row(sheet, name, use, machine, work));
    return sheet;
  }

  private boolean isIndicator() {
    return count() == FailureCount.INDICATOR || count() == FailureCount.INDICATOR_CORRECTED;
  }

  private static void row(Sheet sheet, String name, Utilisation use, Machine machine, double work) {
    if (machine.sockets() < use.replication().socketsPerProcess()) {
      return;
    }
    Utilisation.Result result = use.evaluate(machine, work);
    double even =
        use.replication().isReplicated()
            ? new BreakEven(Utilisation.PLAIN, use, work).sockets(machine).orElse(Double.NaN)
            : Double.NaN;
    sheet.row(
        name,
        result.mtti(),
        result.mtti(),
        result.checkpoint(),
        result.interval(),
        result.wallTime().total(),
        result.efficiency(),
        Math.ceil(even));
  }

  /** The counts for pairs side by side: which model, and what it says. */
  private static Sheet counts(Machine machine) {
    Sheet sheet =
        new Sheet("Failures until an interrupt, two replicas", "counts")
            .column("count", Kind.TEXT)
            .column("failures", Kind.NUMBER)
            .column("mtti", Kind.TIME)
            .columnForPeople("mtti in s", Kind.NUMBER)
            .column("how", Kind.TEXT);
    if (machine.sockets() < 2) {
      return sheet;
    }
    for (FailureCount count : FailureCount.values()) {
      double mtti = count.mtti(Replication.PAIRS, machine.sockets(), machine.socketMtbf());
      sheet.row(
          count.title(),
          count.failures(Replication.PAIRS, machine.sockets()),
          mtti,
          mtti,
          count.explanation());
    }
    return sheet;
  }

  /** From how many sockets on replication pays, for better and worse sockets than these. */
  private Sheet breakEvens(Machine machine, double work) {
    Sheet sheet =
        new Sheet("Break-even in sockets, by the MTBF of a socket", "break even")
            .column("mtbf", Kind.TIME);
    for (int degree : BREAK_EVEN_DEGREES) {
      sheet.column(degree + " replicas", Kind.COUNT);
    }
    for (double years : new double[] {1, 2, 5, 10, 20, 50, 100}) {
      Object[] row = new Object[BREAK_EVEN_DEGREES.length + 1];
      row[0] = years * YEAR;
      for (int i = 0; i < BREAK_EVEN_DEGREES.length; i++) {
        Utilisation use = Utilisation.of(Replication.full(BREAK_EVEN_DEGREES[i]), overhead());
        Machine other = new Machine(machine.sockets(), years * YEAR, machine.storage());
        row[i + 1] =
            Math.ceil(
                new BreakEven(Utilisation.PLAIN, use, work).sockets(other).orElse(Double.NaN));
      }
      sheet.row(row);
    }
    return sheet;
  }

  private void charts(Answer answer, Machine machine, double work, Utilisation replicated) {
    ReplicationFigures figures = new ReplicationFigures(machine, work, replicated);
    int[] degrees = {2, 3, 4, 5, 6, 8, 10};
    answer
        .chart("efficiency", figures::efficiency)
        .chart("mtti", figures::mtti)
        .chart("absorbed", figures::absorbedFailures)
        .chart("approximations", figures::approximations)
        .chart("break-even", figures::breakEven)
        .chart(
            "break-even-bandwidth",
            () ->
                figures.breakEvenOfBandwidths(
                    options.memory(SOCKET_MEMORY), 0.5e12, 1e12, 5e12, 10e12, 30e12))
        .chart(
            "break-even-replicas", () -> figures.breakEvenOfReplicas(FailureCount.EXACT, degrees))
        .chart("partial", figures::partial);
  }

  private SoftwareOverhead overhead() {
    return OverheadOption.parse(overhead);
  }

  private FailureCount count() {
    String name = count.toUpperCase(Locale.ROOT).replace('-', '_');
    for (FailureCount known : FailureCount.values()) {
      if (known.name().equals(name)) {
        return known;
      }
    }
    throw new IllegalArgumentException(
        "--count is '"
            + count
            + "'; there are exact, birthday, ramanujan, as-printed, indicator"
            + " and indicator-corrected");
  }
}
