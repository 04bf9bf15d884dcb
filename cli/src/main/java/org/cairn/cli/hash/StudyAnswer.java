// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.hash;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Sheet;
import org.cairn.cli.answer.Sheet.Kind;
import org.cairn.cli.answer.Words;
import org.cairn.cli.terminal.Quantities;
import org.cairn.plan.figure.HashFigures;
import org.cairn.plan.hash.Change;
import org.cairn.plan.hash.Exposure;
import org.cairn.plan.hash.Outcome;
import org.cairn.plan.hash.Proportion;
import org.cairn.plan.hash.StudiedHash;
import org.cairn.plan.hash.StudyPlan;
import org.cairn.plan.hash.TableOne;

/** What the study found, in words and in tables of the form of Keller and Bautista-Gomez 2019. */
final class StudyAnswer {
  private final StudyPlan plan;
  private final List<Outcome> outcomes;
  private final Answer answer = new Answer("How often do hashes miss a change?");

  private StudyAnswer(StudyPlan plan, List<Outcome> outcomes) {
    this.plan = plan;
    this.outcomes = outcomes;
  }

  static Answer of(StudyPlan plan, List<Outcome> outcomes, Exposure exposure) {
    return new StudyAnswer(plan, outcomes).answer(exposure);
  }

  private Answer answer(Exposure exposure) {
    answer
        .given("iterations", plan.iterations())
        .given("widthShare", plan.width())
        .given("seed", plan.seed());
    List<StudiedHash> silent = plan.hashes().stream().filter(h -> !missedAny(h)).toList();
    if (!silent.isEmpty()) {
      sayNone(silent);
    }
    answer.sheet(all());
    for (StudiedHash hash : plan.hashes()) {
      if (missedAny(hash)) {
        say(hash);
        answer.sheet(table(hash));
        answer.chart(hash.name(), () -> HashFigures.missed(hash.name(), of(hash)));
      }
    }
    notes();
    ExposureOptions.tell(answer, exposure);
    return answer;
  }

  private List<Outcome> of(StudiedHash hash) {
    return outcomes.stream().filter(outcome -> outcome.hash() == hash).toList();
  }

  private boolean missedAny(StudiedHash hash) {
    return of(hash).stream().anyMatch(outcome -> outcome.missed().hits() > 0);
  }

  // ---------------------------------------------------------------- words

  private void sayNone(List<StudiedHash> silent) {
    double bound =
        outcomes.stream()
            .filter(outcome -> outcome.hash() == silent.getFirst())
            .mapToDouble(outcome -> outcome.missed().high())
            .max()
            .orElse(1);
    answer.say(
        "No change was missed by "
            + names(silent)
            + ": with 95 % confidence each misses fewer than "
            + Words.chance(bound)
            + " of every kind that was tried.");
  }

  private static String names(List<StudiedHash> hashes) {
    String all = hashes.stream().map(StudiedHash::name).collect(Collectors.joining(", "));
    int last = all.lastIndexOf(", ");
    return last < 0 ? all : all.substring(0, last) + " and" + all.substring(last + 1);
  }

  /** The most that a hash missed; of a hash that misses all of some, which. */
  private void say(StudiedHash hash) {
    Outcome worst = of(hash).getFirst();
    for (Outcome outcome : of(hash)) {
      if (outcome.missed().hits() > 0 && !(outcome.missed().rate() <= worst.missed().rate())) {
        worst = outcome;
      }
    }
    Proportion missed = worst.missed();
    answer.say(
        hash.name()
            + " missed "
            + (missed.hits() == missed.trials() ? "all" : Words.chance(missed.rate()))
            + " of the changes \""
            + worst.change().label()
            + "\" of "
            + Quantities.bytes(worst.block())
            + theory(worst)
            + ".");
  }

  private static String theory(Outcome outcome) {
    if (outcome.expected().isEmpty()) {
      return "";
    }
    double expected = outcome.expected().getAsDouble();
    return expected == 1 ? ", as it must" : " (in theory " + Words.chance(expected) + ")";
  }

  // ---------------------------------------------------------------- tables

  private Sheet all() {
    Sheet sheet =
        new Sheet("Missed changes", "missed")
            .column("hash", Kind.TEXT)
            .column("change", Kind.TEXT)
            .column("block", Kind.BYTES)
            .column("changed blocks", Kind.COUNT)
            .column("missed", Kind.COUNT)
            .column("rate", Kind.CHANCE)
            .column("low", Kind.CHANCE)
            .column("high", Kind.CHANCE)
            .column("expected", Kind.CHANCE)
            .column("table one", Kind.CHANCE)
            .forMachines();
    for (Outcome outcome : outcomes) {
      Proportion missed = outcome.missed();
      sheet.row(
          outcome.hash().name(),
          outcome.change().label(),
          outcome.block(),
          missed.trials(),
          missed.hits(),
          missed.rate(),
          missed.low(),
          missed.high(),
          outcome.expected().orElse(Double.NaN),
          printed(outcome).orElse(Double.NaN));
    }
    return sheet;
  }

  private static OptionalDouble printed(Outcome outcome) {
    return TableOne.rate(outcome.hash(), outcome.change(), outcome.block());
  }

  /**
   * A row for each size of blocks, as in table I; what theory says and Keller and Bautista-Gomez
   * 2019 have stand behind.
   */
  private Sheet table(StudiedHash hash) {
    Sheet sheet = new Sheet(hash.name()).column("block", Kind.BYTES).forPeople();
    for (Change change : plan.changes()) {
      sheet.column(change.label(), Kind.CHANCE);
      if (isTold(hash, change)) {
        sheet.column("theory", Kind.CHANCE);
      }
      if (isPrinted(hash, change)) {
        sheet.column("table I", Kind.CHANCE);
      }
    }
    for (int block : plan.blocks()) {
      sheet.row(row(hash, block));
    }
    return sheet;
  }

  private Object[] row(StudiedHash hash, int block) {
    List<Object> cells = new ArrayList<>(List.of(block));
    for (Outcome outcome : of(hash)) {
      if (outcome.block() == block) {
        cells.add(cell(outcome.missed()));
        if (isTold(hash, outcome.change())) {
          cells.add(outcome.expected().orElse(Double.NaN));
        }
        if (isPrinted(hash, outcome.change())) {
          cells.add(printed(outcome).orElse(Double.NaN));
        }
      }
    }
    return cells.toArray();
  }

  /** Whether theory says something that is neither 0 nor 1, and so more than what was found. */
  private boolean isTold(StudiedHash hash, Change change) {
    return outcomes.stream()
        .filter(outcome -> outcome.hash() == hash && outcome.change() == change)
        .mapToDouble(outcome -> outcome.expected().orElse(0))
        .anyMatch(expected -> expected > 0 && expected < 1);
  }

  private boolean isPrinted(StudiedHash hash, Change change) {
    return outcomes.stream()
        .anyMatch(
            outcome ->
                outcome.hash() == hash
                    && outcome.change() == change
                    && printed(outcome).isPresent());
  }

  /** A rate and how well it is known; what was never seen is below something. */
  private static String cell(Proportion missed) {
    if (missed.trials() == 0) {
      return "-";
    }
    if (missed.hits() == missed.trials()) {
      return "all";
    }
    if (missed.hits() == 0) {
      return "< " + Words.chance(missed.high());
    }
    double half = (missed.high() - missed.low()) / 2 / missed.rate();
    return Words.chance(missed.rate())
        + String.format(Locale.ROOT, " ±%.0f%%", Math.max(1, 100 * half));
  }

  // ---------------------------------------------------------------- what to know of it

  private void notes() {
    answer.note(
        "Rates are of changed blocks, with intervals of 95 % (Clopper and Pearson); \"< x\" is what"
            + " none in so many says. --csv and --json have all counts and intervals. The seed is "
            + plan.seed()
            + ".");
    boolean sums =
        outcomes.stream()
            .anyMatch(o -> o.change().label().equals("1 bit") && printed(o).orElse(0) > 0);
    if (sums) {
      answer.note(
          "For one bit theory is exact: it counts the signs with which both sums stay the same, as the"
              + " last bit of an element that flips adds 1 or -1. Table I of Keller and Bautista-Gomez"
              + " 2019 has about 0.8 of that for Adler-32 (0.85 at 128 B, 0.74 at 4 KiB); why is not known. A correct Fletcher-32 misses as much as Adler-32 there, while"
              + " table I has 1.5e-5 = 2^-16 for all changes and sizes, which is what 16 well-mixed"
              + " bits miss (--hashes xxh3-16 shows it).");
    }
    if (plan.changes().stream().anyMatch(change -> change.label().equals("4 bits"))) {
      answer.note(
          "The paper's text writes 0xff for 4 bits and 0xfff for 8; table I fits 0xf and 0xff, which"
              + " are tried here. --patterns 0xff,0xfff tries the others.");
    }
    if (plan.hashes().stream().anyMatch(hash -> hash.name().startsWith("rotating"))) {
      answer.note(
          "Rotating XOR of 32 bits by bytes (listing 7.1 of Ferreira 2011) has turned once around"
              + " after each element, so what changes an even number of them alike cancels. That of"
              + " 64 bits by elements has after 64: there patterns of an even number of bits cancel,"
              + " and all of them from 128 on.");
    }
    for (Change change : plan.changes()) {
      if (change instanceof Change.Move move) {
        answer.note(move.label() + ": " + move.words() + ".");
      }
    }
  }
}
