// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.cairn.checkpoint.CostModel;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Question;
import org.cairn.cli.answer.Sheet;
import org.cairn.cli.answer.Sheet.Kind;
import org.cairn.cli.answer.Units;
import org.cairn.cli.answer.Words;
import org.cairn.cli.terminal.Terminal;
import org.cairn.plan.differential.Comparison;
import org.cairn.plan.differential.Viability;
import org.cairn.plan.differential.WrittenPages;
import org.cairn.plan.figure.DifferentialFigures;
import org.cairn.plan.interval.Conditions;
import org.cairn.plan.interval.IntervalRule;
import org.cairn.plan.interval.WallTime;
import org.cairn.plan.run.RunHistory;
import org.cairn.plan.run.Spread;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn plan differential}. */
@Command(
    name = "differential",
    description = {"Whether saving only what changed pays.", ""},
    footer = {
      "",
      "Pictures (--plot): gain, bandwidths (figure 7.10 of Ferreira 2011)",
      "",
      "Examples:",
      "  cairn plan differential --hash-rate 5GB/s --write-rate 500MB/s --dirty 30%%",
      "  cairn plan differential --hash-rate 5GB/s --write-rate 500MB/s --dirty 30%% \\",
      "      --mtbf 5y --sockets 10000 --checkpoint 15min       what it does to the whole run",
      "  cairn plan differential --hash-rate 5GB/s --write-rate 500MB/s --written 60%% --dirty 30%%",
      "  cairn plan differential --costs-from checkpoints       rates of a run, from its events",
      "  cairn plan differential --hash-rate 418MB/s --write-rate 12.1MB/s --dirty 3%% --paper"
    })
final class DifferentialCommand extends Question {
  private static final double[] PARTS = {0, 0.03, 0.1, 0.25, 0.5, 0.75, 0.9, 1};

  @Mixin private final MachineOptions machine = new MachineOptions();

  @Option(
      names = "--hash-rate",
      paramLabel = "RATE",
      converter = Units.Rate.class,
      description = "What a process hashes; 'cairn hash rates' measures it.")
  private @Nullable Double hashRateGiven;

  @Option(
      names = "--write-rate",
      paramLabel = "RATE",
      converter = Units.Rate.class,
      description = "What the storage takes from a process.")
  private @Nullable Double writeRateGiven;

  @Option(
      names = "--dirty",
      paramLabel = "PART",
      converter = Units.Share.class,
      description = "What part of the blocks has changed at a checkpoint, e.g. 30%%.")
  private @Nullable Double dirtyGiven;

  @Option(
      names = "--costs-from",
      paramLabel = "DIR",
      description =
          "Take both rates, and what part has changed, from the events of a run; what is given"
              + " beside it counts more.")
  private @Nullable Path costsFrom;

  @Option(
      names = "--written",
      paramLabel = "PART",
      converter = Units.Share.class,
      description =
          "What part lies in pages that were written to, as page protection sees it; as the events"
              + " of a run that was tracked say, else 100%%, unless given.")
  private @Nullable Double writtenGiven;

  @Option(
      names = "--paper",
      description =
          "Hash dirty blocks twice, as FTI does (Keller and Bautista-Gomez 2019); Cairn does it"
              + " once.")
  private boolean paper;

  private double hashRate;
  private double writeRate;
  private @Nullable Double dirty;
  private double written = 1;

  DifferentialCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  public Answer answer() {
    take();
    Comparison comparison =
        new Comparison(
            MachineOptions.positive(hashRate, "--hash-rate"),
            MachineOptions.positive(writeRate, "--write-rate"),
            paper ? CostModel.PASSES_IN_THE_PAPER : CostModel.PASSES_HERE);
    Answer answer = new Answer("Are differential checkpoints worth it?");
    answer
        .given("hashBytesPerSecond", hashRate)
        .given("writeBytesPerSecond", writeRate)
        .given("hashToWriteRatio", comparison.ratio())
        .given("thresholdShare", comparison.threshold());
    answer.say(verdict(comparison));
    Sheet sheet = sheet(comparison);
    answer.sheet(sheet);
    pages(answer, comparison);
    answer.note(
        "Model: equations 3 to 5 of Keller and Bautista-Gomez 2019 with ρ = "
            + Words.number(comparison.ratio())
            + "; a dirty block is hashed "
            + (paper ? "twice" : "once")
            + ". It assumes that dirty blocks are written in large"
            + " pieces, which Cairn does, and that all ranks change about as much.");
    OptionalDouble own = dirty == null ? OptionalDouble.empty() : OptionalDouble.of(dirty);
    OptionalDouble sockets =
        machine.hasSockets() ? OptionalDouble.of(machine.sockets()) : OptionalDouble.empty();
    answer.chart("gain", () -> DifferentialFigures.gain(comparison, own));
    answer.chart(
        "bandwidths",
        () -> DifferentialFigures.bandwidths(applications(), sockets, 1e12, 10e12, 100e12));
    return answer;
  }

  /** What is asked about: as it was given, or else as a run's events show it. */
  private void take() {
    Optional<RunHistory> run = Optional.ofNullable(costsFrom).map(RunHistory::read);
    hashRate = taken(hashRateGiven, "--hash-rate", run.map(RunHistory::hashRate));
    writeRate = taken(writeRateGiven, "--write-rate", run.map(RunHistory::writeRate));
    dirty =
        dirtyGiven != null
            ? dirtyGiven
            : run.flatMap(RunHistory::dirtyFraction).map(Spread::median).orElse(null);
    written = writtenGiven != null ? writtenGiven : writtenIn(run);
  }

  /** Where blocks are larger than pages, more is dirty than was written to; then that counts. */
  private double writtenIn(Optional<RunHistory> run) {
    double seen = run.flatMap(RunHistory::writtenFraction).map(Spread::median).orElse(1.0);
    return dirty == null ? seen : Math.max(seen, dirty);
  }

  private double taken(@Nullable Double given, String option, Optional<OptionalDouble> seen) {
    if (given != null) {
      return given;
    }
    if (seen.isEmpty()) {
      throw new IllegalArgumentException(
          "give " + option + " RATE, or --costs-from DIR of a run that knows it");
    }
    return seen.get()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "the events of " + costsFrom + " have no such rate; give " + option));
  }

  private String verdict(Comparison comparison) {
    double threshold = comparison.threshold();
    if (threshold == 0) {
      return "No: hashing is slower than writing here, so that finding what changed takes longer"
          + " than writing everything.";
    }
    String general =
        "Differential checkpoints are faster than full ones as long as fewer than "
            + Words.percent(threshold)
            + " of the blocks have changed.";
    if (dirty == null) {
      return general;
    }
    double change = comparison.relativeChange(dirty);
    return (change < 0
            ? "Yes: with "
                + Words.percent(dirty)
                + " dirty, a checkpoint takes "
                + Words.percent(-change)
                + " less time than a full one. "
            : "No: with "
                + Words.percent(dirty)
                + " dirty, a checkpoint takes "
                + Words.percent(change)
                + " longer than a full one. ")
        + general;
  }

  private Sheet sheet(Comparison comparison) {
    boolean wholeRun = machine.hasMtbf() && machine.hasStorage();
    Sheet sheet =
        new Sheet("Checkpoints by dirty part", "checkpoints")
            .column("dirty", Kind.SHARE)
            .column("change", Kind.SHARE);
    if (wholeRun) {
      sheet
          .column("checkpoint", Kind.TIME)
          .column("interval", Kind.TIME)
          .column("wall time", Kind.TIME)
          .column("efficiency", Kind.SHARE);
      Conditions full = machine.conditions();
      row(sheet, Double.NaN, 0, full, full.checkpoint());
    }
    for (double part : dirty == null ? PARTS : new double[] {dirty, 0, 0.1, 0.25, 0.5, 0.75, 1}) {
      double change = comparison.relativeChange(part);
      if (wholeRun) {
        Conditions full = machine.conditions();
        row(sheet, part, change, full, comparison.checkpoint(full.checkpoint(), part));
      } else {
        sheet.row(part, change);
      }
    }
    return sheet;
  }

  /** The first row, without a dirty part, is the full checkpoint. */
  private void row(Sheet sheet, double part, double change, Conditions full, double checkpoint) {
    Conditions conditions = full.withCheckpoint(checkpoint);
    double interval = IntervalRule.EXACT.interval(conditions);
    WallTime time = WallTime.expected(conditions, machine.work(), interval);
    sheet.row(part, change, checkpoint, interval, time.total(), time.efficiency());
  }

  /** Page-based against hash-based, chapter 7 of Ferreira 2011. */
  private void pages(Answer answer, Comparison comparison) {
    if (dirty == null) {
      return;
    }
    if (dirty > written) {
      throw new IllegalArgumentException(
          "--dirty is more than --written; what has changed was written to");
    }
    WrittenPages pages = new WrittenPages(written, dirty);
    Viability viability = pages.viability(hashRate);
    answer
        .given("dirtyShare", dirty)
        .given("writtenShare", written)
        .given("compressionShare", pages.compression())
        .given("breakEvenBytesPerSecond", viability.breakEvenBandwidth());
    answer.say(
        "Compared with saving every page that was written to, hashing "
            + (viability.pays(writeRate) ? "pays" : "does not pay")
            + ": it finds "
            + Words.percent(pages.compression())
            + " of them unchanged, and breaks even with storage of "
            + Words.rate(viability.breakEvenBandwidth())
            + " for each process.");
    answer.sheet(ways(pages, comparison));
    answer.note(
        "Equation 7.3 of Ferreira 2011: β_ckpt / β_hash = "
            + Words.number(writeRate / hashRate)
            + (viability.pays(writeRate) ? " is less" : " is not less")
            + " than compression = "
            + Words.number(pages.compression())
            + ". Equations 1 to 5 (Keller and Bautista-Gomez 2019) hash all of the state, 7.1 to 7.3 what lies in pages that were"
            + " written to, and do not count what finding those costs.");
  }

  /** What each way to save hashes and writes, and the time that takes, of a full checkpoint's. */
  private Sheet ways(WrittenPages pages, Comparison comparison) {
    Sheet sheet =
        new Sheet("Ways to save")
            .column("way", Kind.TEXT)
            .column("hashed", Kind.SHARE)
            .column("saved", Kind.SHARE)
            .column("time of a full one", Kind.SHARE)
            .column("equations", Kind.TEXT);
    double full = 1 / writeRate;
    sheet.row("all of it", 0, 1, 1, "");
    sheet.row(
        "blocks that changed", 1, pages.dirty(), comparison.checkpoint(1, pages.dirty()), "1 to 5");
    sheet.row(
        "pages that were written to",
        0,
        pages.written(),
        pages.secondsByPages(writeRate) / full,
        "7.1, right");
    sheet.row(
        "blocks that changed in them",
        pages.written(),
        pages.dirty(),
        pages.secondsByHashes(hashRate, writeRate) / full,
        "7.1, left");
    return sheet;
  }

  private Map<String, Viability> applications() {
    Map<String, Viability> applications = new LinkedHashMap<>();
    if (dirty != null) {
      applications.put(
          "break-even of this program", new WrittenPages(written, dirty).viability(hashRate));
    }
    Viability.APPLICATIONS.forEach(
        (name, part) -> applications.put(name, new Viability(hashRate, part)));
    return applications;
  }
}
