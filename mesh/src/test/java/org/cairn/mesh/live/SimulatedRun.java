// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;

/**
 * Runs a random program on values. A loop first folds all that it needs into one number; whatever
 * it writes depends on that number. So a wrong value anywhere that is read shows in what the loop
 * returns.
 */
final class SimulatedRun {
  private final RandomLoops program;
  private final List<long[]> values = new ArrayList<>();

  SimulatedRun(RandomLoops program, Random content) {
    this.program = program;
    for (FieldShape field : program.fields) {
      values.add(content.longs(field.whole().points()).toArray());
    }
  }

  /** Runs the loop at a position; returns what it has read, folded. */
  long run(int position) {
    int loop = program.sequence[position];
    long[] folded = {position};
    for (int field = 0; field < values.size(); field++) {
      long[] data = values.get(field);
      program.needs(loop, field).stream()
          .forEach(point -> folded[0] = mix(folded[0] ^ mix(point ^ data[point])));
    }
    for (FieldAccess access : program.accesses.get(loop)) {
      write(access, folded[0]);
    }
    return folded[0];
  }

  private void write(FieldAccess access, long folded) {
    long[] data = values.get(access.field());
    Points.forEach(
        program.whole(access.field()),
        access.range(),
        point -> {
          long made = mix(folded + point);
          switch (access.mode()) {
            case WRITE, UPDATE -> data[point] = made;
            case WRITE_SOME -> data[point] = made % 2 == 0 ? made : data[point];
            case INCREMENT -> data[point] += made;
            case READ -> {}
          }
        });
  }

  private static long mix(long x) {
    long y = (x + 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
    return y ^ (y >>> 29);
  }

  /** Takes over points as another run has them now. */
  void take(int field, Boxes points, SimulatedRun from) {
    take(field, Points.of(program.whole(field), points).bits, from);
  }

  void take(int field, BitSet points, SimulatedRun from) {
    points.stream().forEach(point -> values.get(field)[point] = from.values.get(field)[point]);
  }
}
