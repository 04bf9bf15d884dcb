// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

import java.util.IdentityHashMap;
import java.util.Map;

/**
 * What is known of a field before a loop, from that loop on: which points are live, and which are
 * undecided; the others are dead.
 *
 * <p>Of each field there is only one object for one state ({@link FieldStates}), and it remembers
 * where each effect leads. In a chain that recurs, so do states, and a step back is a look-up.
 */
final class FieldState {
  private final FieldStates states;
  private final Boxes live;
  private final Boxes undecided;
  private final Map<Effect, FieldState> earlier = new IdentityHashMap<>(4);

  /** Bytes to be saved. */
  final long bytes;

  /** What it costs to save them. */
  final long cost;

  FieldState(FieldStates states, Boxes live, Boxes undecided) {
    this.states = states;
    this.live = live;
    this.undecided = undecided;
    Boxes save = save();
    this.bytes = states.bytes(save);
    this.cost = states.cost(save);
  }

  /** The state before a loop, if this is the one after it. */
  FieldState before(Effect effect) {
    FieldState known = earlier.get(effect);
    if (known == null) {
      known =
          states.of(
              live.minus(effect.overwrites()).plus(effect.needs()), effect.leavesOf(undecided));
      earlier.put(effect, known);
    }
    return known;
  }

  Boxes live() {
    return live;
  }

  Boxes undecided() {
    return undecided;
  }

  /** The points to be saved: written, and not dead. */
  Boxes save() {
    return live.plus(undecided).intersect(states.written());
  }

  /** The points that were written and are dead. */
  Boxes dead() {
    return states.written().minus(live).minus(undecided);
  }
}
