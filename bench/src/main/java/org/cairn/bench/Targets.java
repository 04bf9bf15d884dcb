// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.bench.Target.Bound;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Terminal;

/**
 * Measures all promises: first those about memory, then the others on a young file and again on one
 * that has seen a thousand checkpoints of random changes.
 */
final class Targets {
  private static final int WARMUP = 3;
  private static final double AGING_FRACTION = 0.1;

  private final Settings settings;
  private final boolean heap;
  private final Terminal terminal;
  private final List<Target> targets = new ArrayList<>();

  Targets(Settings settings, boolean heap, Terminal terminal) {
    this.settings = settings;
    this.heap = heap;
    this.terminal = terminal;
  }

  List<Target> run() throws IOException {
    hashing(false);
    hashing(true);
    garbage();
    try (State state = newState(settings.bytes());
        Passes passes = new Passes(state, settings.threads(), settings.blockSize());
        RawFile raw = new RawFile(settings.directory().resolve("raw"), state, 3 * state.bytes())) {
      young(state, passes, raw);
      old(state, passes, raw);
    }
    return targets;
  }

  private State newState(long bytes) {
    return heap
        ? State.heap(bytes, settings.datasets())
        : State.offHeap(bytes, settings.datasets());
  }

  private void young(State state, Passes passes, RawFile raw) throws IOException {
    Path directory = settings.directory().resolve("young");
    Suite suite = new Suite("young", settings, state, passes, raw, directory, terminal);
    try (Checkpointer cairn = suite.open()) {
      cairn.checkpoint();
      suite.fullyDirty(cairn, () -> {});
      suite.partlyDirty(cairn);
      suite.mapMemory(cairn);
    }
    suite.asynchronous();
    suite.restart();
    targets.addAll(suite.targets());
  }

  private void old(State state, Passes passes, RawFile raw) throws IOException {
    Path directory = settings.directory().resolve("old");
    Suite suite = new Suite("old", settings, state, passes, raw, directory, terminal);
    try (Checkpointer cairn = suite.open()) {
      age(cairn, state, settings.agingCheckpoints());
      suite.fileSize(cairn);
      suite.mapMemory(cairn);
      suite.partlyDirty(cairn);
    }
    suite.restart();
    suite.asynchronous();
    try (Checkpointer cairn = suite.open()) {
      cairn.restart();
      suite.fullyDirty(cairn, () -> age(cairn, state, 10));
    }
    targets.addAll(suite.targets());
  }

  private void age(Checkpointer cairn, State state, int checkpoints) {
    try (ProgressBar bar = terminal.bar("aging", checkpoints, Quantities::count)) {
      for (int i = 0; i < checkpoints; i++) {
        state.change(AGING_FRACTION, true, State.GRAIN);
        cairn.checkpoint();
        bar.advance(1);
      }
    }
  }

  private void hashing(boolean onHeap) throws IOException {
    try (State state =
            onHeap
                ? State.heap(settings.bytes(), settings.datasets())
                : State.offHeap(settings.bytes(), settings.datasets());
        Passes passes = new Passes(state, settings.threads(), settings.blockSize())) {
      Map<String, Series> series =
          new Rounds()
              .addTimed("sum", passes::sum)
              .addTimed("hash", () -> passes.hash(Options.defaults().hash()))
              .run(WARMUP + 5, 2 * settings.rounds() + 1);
      Series sum = get(series, "sum");
      Series hash = get(series, "hash");
      Series ratio = sum.over(hash);
      targets.add(
          new Target(
              "",
              "hash all blocks, " + (onHeap ? "heap" : "off-heap"),
              "rate of hashing / rate of a plain sum over the same memory",
              rate(state.bytes(), hash),
              rate(state.bytes(), sum),
              ratio.median(),
              ratio.spread(),
              sum.least() / hash.least(),
              Bound.atLeast(onHeap ? 0.4 : 0.6)));
    }
  }

  static String rate(long bytes, Series seconds) {
    return Target.number(bytes / seconds.median() * 1e-9) + " GB/s";
  }

  static Series get(Map<String, Series> series, String name) {
    Series found = series.get(name);
    if (found == null) {
      throw new IllegalArgumentException(name + " was not measured");
    }
    return found;
  }

  /** Four times the data must not make four times the garbage. */
  private void garbage() throws IOException {
    Series small = garbage(settings.bytes() / 4);
    Series large = garbage(settings.bytes());
    targets.add(
        new Target(
            "",
            "garbage per checkpoint, 3 % random",
            "bytes allocated by a checkpoint of the state / of a state a quarter as large",
            Quantities.bytes((long) large.median()),
            Quantities.bytes((long) small.median()),
            large.median() / small.median(),
            large.spread() / small.median(),
            large.least() / small.least(),
            Bound.atMost(1.5)));
    targets.add(
        new Target(
            "",
            "garbage per byte of data",
            "growth of garbage / growth of the state",
            Quantities.bytes((long) (large.median() - small.median())),
            Quantities.bytes(settings.bytes() / 4 * 3),
            (large.median() - small.median()) / (settings.bytes() * 0.75),
            large.spread() / (settings.bytes() * 0.75),
            (large.least() - small.least()) / (settings.bytes() * 0.75),
            null));
  }

  private Series garbage(long bytes) throws IOException {
    try (State state = newState(bytes);
        Checkpointer cairn =
            Checkpointer.open(
                settings.directory().resolve("garbage-" + bytes),
                Options.defaults().threads(settings.threads()))) {
      state.protect(cairn);
      double[] allocated = new double[2 * settings.rounds()];
      for (int i = -2 * settings.rounds(); i < allocated.length; i++) {
        state.change(0.03, true, State.GRAIN);
        long before = Garbage.allocatedBytes();
        cairn.checkpoint();
        if (i >= 0) {
          allocated[i] = Garbage.allocatedBytes() - before;
        }
      }
      return new Series(allocated);
    }
  }
}
