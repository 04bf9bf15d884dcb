// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

/**
 * Which points of a grid the values of a field belong to. All fields of a grid have the same
 * memory, whatever this says: it tells boundaries where the mirror is, and who reads a file where
 * values are.
 */
public enum At {
  /** In the middle of cells, from 0 to n-1. */
  CELLS,
  /** At corners, from 0 to n along each axis. */
  NODES,
  /** On faces across the x axis: from 0 to n along it. */
  X_FACES,
  /** On faces across the y axis. */
  Y_FACES,
  /** On faces across the z axis. */
  Z_FACES;

  /** Whether values lie at the ends of cells along an axis, n+1 of them, and not between. */
  boolean isAtEnds(Axis axis) {
    return switch (this) {
      case CELLS -> false;
      case NODES -> true;
      case X_FACES -> axis == Axis.X;
      case Y_FACES -> axis == Axis.Y;
      case Z_FACES -> axis == Axis.Z;
    };
  }
}
