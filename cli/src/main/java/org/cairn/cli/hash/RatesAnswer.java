// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.hash;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Sheet;
import org.cairn.cli.answer.Sheet.Kind;
import org.cairn.cli.answer.Words;
import org.cairn.cli.terminal.Quantities;
import org.cairn.hash.HashPath;
import org.cairn.plan.chart.Chart;
import org.cairn.plan.differential.Viability;
import org.cairn.plan.figure.DifferentialFigures;
import org.cairn.plan.figure.HashFigures;
import org.cairn.plan.hash.HashRates.Measured;
import org.cairn.plan.hash.HashRates.Setting;
import org.cairn.plan.hash.Rate;
import org.jspecify.annotations.Nullable;

/** How fast hashes were, and what follows for the storage. */
final class RatesAnswer {
  private final List<Measured> measured;
  private final boolean byProcessor;
  private final Map<String, Double> programs = new LinkedHashMap<>();

  /**
   * An answer with these rates.
   *
   * @param unchanged what part of written pages a program of the user leaves unchanged, or null
   */
  RatesAnswer(List<Measured> measured, boolean byProcessor, @Nullable Double unchanged) {
    this.measured = measured;
    this.byProcessor = byProcessor;
    if (unchanged != null) {
      programs.put("your program, " + Words.percent(unchanged) + " unchanged", unchanged);
    }
    programs.putAll(Viability.APPLICATIONS);
  }

  Answer answer(List<String> remarks) {
    Answer answer = new Answer("How fast are hashes here?");
    answer.given("xxh3Path", HashPath.current().toString());
    say(answer);
    remarks.forEach(answer::say);
    answer.sheet(all());
    groups().forEach((name, group) -> answer.sheet(table(name, group)));
    answer.sheet(breakEvens());
    answer.sheet(breakEvenTable());
    notes(answer);
    charts(answer);
    return answer;
  }

  /** One clock for all: a device has no processor time, and is asked the other one. */
  private double rate(Rate rate) {
    return byProcessor && !Double.isNaN(rate.byProcessor()) ? rate.byProcessor() : rate.byClock();
  }

  private double rate(Measured one) {
    return rate(one.rate());
  }

  private Measured best(List<Measured> some) {
    return some.stream().max(Comparator.comparingDouble(this::rate)).orElseThrow();
  }

  private void say(Answer answer) {
    Measured best = best(measured);
    answer.say(
        "Fastest is "
            + best.setting().hash()
            + ", "
            + Words.rate(rate(best))
            + " with "
            + where(best.setting())
            + " in blocks of "
            + Quantities.bytes(best.setting().block())
            + ". XXH3 runs on its path "
            + HashPath.current()
            + ".");
  }

  private static String where(Setting setting) {
    String place = setting.place().name();
    return setting.place().usesThreads()
        ? place + (setting.threads() == 1 ? ", 1 thread" : ", " + setting.threads() + " threads")
        : place;
  }

  private Map<String, List<Measured>> groups() {
    return measured.stream()
        .collect(
            Collectors.groupingBy(
                one -> where(one.setting()), LinkedHashMap::new, Collectors.toList()));
  }

  private static Map<String, List<Measured>> byHash(List<Measured> some) {
    return some.stream()
        .collect(
            Collectors.groupingBy(
                one -> one.setting().hash().name(), LinkedHashMap::new, Collectors.toList()));
  }

  // ---------------------------------------------------------------- tables

  private Sheet all() {
    Sheet sheet =
        new Sheet("Rates")
            .column("hash", Kind.TEXT)
            .column("memory", Kind.TEXT)
            .column("threads", Kind.COUNT)
            .column("block", Kind.BYTES)
            .column("by clock", Kind.RATE)
            .column("by processor", Kind.RATE)
            .forMachines();
    for (Measured one : measured) {
      Setting setting = one.setting();
      sheet.row(
          setting.hash().name(),
          setting.place().name(),
          setting.place().usesThreads() ? (Object) setting.threads() : "",
          setting.block(),
          one.rate().byClock(),
          one.rate().byProcessor());
    }
    return sheet;
  }

  private Sheet table(String name, List<Measured> group) {
    Sheet sheet = new Sheet("MB/s, " + name).column("hash", Kind.TEXT).forPeople();
    group.stream()
        .map(one -> one.setting().block())
        .distinct()
        .forEach(block -> sheet.column(Quantities.bytes(block), Kind.COUNT));
    byHash(group)
        .forEach(
            (hash, points) -> {
              List<Object> cells = new ArrayList<>(List.of(hash));
              points.forEach(point -> cells.add((double) Math.round(rate(point) / 1e6)));
              sheet.row(cells.toArray());
            });
    return sheet;
  }

  /** Below which bandwidth of the storage hashing pays, at each hash's best. */
  private Sheet breakEvens() {
    Sheet sheet =
        new Sheet("Break-evens", "break evens")
            .column("hash", Kind.TEXT)
            .column("where", Kind.TEXT)
            .column("block", Kind.BYTES)
            .column("best", Kind.RATE)
            .column("program", Kind.TEXT)
            .column("unchanged", Kind.SHARE)
            .column("break even", Kind.RATE)
            .forMachines();
    bests()
        .forEach(
            best ->
                programs.forEach(
                    (program, part) ->
                        sheet.row(
                            best.setting().hash().name(),
                            where(best.setting()),
                            best.setting().block(),
                            rate(best),
                            program,
                            part,
                            breakEven(best, part))));
    return sheet;
  }

  /** The same in the form of table 7.2. */
  private Sheet breakEvenTable() {
    Sheet sheet =
        new Sheet("Break-even bandwidths of the storage, each process")
            .column("hash", Kind.TEXT)
            .column("where", Kind.TEXT)
            .column("best", Kind.RATE)
            .column("block", Kind.BYTES)
            .forPeople();
    programs.keySet().forEach(program -> sheet.column(program, Kind.RATE));
    for (Measured best : bests()) {
      Setting setting = best.setting();
      List<Object> cells =
          new ArrayList<>(
              List.of(setting.hash().name(), where(setting), rate(best), setting.block()));
      programs.values().forEach(part -> cells.add(breakEven(best, part)));
      sheet.row(cells.toArray());
    }
    return sheet;
  }

  /** Each hash where it is fastest, as Ferreira 2011 takes its rates. */
  private List<Measured> bests() {
    return byHash(measured).values().stream().map(this::best).toList();
  }

  private double breakEven(Measured best, double unchanged) {
    return new Viability(rate(best), unchanged).breakEvenBandwidth();
  }

  private void notes(Answer answer) {
    answer.note(
        "MB are 10^6 bytes, medians "
            + (byProcessor
                ? "by processor time: what all threads would reach with their cores to themselves."
                : "by the clock; --by processor leaves out what others do to the machine."));
    answer.note(
        "Model: equation 7.3 of Ferreira 2011. Where the storage takes less from a process than"
            + " its break-even, finding unchanged blocks beats writing all pages that were written"
            + " to; CTH, SAGE and LAMMPS leave 83 %, 35 % and 2.4 % of them unchanged there.");
  }

  // ---------------------------------------------------------------- pictures

  private void charts(Answer answer) {
    Map<String, List<Measured>> groups = groups();
    String widest = where(best(measured).setting());
    answer.chart(
        "rates",
        () ->
            HashFigures.rates(
                "How fast hashes are",
                widest,
                groups.getOrDefault(widest, measured),
                one -> one.setting().hash().name(),
                this::rate));
    byHash(measured)
        .forEach(
            (hash, points) ->
                answer.chart(
                    hash,
                    () ->
                        HashFigures.rates(
                            "How fast " + hash + " is",
                            "by who hashes what memory",
                            points,
                            one -> where(one.setting()),
                            this::rate)));
    answer.chart("bandwidths", this::bandwidths);
  }

  private Chart bandwidths() {
    // The hash that Cairn uses unless told otherwise, where it was measured.
    Map<String, List<Measured>> hashes = byHash(measured);
    List<Measured> points = hashes.getOrDefault("xxh3-128", hashes.values().iterator().next());
    double best = rate(best(points));
    Map<String, Viability> breakEvens = new LinkedHashMap<>();
    programs.forEach((name, part) -> breakEvens.put(name, new Viability(best, part)));
    return DifferentialFigures.bandwidths(breakEvens, OptionalDouble.empty(), 1e12, 10e12, 100e12);
  }
}
