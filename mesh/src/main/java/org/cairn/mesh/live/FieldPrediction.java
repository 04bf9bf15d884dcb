// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

import java.util.List;

/**
 * What is to be saved of a field at a place, and why. Points that were not written are in none of
 * the numbers.
 *
 * @param field the number of the field
 * @param save the points to be saved: live, or not decided by the loops that were seen
 * @param live how many are read before they are overwritten
 * @param undecided how many are not touched
 * @param dead how many are overwritten before they are read: these are not saved
 * @param reader the first loop that reads live ones, or {@link #NOBODY}
 * @param overwriter the first loop that overwrites dead ones, or {@link #NOBODY}
 */
public record FieldPrediction(
    int field, Boxes save, long live, long undecided, long dead, int reader, int overwriter) {
  /** Instead of a loop. */
  public static final int NOBODY = -1;

  /** Why a field is saved, or not. */
  public enum Reason {
    /** It was not written since the initial phase, which is run again. */
    NEVER_WRITTEN,
    /** All of it is overwritten before it is read. */
    DEAD,
    /** Some of it is overwritten before it is read. */
    PARTLY,
    /** No loop of the ring touches what was written of it. */
    UNDECIDED,
    /** It is read. */
    LIVE
  }

  /** Why it is saved, or not. */
  public Reason reason() {
    if (live + undecided + dead == 0) {
      return Reason.NEVER_WRITTEN;
    }
    if (dead > 0) {
      return live + undecided == 0 ? Reason.DEAD : Reason.PARTLY;
    }
    return live == 0 ? Reason.UNDECIDED : Reason.LIVE;
  }

  /** The reason in words, with names of loops. */
  public String words(List<LoopAccess> loops) {
    return switch (reason()) {
      case NEVER_WRITTEN -> "never written";
      case DEAD -> "dead: overwritten first" + by(overwriter, loops);
      case UNDECIDED -> "undecided: not touched by any loop seen";
      case LIVE -> "live: read first" + by(reader, loops) + untouched();
      case PARTLY ->
          "partly: "
              + (live == 0 ? "" : live + " points live (read first" + by(reader, loops) + "), ")
              + (undecided == 0 ? "" : undecided + " not touched, ")
              + dead
              + " dead (overwritten first"
              + by(overwriter, loops)
              + ")";
    };
  }

  private String untouched() {
    return undecided == 0 ? "" : "; " + undecided + " points not touched";
  }

  private static String by(int loop, List<LoopAccess> loops) {
    return loop == NOBODY ? "" : " by " + loops.get(loop).name();
  }
}
