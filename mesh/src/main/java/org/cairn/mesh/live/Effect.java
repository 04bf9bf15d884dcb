// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

/**
 * What a loop does to one field, all its accesses together: first it needs points, then it
 * overwrites some. What it changes is what it overwrites, and what it may change in part.
 */
public record Effect(int field, Boxes needs, Boxes overwrites, Boxes changes) {
  /** Of undecided points those that are undecided still when the loop has been taken in. */
  Boxes leavesOf(Boxes undecided) {
    return undecided.minus(needs).minus(overwrites);
  }
}
