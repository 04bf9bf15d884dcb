// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.cairn.HashAlgorithm;
import org.cairn.cli.terminal.Table;

/**
 * Sweeps in the form of the tables of Keller and Bautista-Gomez, Application-Level Differential
 * Checkpointing for HPC Applications with Dynamic Datasets.
 */
final class SweepTables {
  private SweepTables() {}

  /** Table II: the influence of the block size at one dirty fraction. */
  static String blockSizes(List<Cell> cells) {
    Table table =
        new Table(">b", ">τ", ">±", ">dCP RATE", ">SHARE HASH", ">SHARE WRITE", ">HASH SIZE [MB]");
    cells.stream()
        .sorted(Comparator.comparingInt(Cell::blockSize))
        .forEach(
            cell ->
                table.row(
                    blockSize(cell.blockSize()),
                    percent(cell.change().median(), 0),
                    percent(cell.change().spread(), 0),
                    percent(100 * cell.dirtyRate(), 2),
                    percent(100 * cell.hashShare(), 2),
                    percent(100 * cell.writeShare(), 2),
                    decimals(cell.mapBytes() * 1e-6, 2)));
    return table.toString();
  }

  /** Table VI: the influence of dirty fraction and algorithm at one block size. */
  static String fractions(List<Cell> cells) {
    List<HashAlgorithm> algorithms = cells.stream().map(Cell::algorithm).distinct().toList();
    List<Double> fractions =
        cells.stream()
            .map(Cell::fraction)
            .distinct()
            .sorted(Comparator.<Double>naturalOrder().reversed())
            .toList();
    List<String> head = new ArrayList<>();
    head.add(">Data diff. (n_d)");
    algorithms.forEach(algorithm -> head.add(">" + algorithm.label()));
    head.add(">NO dCP");
    Table table = new Table(head.toArray(new String[0]));
    for (double fraction : fractions) {
      List<String> row = new ArrayList<>();
      row.add(percent(100 * fraction, 0));
      algorithms.forEach(algorithm -> row.add(change(cells, fraction, algorithm)));
      row.add(fraction == 1 ? "0 ± " + decimals(fullSpread(cells), 0) : "-");
      table.row(row.toArray(new String[0]));
    }
    return table.toString();
  }

  private static String change(List<Cell> cells, double fraction, HashAlgorithm algorithm) {
    Optional<Cell> found =
        cells.stream()
            .filter(cell -> cell.fraction() == fraction && cell.algorithm() == algorithm)
            .findFirst();
    return found
        .map(Cell::change)
        .map(change -> decimals(change.median(), 0) + " ± " + decimals(change.spread(), 0))
        .orElse("-");
  }

  /** How much full checkpoints differ among themselves, in percent. */
  private static double fullSpread(List<Cell> cells) {
    Series full = cells.getFirst().fullSeconds();
    return 100 * full.spread() / full.median();
  }

  static String blockSize(int bytes) {
    return bytes >= 1 << 20
        ? (bytes >> 20) + "MB"
        : bytes >= 1 << 10 ? (bytes >> 10) + "KB" : bytes + "B";
  }

  private static String percent(double value, int decimals) {
    return decimals(value, decimals) + "%";
  }

  private static String decimals(double value, int decimals) {
    String text = String.format(Locale.ROOT, "%." + decimals + "f", value);
    return text.equals("-0") ? "0" : text;
  }
}
