// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The points of each field that loops have written since it was made. Too many boxes become the box
 * around them: what counts as written is saved, so no harm is done.
 */
public final class Written {
  private final List<Boxes> written = new ArrayList<>();
  private final BitSet seen = new BitSet();

  /** Takes in what a loop writes; that costs something only the first time it is met. */
  public void note(int loop, LoopAccess access) {
    if (seen.get(loop)) {
      return;
    }
    seen.set(loop);
    for (Effect effect : access.effects()) {
      add(effect.field(), effect.changes());
    }
  }

  /** Takes in points that something else has written. */
  public void add(int field, Boxes points) {
    while (written.size() <= field) {
      written.add(Boxes.NONE);
    }
    written.set(field, written.get(field).plus(points).grownToBound());
  }

  /** What was written of each of so many fields. */
  public List<Boxes> ofFields(int fields) {
    List<Boxes> all = new ArrayList<>(fields);
    for (int field = 0; field < fields; field++) {
      all.add(field < written.size() ? written.get(field) : Boxes.NONE);
    }
    return List.copyOf(all);
  }
}
