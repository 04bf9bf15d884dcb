// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.track;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.cairn.Checkpointer;
import org.cairn.DatasetStats;
import org.cairn.ElementType;
import org.cairn.Options;
import org.cairn.Strategy;
import org.cairn.Tracking;
import org.cairn.cli.command.Folder;

/**
 * Programs that write and take checkpoints, tracked, not tracked, and as Cairn chooses, in turn:
 * what writing and the checkpoint take together, all of the way, the first one and all that was
 * tried in vain included. Checkpoints go to memory if a directory there is given: the disk is the
 * same for all and would hide the difference. Not to the Java heap, which is filled by three
 * containers of 512 MiB.
 */
public final class Choices implements AutoCloseable {
  private final long bytes;
  private final int checkpoints;
  private final Path directory;
  private final Map<Tracking, Run> runs = new EnumMap<>(Tracking.class);
  private final Arena arena = Arena.ofShared();

  private static final class Run {
    final Checkpointer cairn;
    final MemorySegment memory;
    double seconds;
    String last = "";

    Run(Checkpointer cairn, MemorySegment memory) {
      this.cairn = cairn;
      this.memory = memory;
    }
  }

  /** Of so much memory, with so many checkpoints, with files in a directory of its own there. */
  public Choices(long bytes, int checkpoints, Path directory) throws IOException {
    this.bytes = bytes;
    this.checkpoints = checkpoints;
    this.directory = Files.createTempDirectory(directory, "cairn-bench");
  }

  /**
   * Seconds of all checkpoints and of what was written between them.
   *
   * @param decision what was decided in the end
   */
  public record Result(
      Pattern pattern, double hashed, double tracked, double chosen, String decision) {
    /** The choice against the better of both. */
    public double ratio() {
      return chosen / Math.min(hashed, tracked);
    }
  }

  /** Runs a pattern, in three programs in turn. */
  public Result measure(Pattern pattern) {
    for (Tracking choice : Tracking.values()) {
      runs.put(choice, open(choice));
    }
    try {
      for (int round = 0; round < checkpoints; round++) {
        BitSet pages = pattern.pages(bytes, round);
        List<Run> inTurn = new ArrayList<>(runs.values());
        Collections.rotate(inTurn, round); // whoever is first finds code that was never run
        for (Run run : inTurn) {
          step(run, pattern, pages, round);
        }
      }
      return new Result(
          pattern,
          of(Tracking.OFF).seconds,
          of(Tracking.REQUIRED).seconds,
          of(Tracking.AUTO).seconds,
          of(Tracking.AUTO).last);
    } finally {
      runs.values().forEach(run -> run.cairn.close());
      runs.clear();
    }
  }

  private Run of(Tracking choice) {
    Run run = runs.get(choice);
    if (run == null) {
      throw new AssertionError(choice);
    }
    return run;
  }

  private Run open(Tracking choice) {
    Checkpointer cairn =
        Checkpointer.open(
            directory.resolve(choice.name()),
            Options.defaults().tracking(choice).strategy(Strategy.DIFFERENTIAL).verifyEvery(1_000));
    MemorySegment memory = arena.allocate(bytes, 64 << 10);
    memory.fill((byte) 1);
    cairn.protect("memory", memory, ElementType.BYTE);
    cairn.checkpoint(); // the same for all: everything is new
    return new Run(cairn, memory);
  }

  private static void step(Run run, Pattern pattern, BitSet pages, long round) {
    run.seconds +=
        ScanCosts.seconds(
            () -> {
              pattern.write(run.memory, pages, round);
              DatasetStats seen =
                  run.cairn.checkpoint().stats().orElseThrow().datasets().getFirst();
              run.last = seen.tracking();
            });
  }

  @Override
  public void close() throws IOException {
    arena.close();
    Folder.delete(directory);
  }
}
