// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

import java.util.List;

/** What a loop says that it does with one field, by its number. */
public record FieldAccess(int field, Mode mode, Box range, List<Offset> offsets) {
  /** With offsets of its own. */
  public FieldAccess {
    offsets = List.copyOf(offsets);
  }

  /** At the own point only. */
  public FieldAccess(int field, Mode mode, Box range) {
    this(field, mode, range, List.of(Offset.HERE));
  }

  /**
   * The points whose values matter. The own point does, too, if the loop changes it without
   * overwriting all of the range, whatever the offsets are.
   */
  Boxes needed(Box whole) {
    if (!mode.needs()) {
      return Boxes.NONE;
    }
    Boxes needed = mode.changes() ? Boxes.of(range.intersect(whole)) : Boxes.NONE;
    for (Offset offset : offsets) {
      needed = needed.plus(range.shift(offset).intersect(whole)).grownToBound();
    }
    return needed;
  }
}
