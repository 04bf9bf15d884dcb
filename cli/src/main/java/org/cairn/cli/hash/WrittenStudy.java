// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.hash;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.cairn.CheckpointStats;
import org.cairn.DatasetStats;
import org.cairn.plan.hash.StateStudy;
import org.cairn.track.ArrayWatch;
import org.cairn.track.UnwatchableException;

/**
 * Runs a program, and sees at each checkpoint which pages of its arrays were written to, and which
 * blocks of them are others than at the checkpoint before, byte by byte.
 */
final class WrittenStudy {
  private final StudiedProgram.Kind kind;
  private final int points;
  private final int every;
  private final List<Integer> sizes;

  WrittenStudy(StudiedProgram.Kind kind, int points, int every, List<Integer> sizes) {
    this.kind = kind;
    this.points = points;
    this.every = every;
    this.sizes = sizes;
  }

  /**
   * What was seen at a checkpoint.
   *
   * @param checkpoint its number, from 1
   * @param steps since the beginning
   * @param memory bytes of all arrays
   * @param written bytes on pages that were written to; NaN where an array has moved
   * @param changed bytes of blocks that are others, by size of blocks
   * @param saved bytes of what the program needs to go on
   * @param savedChanged bytes of those blocks of it that had changed: what Cairn saves; NaN at the
   *     first checkpoint, which saves all
   */
  record Seen(
      int checkpoint,
      long steps,
      long memory,
      double written,
      List<Double> changed,
      long saved,
      double savedChanged) {

    double writtenShare() {
      return written / memory;
    }

    double changedShare(int size) {
      return changed.get(size) / memory;
    }
  }

  /** Is told how many steps were done. */
  interface Progress {
    void reached(long steps);
  }

  List<Seen> run(int checkpoints, Path folder, Progress progress) throws UnwatchableException {
    try (StudiedProgram program = kind.start(points, folder)) {
      System.gc(); // What is old is moved seldom: as many checkpoints as possible are to be known.
      return run(program, checkpoints, progress);
    }
  }

  private List<Seen> run(StudiedProgram program, int checkpoints, Progress progress)
      throws UnwatchableException {
    try (ArrayWatch watch = ArrayWatch.of(program.memory());
        Arena arena = Arena.ofConfined()) {
      List<MemorySegment> before = copies(program.memory(), arena);
      List<Seen> all = new ArrayList<>();
      for (int checkpoint = 1; checkpoint <= checkpoints; checkpoint++) {
        long steps = (long) checkpoint * every;
        program.reach(steps);
        double written = sum(watch.written());
        List<Double> changed = changed(program.memory(), before);
        CheckpointStats stats = program.save();
        all.add(
            new Seen(
                checkpoint,
                steps,
                program.memory().stream().mapToLong(MemorySegment::byteSize).sum(),
                written,
                changed,
                stats.protectedBytes(),
                checkpoint == 1 ? Double.NaN : changed(stats)));
        progress.reached(steps);
      }
      return all;
    }
  }

  private static List<MemorySegment> copies(List<MemorySegment> memory, Arena arena) {
    return memory.stream()
        .map(array -> arena.allocate(array.byteSize(), Long.BYTES).copyFrom(array))
        .toList();
  }

  private static double sum(List<OptionalLong> written) {
    return written.stream()
        .mapToDouble(bytes -> bytes.isPresent() ? bytes.getAsLong() : Double.NaN)
        .sum();
  }

  private static double changed(CheckpointStats stats) {
    return stats.datasets().stream().mapToLong(DatasetStats::changedBytes).sum();
  }

  /** Compares all arrays with what they were, and remembers what they are. */
  private List<Double> changed(List<MemorySegment> now, List<MemorySegment> before) {
    double[] changed = new double[sizes.size()];
    for (int i = 0; i < now.size(); i++) {
      StateStudy study = new StateStudy(List.of(), sizes);
      MemorySegment array = now.get(i);
      for (long at = 0; at < array.byteSize(); at += study.pieceBytes()) {
        long size = Math.min(study.pieceBytes(), array.byteSize() - at);
        study.add(before.get(i).asSlice(at, size), array.asSlice(at, size));
      }
      List<StateStudy.Found> found = study.found();
      for (int size = 0; size < changed.length; size++) {
        long blocks = found.get(size).changed() * sizes.get(size);
        changed[size] += Math.min(blocks, array.byteSize()); // the last one may be shorter
      }
      before.get(i).copyFrom(array);
    }
    return Arrays.stream(changed).boxed().toList();
  }
}
