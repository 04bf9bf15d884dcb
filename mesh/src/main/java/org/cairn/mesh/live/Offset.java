// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

/** Where a point is read, seen from the point that is computed. */
public record Offset(int i, int j, int l) {
  /** The own point. */
  public static final Offset HERE = new Offset(0, 0, 0);
}
