// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.cairn.comm.Communicator;
import org.cairn.comm.Request;
import org.cairn.mesh.live.Box;
import org.cairn.mesh.ranks.Layout;

/**
 * A seam between two grids, or between two ends of one: points of one become points of the other,
 * perhaps turned. Made by {@link Mesh#join}.
 *
 * <pre>{@code
 * Join seam = mesh.join(left.range(nx - 1, nx, 0, ny), right.range(-1, 0, 0, ny));
 * seam.copy(u, v);                        // v of the right grid gets u of the left one
 * mesh.join(a.range(0, 8, 0, 1), b.range(-1, 0, 0, 8), 2, -1);   // b's i is a's j, b's j is a's i, backward
 * }</pre>
 */
public final class Join {
  private static final int TAG = 3;

  private final Mesh mesh;
  private final Range from;
  private final Range to;

  /** For each axis of the target, which one of the source it runs along, from 1; negative: back. */
  private final int[] axes;

  private final Map<List<Data>, KnownLoop> known = new HashMap<>();
  private final List<Piece> sent = new ArrayList<>();
  private final List<Piece> received = new ArrayList<>();

  /** Points that one rank has and another gets, as the target counts them. */
  private record Piece(int rank, Box target) {}

  Join(Mesh mesh, Range from, Range to, int[] axes, Communicator ranks) {
    this.mesh = mesh;
    this.from = from;
    this.to = to;
    this.axes = complete(axes);
    requireFit();
    for (int rank = 0; rank < ranks.size(); rank++) {
      add(sent, rank, ranks.rank(), rank);
      add(received, rank, rank, ranks.rank());
    }
  }

  private void add(List<Piece> pieces, int other, int source, int target) {
    Box has = from.box().intersect(owned(from, source));
    Box gets = image(has).intersect(owned(to, target));
    if (!gets.isEmpty()) {
      pieces.add(new Piece(other, gets));
    }
  }

  private static Box owned(Range range, int rank) {
    Domain domain = range.domain();
    return domain.isDivided() ? domain.bricks().owned(rank) : domain.owned();
  }

  private int[] complete(int[] said) {
    int count = to.domain().axes();
    int[] all = {1, 2, 3};
    if (said.length != 0 && from.domain().axes() != count) {
      throw new IllegalArgumentException(
          "a join of %s to %s, of grids of %d and %d axes, cannot be turned; join it as it lies to a grid of %d axes, and turn it from there"
              .formatted(from, to, from.domain().axes(), count, count));
    }
    if (said.length != 0 && said.length != count) {
      throw new IllegalArgumentException(
          "a join of grids of %d axes is turned by as many numbers, not %d"
              .formatted(count, said.length));
    }
    System.arraycopy(said, 0, all, 0, said.length);
    boolean[] used = new boolean[3];
    for (int axis : all) {
      int n = Math.abs(axis) - 1;
      if (n < 0 || n > 2 || used[n]) {
        throw new IllegalArgumentException(
            "a join is turned by each axis once, counted from 1, negative for backward; there is %d"
                .formatted(axis));
      }
      used[n] = true;
    }
    return all;
  }

  private void requireFit() {
    for (int axis = 0; axis < 3; axis++) {
      int there = extent(from.box(), Math.abs(axes[axis]) - 1);
      if (extent(to.box(), axis) != there) {
        throw new IllegalArgumentException(
            "a join cannot bring %s to %s: along axis %d of the latter there are %d points, and the former has %d"
                .formatted(from, to, axis + 1, extent(to.box(), axis), there));
      }
    }
  }

  private static int begin(Box box, int axis) {
    return axis == 0 ? box.i0() : axis == 1 ? box.j0() : box.l0();
  }

  private static int end(Box box, int axis) {
    return axis == 0 ? box.i1() : axis == 1 ? box.j1() : box.l1();
  }

  private static int extent(Box box, int axis) {
    return end(box, axis) - begin(box, axis);
  }

  /** Where points of the source are in the target. */
  private Box image(Box source) {
    if (source.isEmpty()) {
      return Box.EMPTY;
    }
    int[] ends = new int[6];
    for (int axis = 0; axis < 3; axis++) {
      int of = Math.abs(axes[axis]) - 1;
      int first = begin(source, of) - begin(from.box(), of);
      int count = extent(source, of);
      int all = extent(from.box(), of);
      int at = axes[axis] > 0 ? first : all - first - count;
      ends[2 * axis] = begin(to.box(), axis) + at;
      ends[2 * axis + 1] = begin(to.box(), axis) + at + count;
    }
    return new Box(ends[0], ends[1], ends[2], ends[3], ends[4], ends[5]);
  }

  // ---------------------------------------------------------------- copying

  /**
   * Copies values across; collective.
   *
   * @param pairs a field of the grid that is read, and one of the other that gets its values, of
   *     the same type; perhaps more such pairs
   */
  public void copy(Data... pairs) {
    List<Data> fields = List.of(pairs);
    KnownLoop loop = known.get(fields);
    if (loop == null) {
      requirePairs(pairs);
      loop = mesh.meetJoin(from, to, axes, fields);
      known.put(fields, loop);
    }
    mesh.join(this, loop, fields);
  }

  private void requirePairs(Data[] pairs) {
    for (int n = 0; n < pairs.length; n += 2) {
      if (n + 1 == pairs.length) {
        throw new IllegalArgumentException(
            "a join copies pairs of fields, and \"%s\" has none to go to"
                .formatted(pairs[n].name()));
      }
      requireOf(pairs[n], from);
      requireOf(pairs[n + 1], to);
      if (pairs[n].type() != pairs[n + 1].type()) {
        throw new IllegalArgumentException(
            "a join cannot copy \"%s\" of type %s to \"%s\" of type %s"
                .formatted(
                    pairs[n].name(),
                    pairs[n].type().label(),
                    pairs[n + 1].name(),
                    pairs[n + 1].type().label()));
      }
    }
  }

  private static void requireOf(Data field, Range range) {
    if (field.domain() != range.domain()) {
      throw new IllegalArgumentException(
          "field \"%s\" belongs to \"%s\", and the join is of \"%s\""
              .formatted(field.name(), field.domain().name(), range.domain().name()));
    }
  }

  /** Brings the values over, now. */
  void run(Communicator ranks, List<Data> pairs) {
    List<Request> requests = new ArrayList<>();
    List<MemorySegment> arriving = new ArrayList<>();
    for (Piece piece : received) {
      MemorySegment room = room(piece, pairs);
      arriving.add(room);
      requests.add(ranks.startReceive(room, piece.rank, TAG));
    }
    for (Piece piece : sent) {
      MemorySegment packed = room(piece, pairs);
      long at = 0;
      for (int n = 0; n < pairs.size(); n += 2) {
        at = pack(pairs.get(n), piece.target, packed, at);
      }
      requests.add(ranks.startSend(packed, piece.rank, TAG));
    }
    requests.forEach(Request::await);
    for (int p = 0; p < received.size(); p++) {
      long at = 0;
      for (int n = 1; n < pairs.size(); n += 2) {
        Data field = pairs.get(n);
        at = to.domain().layout().unpack(field.halo(), received.get(p).target, arriving.get(p), at);
      }
    }
  }

  private static MemorySegment room(Piece piece, List<Data> pairs) {
    long bytes = 0;
    for (int n = 0; n < pairs.size(); n += 2) {
      bytes += piece.target.points() * pairs.get(n).type().bytes();
    }
    return Arena.ofAuto().allocate(bytes, Long.BYTES);
  }

  /** In the order of the target, so that it is only laid down there. */
  private long pack(Data field, Box target, MemorySegment packed, long start) {
    int[] step = new int[3];
    int k = first(target, step);
    int width = field.type().bytes();
    long at = start;
    for (int l = 0; l < extent(target, 2); l++) {
      for (int j = 0; j < extent(target, 1); j++) {
        for (int i = 0; i < extent(target, 0); i++, at += width) {
          long source = (long) (k + i * step[0] + j * step[1] + l * step[2]) * width;
          if (width == Long.BYTES) {
            packed.set(
                ValueLayout.JAVA_LONG_UNALIGNED,
                at,
                field.memory().get(ValueLayout.JAVA_LONG_UNALIGNED, source));
          } else {
            packed.set(
                ValueLayout.JAVA_INT_UNALIGNED,
                at,
                field.memory().get(ValueLayout.JAVA_INT_UNALIGNED, source));
          }
        }
      }
    }
    return at;
  }

  /** Where the first point of a piece comes from, and how far it is from one to the next. */
  private int first(Box target, int[] step) {
    Layout layout = from.domain().layout();
    int[] strides = {1, layout.pitch(), layout.plane()};
    int k = layout.base();
    for (int axis = 0; axis < 3; axis++) {
      int of = Math.abs(axes[axis]) - 1;
      int away = begin(target, axis) - begin(to.box(), axis);
      int index = axes[axis] > 0 ? begin(from.box(), of) + away : end(from.box(), of) - 1 - away;
      k += index * strides[of];
      step[axis] = axes[axis] > 0 ? strides[of] : -strides[of];
    }
    return k;
  }

  @Override
  public String toString() {
    return from + " to " + to;
  }
}
