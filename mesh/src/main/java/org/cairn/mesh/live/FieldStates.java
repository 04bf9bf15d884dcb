// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

import java.util.HashMap;
import java.util.Map;

/** All states that a field is met in while a ring is analysed, and what they cost. */
final class FieldStates {
  private final FieldShape shape;
  private final Boxes written;
  private final Boxes changing;
  private final double dirty;
  private final Map<Key, FieldState> known = new HashMap<>();

  private record Key(Boxes live, Boxes undecided) {}

  /**
   * Of a field.
   *
   * @param written the points that were written
   * @param changing the points that loops of the ring change
   * @param dirty the fraction of those that differ from one checkpoint to the next
   */
  FieldStates(FieldShape shape, Boxes written, Boxes changing, double dirty) {
    this.shape = shape;
    this.written = written;
    this.changing = changing;
    this.dirty = dirty;
  }

  /** Nothing is known yet: the state after the last loop. */
  FieldState untouched() {
    return of(Boxes.NONE, Boxes.of(shape.whole()));
  }

  /** The state with these points; if it takes too many boxes, all that is not dead is live. */
  FieldState of(Boxes live, Boxes undecided) {
    if (live.size() > Boxes.BOUND || undecided.size() > Boxes.BOUND) {
      return of(Boxes.of(live.bounds().around(undecided.bounds())), Boxes.NONE);
    }
    return known.computeIfAbsent(
        new Key(live, undecided), key -> new FieldState(this, live, undecided));
  }

  Boxes written() {
    return written;
  }

  long bytes(Boxes points) {
    return points.points() * shape.elementBytes();
  }

  /** See {@link Liveness}. */
  long cost(Boxes points) {
    long moving = bytes(points.intersect(changing));
    long still = bytes(points) - moving;
    return (long) Math.ceil(moving * Math.max(dirty, Liveness.STILL) + still * Liveness.STILL);
  }
}
