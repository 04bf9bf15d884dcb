// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.cairn.Checkpoint;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.bench.Target.Bound;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Terminal;
import org.cairn.container.Container;
import org.jspecify.annotations.Nullable;

/** The promises about checkpoints and restarts, measured on one container. */
final class Suite {
  private static final int WARMUP = 3;
  private static final double FEW = 0.03;

  private final String file;
  private final Settings settings;
  private final State state;
  private final Passes passes;
  private final RawFile raw;
  private final Path directory;
  private final Terminal terminal;
  private final List<Target> targets = new ArrayList<>();

  Suite(
      String file,
      Settings settings,
      State state,
      Passes passes,
      RawFile raw,
      Path directory,
      Terminal terminal) {
    this.file = file;
    this.settings = settings;
    this.state = state;
    this.passes = passes;
    this.raw = raw;
    this.directory = directory;
    this.terminal = terminal;
  }

  List<Target> targets() {
    return targets;
  }

  Checkpointer open() {
    return open(options());
  }

  private Options options() {
    return Options.defaults().threads(settings.threads()).blockSize(settings.blockSize());
  }

  private Checkpointer open(Options options) {
    Checkpointer cairn = Checkpointer.open(directory, options);
    state.protect(cairn);
    return cairn;
  }

  private double durable(Checkpointer cairn, double fraction, boolean scattered)
      throws IOException {
    state.change(fraction, scattered, State.GRAIN);
    return Rounds.time(cairn::checkpoint);
  }

  /** 3 % dirty, contiguous and random, against hashing everything and writing as much. */
  void partlyDirty(Checkpointer cairn) throws IOException {
    say("3 % dirty");
    long bytes = state.change(FEW, true, State.GRAIN);
    Map<String, Series> series =
        new Rounds()
            .addTimed("hash", () -> passes.hash(Options.defaults().hash()))
            .addTimed("raw", () -> raw.overwrite(bytes))
            .add("runs", () -> durable(cairn, FEW, false))
            .add("random", () -> durable(cairn, FEW, true))
            .add("extend", () -> raw.extend(bytes))
            .run(WARMUP, 2 * settings.rounds() + 1);
    Series hash = series(series, "hash");
    Series baseline = hash.plus(series(series, "raw"));
    Series runs = series(series, "runs");
    Series random = series(series, "random");
    String what = "durable checkpoint / (hash pass + raw forced write of the dirty bytes)";
    add("3 % dirty, contiguous", what, runs, baseline, Bound.atMost(1.5));
    add("3 % dirty, random", what, random, baseline, Bound.atMost(1.5));
    add("3 % dirty, random / contiguous", "durable checkpoints", random, runs, Bound.atMost(1.3));
    add(
        "  raw write, new file / old space",
        "of the dirty bytes",
        series(series, "extend"),
        series(series, "raw"),
        null);
    add("  hash pass / all of the baseline", "3 % dirty", hash, baseline, null);
  }

  /** All dirty, against writing all. */
  void fullyDirty(Checkpointer cairn, Runnable before) throws IOException {
    say("100 % dirty");
    Map<String, Series> series =
        new Rounds()
            .addTimed("raw", () -> raw.overwrite(state.bytes()))
            .add(
                "cairn",
                () -> {
                  before.run();
                  return durable(cairn, 1, true);
                })
            .add("extend", () -> raw.extend(state.bytes()))
            .run(1, settings.rounds());
    Series written = series(series, "raw");
    add(
        "100 % dirty",
        "durable checkpoint / raw forced write of all bytes",
        series(series, "cairn"),
        written,
        Bound.atMost(1.2));
    add(
        "  raw write, new file / old space",
        "of all bytes",
        series(series, "extend"),
        written,
        null);
  }

  /** With staging memory for all that is dirty the program waits for hashing and copying only. */
  void asynchronous() throws IOException {
    try (Checkpointer cairn = open(options().staging(state.bytes() + (32L << 20)))) {
      cairn.restart();
      for (double fraction : new double[] {FEW, 0.1, 1}) {
        asynchronous(cairn, fraction);
      }
    }
  }

  private void asynchronous(Checkpointer cairn, double fraction) throws IOException {
    say("asynchronous");
    long bytes = state.change(fraction, true, State.GRAIN);
    Map<String, Series> series =
        new Rounds()
            .addTimed("hash", () -> passes.hash(Options.defaults().hash()))
            .addTimed("copy", () -> passes.copy(bytes))
            .add("waits", () -> waits(cairn, state, fraction))
            .run(WARMUP, settings.rounds());
    add(
        "asynchronous, %d %% random".formatted(Math.round(100 * fraction)),
        "the program waits / (hash pass + copy of the dirty bytes)",
        series(series, "waits"),
        series(series, "hash").plus(series(series, "copy")),
        Bound.atMost(1.3));
  }

  /** How long the program waits for an asynchronous checkpoint. */
  static double waits(Checkpointer cairn, State state, double fraction) {
    state.change(fraction, true, State.GRAIN);
    long start = System.nanoTime();
    Checkpoint taken = cairn.checkpointAsync();
    double seconds = (System.nanoTime() - start) * 1e-9;
    taken.await();
    return seconds;
  }

  /** From opening the container until the state is back, against reading and hashing as much. */
  void restart() throws IOException {
    say("restart");
    long before = passes.fingerprint();
    restart("restart, file in memory", false);
    if (raw.dropFromMemory()) {
      restart("restart, file on disk", true);
    }
    if (passes.fingerprint() != before) {
      throw new IllegalStateException("a restart gave other data than was saved");
    }
  }

  private void restart(String name, boolean cold) throws IOException {
    Map<String, Series> series =
        new Rounds()
            .addTimed("hash", () -> passes.hash(Options.defaults().hash()))
            .add("read", () -> rawRead(cold))
            .add("restart", () -> restartOnce(cold))
            .run(WARMUP, settings.rounds());
    add(
        name,
        "open and restart / (raw sequential read + hash pass)",
        series(series, "restart"),
        series(series, "read").plus(series(series, "hash")),
        Bound.atMost(1.3));
  }

  private double rawRead(boolean cold) throws IOException {
    if (cold) {
      raw.dropFromMemory();
    }
    return Rounds.time(() -> raw.read(state.bytes(), passes.spare()));
  }

  private double restartOnce(boolean cold) throws IOException {
    if (cold) {
      PageCache.drop(directory.resolve(Checkpointer.containerName(0)));
    }
    long start = System.nanoTime();
    try (Checkpointer cairn = open()) {
      cairn.restart();
      return (System.nanoTime() - start) * 1e-9;
    }
  }

  void mapMemory(Checkpointer cairn) {
    long memory = cairn.usage().mapMemory();
    targets.add(
        new Target(
            file,
            "memory for digests and maps",
            "memory / state",
            Quantities.bytes(memory),
            Quantities.bytes(state.bytes()),
            (double) memory / state.bytes(),
            0,
            (double) memory / state.bytes(),
            Bound.atMost(0.003)));
  }

  void fileSize(Checkpointer cairn) {
    Container.Usage usage = cairn.usage();
    targets.add(
        new Target(
            file,
            "file size after %s checkpoints"
                .formatted(Quantities.count(settings.agingCheckpoints())),
            "length of the file / what its two versions refer to",
            Quantities.bytes(usage.fileBytes()),
            Quantities.bytes(usage.liveBytes()),
            (double) usage.fileBytes() / usage.liveBytes(),
            0,
            (double) usage.fileBytes() / usage.liveBytes(),
            Bound.atMost(2)));
  }

  private static Series series(Map<String, Series> all, String name) {
    return Targets.get(all, name);
  }

  private void add(
      String name, String definition, Series measured, Series baseline, @Nullable Bound bound) {
    Series ratio = measured.over(baseline);
    targets.add(
        new Target(
            file,
            name,
            definition,
            Quantities.seconds(measured.median()),
            Quantities.seconds(baseline.median()),
            ratio.median(),
            ratio.spread(),
            measured.least() / baseline.least(),
            bound));
  }

  private void say(String what) {
    terminal.bar(file + " file: " + what, 1, Quantities::count).close();
  }
}
