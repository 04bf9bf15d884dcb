// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.cairn.CheckpointStats;
import org.cairn.Options;
import org.cairn.Tiers;
import org.cairn.apps.cloverleaf.CloverLeaf;
import org.cairn.apps.cloverleaf.CloverLeafResult;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.comm.SoloCommunicator;
import org.cairn.mesh.Mesh;
import org.cairn.mesh.MeshOptions;
import org.cairn.mesh.MeshStats;
import org.cairn.store.DirectoryStore;

/**
 * The table of the paper on checkpoints of structured grids, row by row, for CloverLeaf 2D: what a
 * program tells, and what a checkpoint and a restart cost then. A run takes one checkpoint after
 * two fifths of its time or steps, and one after four fifths; then it is started once more, goes on
 * from the second, and has to end with the same bits.
 */
public final class PaperTable {
  private static final int RANKS = 2;
  private static final String ONE_FILE = "one file";

  private final Path folder;
  private final int cells;
  private final long steps;
  private final List<Row> rows = new ArrayList<>();

  private PaperTable(Path folder, int cells, long steps) {
    this.folder = folder;
    this.cells = cells;
    this.steps = steps;
  }

  /**
   * A row.
   *
   * @param name of the paper, or like it
   * @param ranks that ran
   * @param seconds of the run
   * @param waited seconds in which the program waited for a checkpoint, in the mean
   * @param restored seconds from the opening of the mesh until the program was where it had been
   * @param bytes that the first checkpoint wrote to the own files of all ranks
   * @param differential bytes that the second one wrote
   * @param checkpoints that were taken
   * @param isSame whether it ended with the bits of the run without checkpoints
   */
  public record Row(
      String name,
      int ranks,
      double seconds,
      double waited,
      double restored,
      long bytes,
      long differential,
      long checkpoints,
      boolean isSame) {}

  /** How a row is run. */
  private record Mode(
      String name,
      int ranks,
      ToldClover.Told told,
      boolean triggered,
      UnaryOperator<Options> with) {}

  /** What one rank saw. */
  private record Seen(
      double seconds,
      double waited,
      double restored,
      long first,
      long second,
      long checkpoints,
      CloverLeafResult end) {}

  /** Measures all rows, with grids of so many cells along a side. */
  public static List<Row> measure(Path folder, int cells, long steps) throws IOException {
    PaperTable table = new PaperTable(folder, cells, steps);
    table.warm();
    for (int ranks = 1; ranks <= RANKS; ranks++) {
      table.measureOn(ranks);
    }
    return table.rows;
  }

  /** Otherwise the first row would be that of the compiler. */
  private void warm() throws IOException {
    PaperTable small = new PaperTable(folder, Math.min(cells, 240), 4 * steps);
    for (boolean again : new boolean[] {false, true}) {
      small.run(mode("warm", 1, ToldClover.Told.HERE, true), Duration.ofDays(1), again);
    }
    clear();
  }

  private static Mode mode(String name, int ranks, ToldClover.Told told, boolean triggered) {
    return new Mode(name, ranks, told, triggered, options -> options);
  }

  private void measureOn(int ranks) throws IOException {
    Mode plain = mode("plain", ranks, ToldClover.Told.READY, false);
    Seen base = run(plain, Duration.ofDays(1), false).getFirst();
    clear();
    rows.add(new Row("plain", ranks, base.seconds, 0, 0, 0, 0, base.checkpoints, true));
    Duration interval = Duration.ofNanos((long) (base.seconds * .4e9));
    for (Mode mode : ranks == 1 ? alone() : together()) {
      rows.add(row(mode, interval, base.end));
      clear();
    }
  }

  private static List<Mode> alone() {
    ToldClover.Told list = ToldClover.Told.HERE_LISTED;
    return List.of(
        mode("no info", 1, ToldClover.Told.NOTHING, false),
        mode("initial phase", 1, ToldClover.Told.READY, false),
        mode("+ fast-forward", 1, ToldClover.Told.HERE, false),
        mode("field list", 1, ToldClover.Told.LISTED, false),
        mode("field list + fast-forward", 1, list, false),
        mode("triggered", 1, list, true),
        new Mode("thread offload", 1, list, true, options -> options.asynchronous(true)));
  }

  private List<Mode> together() throws IOException {
    ToldClover.Told list = ToldClover.Told.HERE_LISTED;
    Path directory = Files.createDirectories(folder.resolve("shared"));
    Tiers shared = Tiers.none().shared(DirectoryStore.shared(directory), 1);
    return List.of(
        mode("triggered", RANKS, list, true),
        new Mode(
            "in memory",
            RANKS,
            list,
            true,
            options -> options.inMemory(true).tiers(Tiers.none().partner(1))),
        new Mode(ONE_FILE, RANKS, list, true, options -> options.tiers(shared.sharedGroup(RANKS))));
  }

  private Row row(Mode mode, Duration interval, CloverLeafResult wanted) throws IOException {
    List<Seen> first = run(mode, interval, false);
    if (mode.name.equals(ONE_FILE)) {
      clear(); // ranks have lost their own files, and restore from the common one
    }
    List<Seen> again = run(mode, Duration.ofDays(1), true);
    Seen one = first.getFirst();
    return new Row(
        mode.name,
        mode.ranks,
        one.seconds,
        one.waited / Math.max(1, one.checkpoints),
        again.stream().mapToDouble(Seen::restored).max().orElse(0),
        first.stream().mapToLong(Seen::first).sum(),
        first.stream().mapToLong(Seen::second).sum(),
        one.checkpoints,
        one.end.equals(wanted) && again.getFirst().end.equals(wanted));
  }

  private List<Seen> run(Mode mode, Duration interval, boolean isRestart) {
    Options options = mode.with.apply(Options.defaults().every(interval));
    if (mode.triggered) {
      options = options.every(Duration.ofDays(1));
    }
    MeshOptions all =
        mode.told == ToldClover.Told.LISTED
            ? MeshOptions.of(options).place(CloverLeaf.END_OF_STEP)
            : MeshOptions.of(options);
    if (mode.ranks == 1) {
      return List.of(run(mode, new SoloCommunicator(), all, isRestart));
    }
    List<AtomicReference<Seen>> seen = List.of(new AtomicReference<>(), new AtomicReference<>());
    Ranks.run(
        mode.ranks,
        rank -> "domain" + rank,
        comm -> seen.get(comm.rank()).set(run(mode, comm, all.threads(1), isRestart)));
    return seen.stream().map(AtomicReference::get).toList();
  }

  private Seen run(Mode mode, Communicator ranks, MeshOptions options, boolean isRestart) {
    long begin = System.nanoTime();
    long[] written = new long[2];
    try (Mesh mesh = Mesh.open(folder.resolve("table"), ranks, options)) {
      ToldClover clover = new ToldClover(mesh, cells, mode.told);
      while (clover.steps() < steps) {
        long fifths = 5 * clover.steps() / steps;
        clover.step();
        boolean isTime = (fifths == 1 || fifths == 3) && 5 * clover.steps() / steps > fifths;
        if (mode.triggered && isTime && !isRestart) {
          mesh.checkpoint();
        }
        note(mesh.stats(), written);
      }
      double seconds = (System.nanoTime() - begin) * 1e-9;
      CloverLeafResult end = clover.result();
      MeshStats stats = mesh.stats();
      return new Seen(
          seconds,
          stats.waited().toNanos() * 1e-9,
          stats.restored().toNanos() * 1e-9,
          written[0],
          written[1],
          stats.checkpoints(),
          end);
    }
  }

  private static void note(MeshStats stats, long[] written) {
    long bytes = stats.last().map(CheckpointStats::bytesWritten).orElse(0L);
    if (stats.checkpoints() == 1 || stats.checkpoints() == 2) {
      int number = (int) stats.checkpoints() - 1;
      written[number] = Math.max(written[number], bytes);
    }
  }

  private void clear() throws IOException {
    try (var files = Files.walk(folder.resolve("table"))) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
