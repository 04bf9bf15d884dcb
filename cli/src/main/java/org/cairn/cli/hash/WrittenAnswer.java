// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.hash;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Sheet;
import org.cairn.cli.answer.Sheet.Kind;
import org.cairn.cli.answer.Words;
import org.cairn.cli.hash.WrittenStudy.Seen;
import org.cairn.cli.terminal.Quantities;
import org.cairn.plan.figure.HashFigures;

/** What programs write to and what changes of it, in words, tables and pictures. */
final class WrittenAnswer {
  private static final double MEGABYTE = 1e6;

  private final Map<StudiedProgram.Kind, List<Seen>> programs;
  private final List<Integer> sizes;
  private final Answer answer = new Answer("How much of what programs write to has changed?");

  private WrittenAnswer(Map<StudiedProgram.Kind, List<Seen>> programs, List<Integer> sizes) {
    this.programs = programs;
    this.sizes = sizes;
  }

  static Answer of(Map<StudiedProgram.Kind, List<Seen>> programs, List<Integer> sizes) {
    return new WrittenAnswer(programs, sizes).answer();
  }

  private Answer answer() {
    programs.forEach(this::say);
    answer.sheet(averages()).sheet(savings()).sheet(checkpoints());
    programs.forEach(
        (kind, seen) ->
            answer.chart(
                kind.title(),
                () ->
                    HashFigures.written(
                        kind.title(),
                        values(seen, Seen::checkpoint),
                        values(seen, Seen::writtenShare),
                        sizes,
                        size -> values(seen, one -> one.changedShare(size)))));
    answer.note(
        "By pages is what a system-level checkpoint would save that goes by page protection, by"
            + " hashes what libhashckpt would, in the smallest blocks; saved is what the program"
            + " needs to go on, and by Cairn those of its blocks that have changed. CTH and LAMMPS"
            + " are Ferreira's (2011).");
    if (programs.values().stream()
        .anyMatch(seen -> seen.stream().anyMatch(one -> Double.isNaN(one.written())))) {
      answer.note(
          "At some checkpoints the collector had moved an array: what was written to is not known"
              + " then. Take a larger --size, or start java with -XX:+UseG1GC.");
    }
    return answer;
  }

  private void say(StudiedProgram.Kind kind, List<Seen> seen) {
    answer.say(
        "%s (%s) writes to %s of its memory from checkpoint to checkpoint, and %s changes in blocks of %s."
            .formatted(
                kind.title(),
                kind.words(),
                Sheet.Kind.SHARE.format(mean(seen, Seen::writtenShare)),
                Words.percent(mean(seen, one -> one.changedShare(0))),
                Quantities.bytes(sizes.getFirst())));
  }

  // ---------------------------------------------------------------- tables

  /** Figures 7.1 to 7.4 in a line each. */
  private Sheet averages() {
    Sheet sheet =
        new Sheet("Written to and changed, averages of all checkpoints", "averages")
            .column("program", Kind.TEXT)
            .column("memory", Kind.BYTES)
            .column("written", Kind.SHARE);
    for (int size : sizes) {
      sheet.column(label(size), Kind.SHARE);
    }
    sheet.column("least", Kind.SHARE).column("most", Kind.SHARE);
    programs.forEach((kind, seen) -> sheet.row(averages(kind, seen)));
    return sheet;
  }

  private static String label(int size) {
    return "changed in " + Quantities.bytes(size);
  }

  private Object[] averages(StudiedProgram.Kind kind, List<Seen> seen) {
    List<Object> cells =
        new ArrayList<>(
            List.of(kind.title(), seen.getFirst().memory(), mean(seen, Seen::writtenShare)));
    for (int i = 0; i < sizes.size(); i++) {
      int size = i;
      cells.add(mean(seen, one -> one.changedShare(size)));
    }
    cells.add(seen.stream().mapToDouble(one -> one.changedShare(0)).min().orElseThrow());
    cells.add(seen.stream().mapToDouble(one -> one.changedShare(0)).max().orElseThrow());
    return cells.toArray();
  }

  /** Table 7.1, with what Cairn adds to it. */
  private Sheet savings() {
    Sheet sheet =
        new Sheet("Bytes of a checkpoint (table 7.1), and how much less than by pages", "sizes")
            .column("program", Kind.TEXT)
            .column("by pages", Kind.BYTES)
            .column("by hashes", Kind.BYTES)
            .column("less by hashes", Kind.SHARE)
            .column("saved", Kind.BYTES)
            .column("less saved", Kind.SHARE)
            .column("by cairn", Kind.BYTES)
            .column("less by cairn", Kind.SHARE);
    programs.forEach(
        (kind, seen) ->
            size(
                sheet,
                kind.title(),
                mean(seen, Seen::written),
                mean(seen, one -> one.changed().getFirst()),
                mean(seen, Seen::saved),
                mean(seen, Seen::savedChanged)));
    size(sheet, "CTH (table 7.1)", 513 * MEGABYTE, 35 * MEGABYTE, 26 * MEGABYTE, Double.NaN);
    size(sheet, "LAMMPS (table 7.1)", 2735 * MEGABYTE, 2670 * MEGABYTE, 608 * MEGABYTE, Double.NaN);
    return sheet;
  }

  private static void size(
      Sheet sheet, String name, double pages, double hashes, double saved, double cairn) {
    sheet.row(
        name,
        bytes(pages),
        bytes(hashes),
        1 - hashes / pages,
        bytes(saved),
        1 - saved / pages,
        bytes(cairn),
        1 - cairn / pages);
  }

  private static double bytes(double value) {
    return Math.rint(value);
  }

  private Sheet checkpoints() {
    Sheet sheet =
        new Sheet("Each checkpoint", "checkpoints")
            .column("program", Kind.TEXT)
            .column("checkpoint", Kind.COUNT)
            .column("steps", Kind.COUNT)
            .column("memory", Kind.BYTES)
            .column("written", Kind.BYTES);
    for (int size : sizes) {
      sheet.column("changed " + size, Kind.BYTES);
    }
    sheet.column("saved", Kind.BYTES).column("by cairn", Kind.BYTES).forMachines();
    programs.forEach((kind, seen) -> seen.forEach(one -> sheet.row(row(kind, one))));
    return sheet;
  }

  private static Object[] row(StudiedProgram.Kind kind, Seen seen) {
    List<Object> cells =
        new ArrayList<>(
            List.of(
                kind.title(),
                seen.checkpoint(),
                seen.steps(),
                seen.memory(),
                bytes(seen.written())));
    seen.changed().forEach(bytes -> cells.add(bytes(bytes)));
    cells.add(seen.saved());
    cells.add(bytes(seen.savedChanged()));
    return cells.toArray();
  }

  /** Of those that are known. */
  private static double mean(List<Seen> seen, ToDoubleFunction<Seen> value) {
    return seen.stream()
        .mapToDouble(value)
        .filter(one -> !Double.isNaN(one))
        .average()
        .orElse(Double.NaN);
  }

  private static double[] values(List<Seen> seen, ToDoubleFunction<Seen> value) {
    return seen.stream().mapToDouble(value).toArray();
  }
}
