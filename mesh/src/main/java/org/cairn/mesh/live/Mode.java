// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

/** What a loop does with a field. */
public enum Mode {
  /** Reads the points of the range, shifted by each offset. */
  READ(true, false, false),
  /** Writes every point of the range, and reads none: a promise. */
  WRITE(false, true, true),
  /**
   * Reads the points of the range (and those at the offsets), and writes every one of the range.
   */
  UPDATE(true, true, true),
  /** Writes some points of the range; the others keep their values, so they count as read. */
  WRITE_SOME(true, false, true),
  /** Adds to points of the range, so they count as read. */
  INCREMENT(true, false, true);

  private final boolean needs;
  private final boolean overwrites;
  private final boolean changes;

  Mode(boolean needs, boolean overwrites, boolean changes) {
    this.needs = needs;
    this.overwrites = overwrites;
    this.changes = changes;
  }

  /** Whether what was there before matters. */
  public boolean needs() {
    return needs;
  }

  /** Whether nothing of what was there before is left in the range. */
  public boolean overwrites() {
    return overwrites;
  }

  /** Whether points of the range may be others afterwards. */
  public boolean changes() {
    return changes;
  }
}
