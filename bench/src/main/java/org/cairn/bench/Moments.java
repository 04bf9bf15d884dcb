// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.cairn.Checkpoint;
import org.cairn.CheckpointStats;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.bench.Target.Bound;
import org.cairn.bench.cold.Plain;
import org.cairn.bench.cold.Program;
import org.cairn.bench.mpi.Programs;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.store.StoreFile;
import org.jspecify.annotations.Nullable;

/**
 * Measures the moments that users feel, part by part: processes that have just begun, large changes
 * after small ones, what a checkpoint costs beside hashing and writing, how long an asynchronous
 * one makes the program wait, parity and memory.
 */
final class Moments {
  /** What can be measured apart. */
  enum Part {
    cold,
    changes,
    fixed,
    asynchronous,
    tiers,
    memory
  }

  static final String LEGEND =
      "Times in seconds; others: cores that other processes had meanwhile.";

  private static final int DATASETS = 8;
  private static final int BLOCK = 16 << 10;
  private static final int PAIR = 2;
  private static final int WARM_UP = 3;
  private static final int WINDOW = 32;
  private static final double FEW = 0.03;
  private static final long MIB = 1 << 20;

  /** What a checkpoint may cost beside hashing, writing and forcing, in seconds. */
  private static final double FIXED = 0.005;

  /**
   * A time of the issue that set it, over a raw write on the machine named there (1.2 / 0.29 s).
   */
  private static final double PARITY_OF_ALL = 4.1;

  private final Path folder;
  private final long bytes;
  private final int times;
  private final Terminal terminal;
  private final List<Moment> moments = new ArrayList<>();

  /**
   * Moments of a state.
   *
   * @param times how often each is measured
   */
  Moments(Path folder, long bytes, int times, Terminal terminal) {
    this.folder = folder;
    this.bytes = bytes;
    this.times = times;
    this.terminal = terminal;
  }

  List<Moment> measure(List<Part> parts) throws IOException, InterruptedException {
    for (Part part : parts) {
      switch (part) {
        case cold -> cold();
        case changes -> changes(Math.ceilDiv(times, 2));
        case fixed -> fixed();
        case asynchronous -> asynchronous();
        case tiers -> tiers();
        case memory -> memory();
      }
    }
    return moments;
  }

  private void add(
      String name, Series measured, Series baseline, OtherWork others, @Nullable Bound bound) {
    moments.add(Moment.of(name, measured, baseline, others.cores(), bound));
  }

  /** A line for information. */
  private void tell(String name, Series measured, Series baseline, OtherWork others) {
    add(name, measured, baseline, others, null);
  }

  /** Counts, which do not depend on what others do. */
  private void count(String name, double counted, double baseline, double bound) {
    moments.add(Moment.of(name, Series.of(counted), Series.of(baseline), 0, Bound.atMost(bound)));
  }

  private Map<String, Series> measured(String name, int warmUp, Rounds all) throws IOException {
    terminal.bar(name, times, Quantities::count).close();
    return all.run(warmUp, times);
  }

  // ---------------------------------------------------------------- fresh processes

  private void cold() throws IOException {
    Path saved = folder.resolve("saved");
    Path pair = folder.resolve("pair");
    run(Program.class, "first", saved, bytes, 1);
    run(Program.class, "first", pair, bytes, PAIR);
    Path file = saved.resolve(Checkpointer.containerName(0));
    List<Path> files = List.of(file, ofRank(pair, 0), ofRank(pair, 1));
    if (canTeach()) {
      teach();
    }
    PageCache.load(folder);
    restarts("file in memory", saved, pair, files, false, 2.5);
    if (PageCache.drop(file)) {
      restarts("file on disk", saved, pair, files, true, 1.6);
    }
    firstCheckpoints();
  }

  /** A JVM keeps nothing of classes that lie in folders, as those of tests do. */
  private static boolean canTeach() {
    return Arrays.stream(classPath().split(File.pathSeparator, -1))
        .allMatch(entry -> Files.isRegularFile(Path.of(entry)));
  }

  /** Lets a JVM find out what a restart takes, and keep it. */
  private void teach() throws IOException {
    Path little = folder.resolve("little");
    run(Program.class, "first", little, bytes / DATASETS, 1);
    output(
        List.of("-XX:AOTCacheOutput=" + cache()),
        Program.class,
        "restart",
        little,
        bytes / DATASETS,
        1);
  }

  private Path cache() {
    return folder.resolve("program.aot");
  }

  /** Not a number where nothing could be taught. */
  private double[] taught(String what, Path place) throws IOException {
    return Files.exists(cache())
        ? numbers(output(List.of("-XX:AOTCache=" + cache()), Program.class, what, place, bytes, 1))
        : new double[] {Double.NaN, Double.NaN};
  }

  private void tellTaught(Map<String, Series> series, Series plain, OtherWork others) {
    if (Files.exists(cache())) {
      tell("  with an AOT cache", Targets.get(series, "taught"), plain, others);
    }
  }

  private static Path ofRank(Path folder, int rank) {
    return folder.resolve("rank" + rank).resolve(Checkpointer.containerName(rank));
  }

  private void restarts(
      String where, Path saved, Path pair, List<Path> files, boolean drops, double bound)
      throws IOException {
    OtherWork others = new OtherWork();
    List<Double> opened = new ArrayList<>();
    String name = "restart in a fresh process, " + where;
    Map<String, Series> series =
        measured(
            name,
            0,
            new Rounds()
                .add("empty", () -> Rounds.time(() -> run(Plain.class, "nothing", saved, 0, 1)))
                .add(
                    "plain",
                    () -> {
                      drop(files, drops);
                      return run(Plain.class, "read", files.getFirst(), bytes, 1)[0];
                    })
                .add(
                    "alone",
                    () -> {
                      drop(files, drops);
                      double[] seconds = run(Program.class, "restart", saved, bytes, 1);
                      opened.add(seconds[0]);
                      return seconds[1];
                    })
                .add(
                    "taught",
                    () -> {
                      drop(files, drops);
                      return taught("restart", saved)[1];
                    })
                .add(
                    "pair",
                    () -> {
                      drop(files, drops);
                      return run(Program.class, "restart", pair, bytes, PAIR)[1];
                    }));
    Series plain = Targets.get(series, "plain");
    add(name, Targets.get(series, "alone"), plain, others, Bound.atMost(bound));
    tell("  of that, opening", series(opened), plain, others);
    tellTaught(series, plain, others);
    tell("  two ranks of half the size, as threads", Targets.get(series, "pair"), plain, others);
    tell("  an empty process, begin to end", Targets.get(series, "empty"), plain, others);
  }

  private static void drop(List<Path> files, boolean drops) throws IOException {
    for (Path file : drops ? files : List.<Path>of()) {
      PageCache.drop(file);
    }
  }

  private void firstCheckpoints() throws IOException {
    String name = "first checkpoint of a process / a new file, forced";
    OtherWork others = new OtherWork();
    Path place = folder.resolve("new");
    Map<String, Series> series =
        measured(
            name,
            0,
            new Rounds()
                .add("plain", () -> fresh(place, () -> run(Plain.class, "write", place, bytes, 1)))
                .add(
                    "alone", () -> fresh(place, () -> run(Program.class, "first", place, bytes, 1)))
                .add("taught", () -> fresh(place, () -> taught("first", place)))
                .add(
                    "pair",
                    () -> fresh(place, () -> run(Program.class, "first", place, bytes, PAIR))));
    Series plain = Targets.get(series, "plain");
    add(name, Targets.get(series, "alone"), plain, others, Bound.atMost(1.2));
    tellTaught(series, plain, others);
    add(
        "  two ranks of half the size",
        Targets.get(series, "pair"),
        plain,
        others,
        Bound.atMost(1.2));
  }

  /** A measurement that writes to a place; that goes afterwards. */
  private interface Writing {
    double[] seconds() throws IOException;
  }

  private static double fresh(Path place, Writing writing) throws IOException {
    try {
      double[] seconds = writing.seconds();
      return seconds[seconds.length - 1];
    } finally {
      delete(place);
    }
  }

  private static void delete(Path place) throws IOException {
    if (Files.isDirectory(place)) {
      new TargetsCommand.Scratch(place).close();
    } else {
      Files.deleteIfExists(place);
    }
  }

  /** Runs a program as anybody would, without a flag. */
  private static double[] run(Class<?> program, String what, Path place, long bytes, int ranks)
      throws IOException {
    return numbers(output(List.of(), program, what, place, bytes, ranks));
  }

  private static double[] numbers(String output) {
    return Arrays.stream(output.strip().split(" ", -1)).mapToDouble(Double::parseDouble).toArray();
  }

  private static String output(
      List<String> flags, Class<?> program, String what, Path place, long bytes, int ranks)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(
        List.of(
            "-cp",
            classPath(),
            program.getName(),
            what,
            place.toString(),
            String.valueOf(bytes),
            String.valueOf(ranks)));
    try {
      return Programs.output(command);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while " + program.getSimpleName() + " ran", e);
    }
  }

  /**
   * What a program has that uses the library, and no more: each jar that lies before it takes time
   * of its own to open, and this command has dozens.
   */
  private static String classPath() {
    Set<Path> ours =
        Stream.of(Program.class, Checkpointer.class, StoreFile.class)
            .map(Moments::placeOf)
            .collect(Collectors.toSet());
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(
            entry ->
                ours.contains(Path.of(entry).toAbsolutePath().normalize())
                    || entry.contains("slf4j")
                    || entry.contains("aircompressor"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static Path placeOf(Class<?> one) {
    try {
      return Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI()).normalize();
    } catch (URISyntaxException e) {
      throw new IllegalStateException("where " + one + " is", e);
    }
  }

  // ---------------------------------------------------------------- changes

  /** What checkpoints wrote, and what of it they had to. */
  private static final class Written {
    private final Deque<double[]> recent = new ArrayDeque<>();
    private final Deque<Long> live = new ArrayDeque<>();
    final List<Double> ratios = new ArrayList<>();
    double worstWindow;
    double worstFile;
    long movedForNothing;

    void add(CheckpointStats stats, long changed, Checkpointer cairn) {
      if (changed == 0) {
        movedForNothing += stats.movedBlocks();
      } else {
        ratios.add((double) (stats.bytesWritten() - MIB) / changed);
      }
      recent.add(new double[] {stats.bytesWritten(), changed});
      live.add(cairn.usage().liveBytes());
      if (recent.size() > WINDOW) {
        recent.remove();
        live.remove();
      }
      if (recent.size() == WINDOW) {
        double wrote = recent.stream().mapToDouble(one -> one[0]).sum();
        double had = recent.stream().mapToDouble(one -> one[1]).sum();
        worstWindow = Math.max(worstWindow, wrote / had);
      }
      long most = live.stream().mapToLong(one -> one).max().orElseThrow();
      worstFile = Math.max(worstFile, (double) cairn.usage().fileBytes() / (2 * most + 4 * MIB));
    }
  }

  /** Twelve checkpoints of 10 %, one of all, twenty of 3 %, one of all; then nothing changed. */
  private void changes(int sequences) throws IOException {
    OtherWork others = new OtherWork();
    List<Double> raws = new ArrayList<>();
    List<Double> large = new ArrayList<>();
    Written written = new Written();
    try (State state = State.offHeap(bytes, DATASETS);
        RawFile raw = new RawFile(folder.resolve("raw"), state, 3 * state.bytes());
        Checkpointer cairn = Checkpointer.open(folder.resolve("alternating"));
        ProgressBar bar = terminal.bar("alternating", 36L * sequences, Quantities::count)) {
      state.protect(cairn);
      cairn.checkpoint();
      for (int i = 0; i < sequences; i++) {
        for (double part : sequence()) {
          long changed = state.change(part, true, State.GRAIN);
          if (part == 1) {
            raws.add(Rounds.time(() -> raw.overwrite(state.bytes())));
          }
          long start = System.nanoTime();
          Checkpoint taken = cairn.checkpoint();
          if (part == 1) {
            large.add((System.nanoTime() - start) * 1e-9);
          }
          written.add(taken.stats().orElseThrow(), changed, cairn);
          bar.advance(1);
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    add("100 % after small changes / raw", series(large), series(raws), others, Bound.atMost(0.85));
    double worst = written.ratios.stream().mapToDouble(one -> one).max().orElseThrow();
    double median = series(written.ratios).median();
    moments.add(
        Moment.of(
            "bytes written (less 1 MiB) / changed", Series.of(median), Series.of(1), 0, null));
    count("  in the worst checkpoint", worst, 1, 1.3);
    count("  in the worst 32 in a row, all counted", written.worstWindow, 1, 1.5);
    count("blocks moved where nothing changed", written.movedForNothing, 1, 0);
    count("file / (2 x the most live in 32 commits + 4 MiB)", written.worstFile, 1, 1);
  }

  private static double[] sequence() {
    double[] parts = new double[36];
    Arrays.fill(parts, 0, 12, 0.1);
    parts[12] = 1;
    Arrays.fill(parts, 14, 34, FEW);
    parts[34] = 1;
    return parts;
  }

  private static Series series(List<Double> values) {
    return new Series(values.stream().mapToDouble(one -> one).toArray());
  }

  // ---------------------------------------------------------------- in a process that is warm

  /** A state with what it is compared with, and a checkpointer. */
  private interface Warm {
    void measure(State state, Passes passes, RawFile raw, Checkpointer cairn) throws IOException;
  }

  private void warm(Options options, Warm what) throws IOException {
    int threads = options.threads();
    Path place = folder.resolve("warm");
    try (State state = State.offHeap(bytes, DATASETS);
        Passes passes = new Passes(state, threads, BLOCK);
        RawFile raw = new RawFile(folder.resolve("raw"), state, 3 * state.bytes());
        Checkpointer cairn = Checkpointer.open(place, options)) {
      state.protect(cairn);
      cairn.checkpoint();
      what.measure(state, passes, raw, cairn);
    }
    delete(place);
  }

  /** What remains of a durable checkpoint if hashing and writing are taken from it. */
  private void fixed() throws IOException {
    warm(
        Options.defaults(),
        (state, passes, raw, cairn) -> {
          OtherWork others = new OtherWork();
          long few = state.change(FEW, true, State.GRAIN);
          Map<String, Series> series =
              measured(
                  "fixed part",
                  WARM_UP,
                  new Rounds()
                      .addTimed("hash", () -> passes.hash(Options.defaults().hash()))
                      .addTimed("raw", () -> raw.overwrite(few))
                      .addTimed("force", () -> raw.overwrite(4096))
                      .add(
                          "few",
                          () -> {
                            state.change(FEW, true, State.GRAIN);
                            return Rounds.time(cairn::checkpoint);
                          })
                      .addTimed("none", cairn::checkpoint));
          Series hash = Targets.get(series, "hash");
          Series force = Targets.get(series, "force");
          Series allowed = constant(FIXED);
          Series few3 = Targets.get(series, "few");
          Series beside =
              few3.plus(hash.times(-1)).plus(Targets.get(series, "raw").times(-1)).atLeast(0);
          add(
              "3 %: beside hash and raw write / (5 ms + a force)",
              beside, allowed.plus(force), others, Bound.atMost(1));
          Series nothing = Targets.get(series, "none").plus(hash.times(-1)).atLeast(0);
          add(
              "nothing dirty: beside hash / (5 ms + two forces)",
              nothing,
              allowed.plus(force.times(2)),
              others,
              Bound.atMost(1));
          tell(
              "  3 %, all of it / (hash + raw write)",
              few3, hash.plus(Targets.get(series, "raw")), others);
        });
  }

  private Series constant(double value) {
    double[] values = new double[times];
    Arrays.fill(values, value);
    return new Series(values);
  }

  private void asynchronous() throws IOException {
    Options defaults = Options.defaults();
    waits("staging as large as the state", defaults.staging(bytes + 32 * MIB), true);
    waits("default staging", defaults, false);
  }

  /** How long the program waits; more than fits into staging waits for the disk, and is shown. */
  private void waits(String staging, Options options, boolean allFits) throws IOException {
    warm(
        options,
        (state, passes, raw, cairn) -> {
          for (double part : new double[] {FEW, 1}) {
            OtherWork others = new OtherWork();
            long changed = state.change(part, true, State.GRAIN);
            Map<String, Series> series =
                measured(
                    "asynchronous, " + staging,
                    WARM_UP,
                    new Rounds()
                        .addTimed("hash", () -> passes.hash(Options.defaults().hash()))
                        .addTimed("copy", () -> passes.copy(changed))
                        .add("waits", () -> Suite.waits(cairn, state, part)));
            Series least = Targets.get(series, "hash").plus(Targets.get(series, "copy"));
            String name =
                "waits, asynchronous %d %%, %s".formatted(Math.round(100 * part), staging);
            Bound bound = part < 1 || allFits ? Bound.atMost(1.5) : null;
            add(name, Targets.get(series, "waits"), least, others, bound);
          }
        });
  }

  // ---------------------------------------------------------------- tiers and memory

  private void tiers() throws IOException {
    OtherWork others = new OtherWork();
    long each = bytes / PAIR;
    for (TierUpdate.Times one : TierUpdate.ofParity(folder, PAIR, each, times)) {
      String name =
          "two ranks with parity, %d %% / raw write of one"
              .formatted(Math.round(100 * one.changed()));
      Bound bound = one.changed() == 1 ? Bound.atMost(PARITY_OF_ALL) : null;
      add(name, one.seconds(), one.raw(), others, bound);
    }
    OtherWork then = new OtherWork();
    TierRebuild.Times rebuilt = TierRebuild.fromParity(folder, 2 * PAIR, each / PAIR, times);
    add(
        "rebuild of a rank from parity / copy",
        rebuilt.rebuild(),
        rebuilt.copy(),
        then,
        Bound.atMost(2.5));
  }

  private void memory() throws IOException, InterruptedException {
    for (MemoryCommand.Taken taken : MemoryCommand.measure(folder, bytes / PAIR)) {
      count(
          "MiB beside the state, %s, %d rank%s / allowed"
              .formatted(taken.name(), taken.ranks(), taken.ranks() == 1 ? "" : "s"),
          (double) taken.most() / MIB,
          (double) taken.bound() / MIB,
          1);
    }
  }

  // ---------------------------------------------------------------- telling

  static Table table(List<Moment> moments, String head) {
    Table table =
        new Table(head, ">measured", ">baseline", ">ratio", ">95 %", ">others", ">bound", "");
    for (Moment moment : moments) {
      table.row(
          moment.name(),
          Target.number(moment.measured()),
          Target.number(moment.baseline()),
          Target.number(moment.ratio()),
          Target.number(moment.low()) + "–" + Target.number(moment.high()),
          Double.isNaN(moment.others()) ? "?" : Target.number(moment.others()),
          moment.bound() == null ? "" : moment.bound().toString(),
          moment.verdict());
    }
    return table;
  }
}
