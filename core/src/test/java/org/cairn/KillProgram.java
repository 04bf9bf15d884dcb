// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.cairn.store.DirectoryStore;
import org.cairn.store.Store;

/**
 * A small deterministic computation that takes a checkpoint at every step, written to be killed:
 * its output says, unbuffered, where it is. Arguments: directory, number of steps, and sync, async,
 * tracked or untracked.
 */
final class KillProgram {
  private static final FileOutputStream OUT = new FileOutputStream(FileDescriptor.out);

  private final double[] field = new double[6000];
  private final int[] counts = new int[500];

  /** Written once and never changed: must not be written over either. */
  private final long[] constant = new long[8000];

  /** Outside of the Java heap, where what is written to can be tracked. */
  private static final long GRID_BYTES = 1 << 20;

  private final MemorySegment grid = Arena.ofAuto().allocate(GRID_BYTES, 64 << 10);
  private long[] history = new long[0];
  private byte[] notes = new byte[0];

  private KillProgram() {}

  public static void main(String[] args) throws IOException {
    Store store = DirectoryStore.open(Path.of(args[0]), true);
    say("result " + new KillProgram().run(store, Integer.parseInt(args[1]), args[2]));
  }

  /** What the program computes if nobody disturbs it. */
  static String undisturbed(Store store, int steps) throws IOException {
    return new KillProgram().run(store, steps, "silent");
  }

  private String run(Store store, int steps, String mode) throws IOException {
    boolean async = mode.equals("async");
    // Left to itself so small a state is written whole, which exercises less: let async do that.
    Strategy strategy = async ? Strategy.AUTO : Strategy.DIFFERENTIAL;
    Options options =
        Options.defaults()
            .blockSize(1024)
            .threads(2)
            .retain(2)
            .asynchronous(async)
            .tracking(mode.equals("tracked") ? Tracking.AUTO : Tracking.OFF)
            .verifyEvery(100)
            .strategy(strategy);
    try (Checkpointer cairn = Checkpointer.open(store, options)) {
      LongCell step = cairn.protect("step", 0L);
      cairn.protect("field", field);
      cairn.protect("counts", counts).codec(Codec.DEFLATE);
      cairn.protect("constant", constant);
      cairn.protect("grid", grid, ElementType.LONG);
      cairn.protect("history", long[].class, () -> history, n -> history = new long[(int) n]);
      cairn.protectOpaque("notes", () -> notes, bytes -> notes = bytes);
      RestartReport report = cairn.restart();
      if (!report.isRestored()) {
        Arrays.setAll(constant, i -> i * 0x9E3779B97F4A7C15L);
      }
      tell(mode, "restarted " + step.get());
      if (!report.problems().isEmpty()) {
        say("problems " + report.problems());
      }
      compute(cairn, step, steps, mode);
    }
    return digest();
  }

  private void compute(Checkpointer cairn, LongCell step, int steps, String mode)
      throws IOException {
    while (step.get() < steps) {
      advance(step.get());
      step.increment();
      tell(mode, "begin " + step.get());
      Checkpoint taken = cairn.checkpoint();
      // An asynchronous checkpoint is surely durable when the next one has been taken.
      long durable = taken.isDurable() ? step.get() : step.get() - 1;
      tell(mode, "durable " + durable);
    }
  }

  /** Changes a part of the field, and lets the other arrays grow and shrink. */
  private void advance(long step) {
    int from = (int) (step * 613 % (field.length - 700));
    for (int i = from + 1; i < from + 600; i++) {
      field[i] = 0.5 * field[i] + 0.25 * (field[i - 1] + field[i + 1]) + step * 1e-3;
    }
    counts[(int) (step % counts.length)] += (int) step;
    for (int i = 1; i < 4; i++) {
      long word = (step * 7919 * i) % (GRID_BYTES / Long.BYTES);
      grid.setAtIndex(ValueLayout.JAVA_LONG, word, step * i + 1);
    }
    int length = (int) (step * 37 % 3000);
    int before = history.length;
    history = Arrays.copyOf(history, length);
    for (int i = before; i < length; i++) {
      history[i] = step * i;
    }
    notes = ("step " + step + " ").repeat((int) (step % 90)).getBytes(StandardCharsets.UTF_8);
  }

  private String digest() {
    long hash = Arrays.hashCode(field) * 31L + Arrays.hashCode(counts);
    hash = hash * 31 + Arrays.hashCode(history);
    hash = hash * 31 + Arrays.hashCode(notes);
    hash = hash * 31 + Arrays.hashCode(constant);
    hash = hash * 31 + Arrays.hashCode(grid.toArray(ValueLayout.JAVA_LONG));
    double sum = Arrays.stream(field).sum();
    return Long.toHexString(hash) + "-" + Long.toHexString(Double.doubleToLongBits(sum));
  }

  private static void tell(String mode, String line) throws IOException {
    if (!mode.equals("silent")) {
      say(line);
    }
  }

  private static void say(String line) throws IOException {
    OUT.write((line + "\n").getBytes(StandardCharsets.UTF_8));
  }
}
