// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.ranks;

import java.lang.foreign.MemorySegment;
import org.cairn.mesh.live.Box;

/**
 * How points lie in the memory of a rank: k = base + i + j·pitch + l·plane, for all fields of a
 * grid.
 *
 * @param local the points that there is memory for
 */
public record Layout(Box local, int base, int pitch, int plane) {
  /** Points of a box, side by side. */
  public static Layout of(Box local) {
    long points = local.points();
    if (points > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "%,d points of one rank do not fit into an array; use more ranks".formatted(points));
    }
    int pitch = local.i1() - local.i0();
    int plane = pitch * (local.j1() - local.j0());
    return new Layout(local, -(local.i0() + local.j0() * pitch + local.l0() * plane), pitch, plane);
  }

  /** The index of a point. */
  public int k(int i, int j, int l) {
    return base + i + j * pitch + l * plane;
  }

  /** Copies points of a box out, row by row; returns where the next may begin. */
  public long pack(Halos.Memory field, Box box, MemorySegment target, long at) {
    long row = (long) (box.i1() - box.i0()) * field.bytes();
    for (int l = box.l0(); l < box.l1(); l++) {
      for (int j = box.j0(); j < box.j1(); j++, at += row) {
        long from = (long) k(box.i0(), j, l) * field.bytes();
        MemorySegment.copy(field.memory(), from, target, at, row);
      }
    }
    return at;
  }

  /** Copies points of a box in; returns where the next begin. */
  public long unpack(Halos.Memory field, Box box, MemorySegment source, long at) {
    long row = (long) (box.i1() - box.i0()) * field.bytes();
    for (int l = box.l0(); l < box.l1(); l++) {
      for (int j = box.j0(); j < box.j1(); j++, at += row) {
        long to = (long) k(box.i0(), j, l) * field.bytes();
        MemorySegment.copy(source, at, field.memory(), to, row);
      }
    }
    return at;
  }
}
