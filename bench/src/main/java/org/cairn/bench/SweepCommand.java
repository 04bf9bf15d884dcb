// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.cairn.HashAlgorithm;
import org.cairn.cli.command.SizeConverter;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Terminal;
import org.cairn.hash.WeakHash;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code cairn bench sweep}. */
@Command(
    name = "sweep",
    description = {
      "Measures differential against full checkpoints: dirty fractions, contiguous and random,",
      "block sizes, hash algorithms, synchronous and asynchronous. Negative numbers are gains."
    },
    footer = {
      "",
      "Examples:",
      "  cairn bench sweep --quick",
      "  cairn bench sweep --size 512MiB --csv sweep.csv",
      "  cairn bench sweep --algorithms xxh3-128,md5,crc32 --blocks 4k,16k,64k"
    })
final class SweepCommand implements Callable<Integer> {
  private static final List<Double> FRACTIONS = List.of(1.0, 0.62, 0.4, 0.1, 0.03, 0.0);
  private static final double BLOCK_SIZE_FRACTION = 0.62;
  private static final int DATASETS = 8;
  private static final int BLOCK = 16 << 10;

  private final Terminal terminal;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "Size of the protected state (default: 256MiB, with --quick 32MiB).")
  private @Nullable Long size;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Where to write; a folder in it is made and deleted (default: the temporary one).")
  private @Nullable Path directory;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "2",
      description = "Threads of Cairn (default: ${DEFAULT-VALUE}).")
  private int threads = 2;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Repetitions (default: 5, with --quick 3).")
  private @Nullable Integer rounds;

  @Option(
      names = "--algorithms",
      paramLabel = "NAME",
      split = ",",
      description = "Hash algorithms (default: all; with --quick xxh3-128, md5 and crc32).")
  private String @Nullable [] algorithms;

  @Option(
      names = "--blocks",
      paramLabel = "SIZE",
      split = ",",
      converter = SizeConverter.class,
      description = "Block sizes (default: 128 to 1M; with --quick some of them).")
  private Long @Nullable [] blocks;

  @Option(names = "--csv", paramLabel = "FILE", description = "Also write all figures to a file.")
  private @Nullable Path csv;

  @Option(names = "--quick", description = "A smaller state, fewer repetitions and combinations.")
  private boolean quick;

  SweepCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  @SuppressWarnings("try") // the bar goes before the tables come
  public Integer call() throws IOException {
    long bytes = size != null ? size : (quick ? 32L : 256L) << 20;
    int repetitions = rounds != null ? rounds : quick ? 3 : 5;
    List<HashAlgorithm> hashes = algorithms();
    List<Integer> sizes = blockSizes();
    try (TargetsCommand.Scratch scratch = TargetsCommand.Scratch.in(directory);
        State state = State.offHeap(bytes, DATASETS);
        ProgressBar bar =
            terminal.bar("sweep", sizes.size() + 2L * hashes.size(), Quantities::count)) {
      Settings settings =
          new Settings(scratch.path(), bytes, DATASETS, BLOCK, threads, repetitions, 0);
      Sweep sweep = new Sweep(settings, state, bar);
      List<Cell> bySize = new ArrayList<>();
      for (int blockSize : sizes) {
        bySize.addAll(
            sweep.measure(HashAlgorithm.XXH3_128, blockSize, false, List.of(BLOCK_SIZE_FRACTION)));
      }
      List<Cell> byFraction = new ArrayList<>();
      for (boolean asynchronous : new boolean[] {false, true}) {
        for (HashAlgorithm algorithm : hashes) {
          byFraction.addAll(sweep.measure(algorithm, BLOCK, asynchronous, FRACTIONS));
        }
      }
      bar.close();
      print(settings, bySize, byFraction);
      writeCsv(bySize, byFraction);
    }
    return 0;
  }

  private List<HashAlgorithm> algorithms() {
    if (algorithms != null) {
      return Arrays.stream(algorithms).map(WeakHash::parseAny).toList();
    }
    return quick
        ? List.of(HashAlgorithm.XXH3_128, HashAlgorithm.MD5, WeakHash.CRC32)
        : WeakHash.withStrong();
  }

  private List<Integer> blockSizes() {
    if (blocks != null) {
      return Arrays.stream(blocks).map(Math::toIntExact).toList();
    }
    List<Integer> sizes = new ArrayList<>();
    for (int bytes = 128; bytes <= 1 << 20; bytes *= quick ? 8 : 2) {
      sizes.add(bytes);
    }
    return sizes;
  }

  private void print(Settings settings, List<Cell> bySize, List<Cell> byFraction) {
    out(
        "%s in %d datasets, off-heap, %d threads, %d repetitions; changes in units of %s"
            .formatted(
                Quantities.bytes(settings.bytes()),
                settings.datasets(),
                settings.threads(),
                settings.rounds(),
                Quantities.bytes(State.GRAIN)));
    for (boolean scattered : new boolean[] {false, true}) {
      out("");
      out(
          "Impact of the block size b on the time of a synchronous dCP, 62 % changed "
              + pattern(scattered)
              + ", xxh3-128, against a full checkpoint (form of Table II)");
      terminal
          .out()
          .print(SweepTables.blockSizes(only(bySize, cell -> cell.scattered() == scattered)));
    }
    for (boolean asynchronous : new boolean[] {false, true}) {
      for (boolean scattered : new boolean[] {false, true}) {
        out("");
        out(
            "Relative checkpoint overhead compared to full CP (ΔT/T0 [%%]), %s, %s, blocks of 16 KiB (form of Table VI)"
                .formatted(
                    asynchronous ? "asynchronous (time the program waits)" : "synchronous",
                    pattern(scattered)));
        terminal
            .out()
            .print(
                SweepTables.fractions(
                    only(
                        byFraction,
                        cell ->
                            cell.scattered() == scattered && cell.asynchronous() == asynchronous)));
      }
    }
  }

  private static String pattern(boolean scattered) {
    return scattered ? "at random" : "contiguously";
  }

  private static List<Cell> only(List<Cell> cells, Predicate<Cell> wanted) {
    return cells.stream().filter(wanted).toList();
  }

  private void out(String line) {
    terminal.out().println(line);
  }

  private void writeCsv(List<Cell> bySize, List<Cell> byFraction) throws IOException {
    if (csv == null) {
      return;
    }
    List<String> lines = new ArrayList<>();
    lines.add(String.join(",", Cell.COLUMNS));
    bySize.forEach(cell -> lines.add(cell.csv()));
    byFraction.forEach(cell -> lines.add(cell.csv()));
    Files.write(csv, lines);
  }
}
