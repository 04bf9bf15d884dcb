// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;

/**
 * Random fields, loops over them and a sequence of loops, with a plain model of what a loop does to
 * each point, made from what it says.
 */
final class RandomLoops {
  /** How large the ranges are. */
  enum Size {
    /** Much of a field, as in meshes. */
    LARGE,
    /** Very few points each, so that sets fall apart into more boxes than are kept. */
    TINY
  }

  private final Random random;
  private final Size size;
  final List<FieldShape> fields = new ArrayList<>();
  final List<List<FieldAccess>> accesses = new ArrayList<>();
  final List<LoopAccess> loops = new ArrayList<>();
  final int[] sequence;

  RandomLoops(Random random, Size size) {
    this.random = random;
    this.size = size;
    for (int field = random.nextInt(1, size == Size.TINY ? 3 : 5); field > 0; field--) {
      fields.add(new FieldShape("f" + fields.size(), whole(), random.nextInt(1, 9)));
    }
    for (int loop = size == Size.TINY ? 300 : random.nextInt(1, 9); loop > 0; loop--) {
      accesses.add(accesses());
      loops.add(LoopAccess.of("loop" + loops.size(), accesses.getLast(), fields));
    }
    sequence = sequence(size == Size.TINY ? 400 : random.nextInt(1, 40));
  }

  private Box whole() {
    if (size == Size.TINY) {
      return random.nextBoolean() ? Box.of(-1, 400) : Box.of(0, 25, -2, 20);
    }
    int axes = random.nextInt(3);
    return new Box(
        -1,
        random.nextInt(3, 9),
        axes > 0 ? -1 : 0,
        axes > 0 ? random.nextInt(3, 7) : 1,
        0,
        axes > 1 ? random.nextInt(2, 5) : 1);
  }

  private List<FieldAccess> accesses() {
    List<FieldAccess> made = new ArrayList<>();
    for (int n = random.nextInt(1, size == Size.TINY ? 3 : 6); n > 0; n--) {
      int field = random.nextInt(fields.size());
      Mode mode = Mode.values()[random.nextInt(Mode.values().length)];
      Box range = range(fields.get(field).whole());
      made.add(
          random.nextBoolean()
              ? new FieldAccess(field, mode, range)
              : new FieldAccess(field, mode, range, offsets()));
    }
    return made;
  }

  private Box range(Box whole) {
    int[] i = run(whole.i0(), whole.i1());
    int[] j = run(whole.j0(), whole.j1());
    int[] l = run(whole.l0(), whole.l1());
    return new Box(i[0], i[1], j[0], j[1], l[0], l[1]);
  }

  private int[] run(int from, int to) {
    if (size == Size.LARGE && random.nextInt(3) > 0) {
      int inset = random.nextInt(2);
      return to - from > 2 ? new int[] {from + inset, to - inset} : new int[] {from, to};
    }
    int begin = random.nextInt(from, to);
    return new int[] {begin, Math.min(to, begin + 1 + random.nextInt(size == Size.TINY ? 2 : 4))};
  }

  private List<Offset> offsets() {
    List<Offset> offsets = new ArrayList<>();
    for (int n = random.nextInt(1, 5); n > 0; n--) {
      offsets.add(new Offset(random.nextInt(-2, 3), random.nextInt(-1, 2), random.nextInt(-1, 2)));
    }
    return offsets;
  }

  /** A period with its repetitions, sometimes with another loop in between. */
  private int[] sequence(int length) {
    int period = size == Size.TINY ? length : random.nextInt(1, 12);
    int[] chain = random.ints(period, 0, loops.size()).toArray();
    int[] sequence = new int[length];
    for (int at = 0; at < length; at++) {
      sequence[at] = random.nextInt(12) == 0 ? random.nextInt(loops.size()) : chain[at % period];
    }
    return sequence;
  }

  Box whole(int field) {
    return fields.get(field).whole();
  }

  /** The points of a field whose values matter to a loop. */
  BitSet needs(int loop, int field) {
    BitSet points = new BitSet();
    for (FieldAccess access : accesses.get(loop)) {
      if (access.field() == field && access.mode() != Mode.WRITE) {
        if (access.mode() != Mode.READ) {
          Points.forEach(whole(field), access.range(), points::set);
        }
        for (Offset offset : access.offsets()) {
          Points.forEach(whole(field), access.range().shift(offset), points::set);
        }
      }
    }
    return points;
  }

  /** The points of a field that a loop is sure to write. */
  BitSet overwrites(int loop, int field) {
    BitSet points = new BitSet();
    for (FieldAccess access : accesses.get(loop)) {
      if (access.field() == field
          && (access.mode() == Mode.WRITE || access.mode() == Mode.UPDATE)) {
        Points.forEach(whole(field), access.range(), points::set);
      }
    }
    return points;
  }

  /** What was written of each field by the loops before a position. */
  List<Boxes> writtenBefore(int position) {
    Written written = new Written();
    for (int at = 0; at < position; at++) {
      written.note(sequence[at], loops.get(sequence[at]));
    }
    return written.ofFields(fields.size());
  }

  /** Points of each field, any. */
  List<Boxes> anyPoints() {
    List<Boxes> any = new ArrayList<>();
    for (FieldShape field : fields) {
      Boxes points = Boxes.NONE;
      for (int n = random.nextInt(4); n > 0; n--) {
        points = points.plus(range(field.whole()));
      }
      any.add(points);
    }
    return any;
  }
}
