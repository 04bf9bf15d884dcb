// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

import java.util.ArrayList;
import java.util.List;

/**
 * Looks at the loops that follow a place, each of them before it runs, until it is known of every
 * point whether it had to be saved there.
 *
 * <p>A point that was written before the place is <em>saved</em>, or <em>dead</em> since a loop has
 * overwritten it without need of what was there, or <em>undecided</em>. Assumed: loops do what they
 * say, and are all shown. Guaranteed, whatever was predicted:
 *
 * <ol>
 *   <li>An undecided point has the value that it had at the place.
 *   <li>A point is dead only if nothing between the place and its overwriting has needed it.
 *   <li>With all that is handed out as late, and at the end as the rest, saved when it is handed
 *       out, a version has all that the loops after the place need.
 * </ol>
 */
public final class Verification {
  private final Boxes[] undecided;
  private int open;

  /** Points to be saved before anything else happens. */
  public record Late(int field, Boxes points) {}

  /**
   * Begins at a place.
   *
   * @param written what was written of each field before the place
   * @param saved what is saved of each field at the place
   */
  public Verification(List<Boxes> written, List<Boxes> saved) {
    if (written.size() != saved.size()) {
      throw new IllegalArgumentException(
          "written are " + written.size() + " fields, saved are " + saved.size());
    }
    undecided = new Boxes[written.size()];
    for (int field = 0; field < undecided.length; field++) {
      undecided[field] = written.get(field).minus(saved.get(field));
      open += undecided[field].isEmpty() ? 0 : 1;
    }
  }

  /**
   * Says what must be saved before a loop runs. Fields that were made after the place are none of
   * the version's business.
   */
  public List<Late> before(LoopAccess loop) {
    List<Late> late = List.of();
    if (open == 0) {
      return late;
    }
    for (Effect effect : loop.effects()) {
      if (effect.field() < undecided.length && !undecided[effect.field()].isEmpty()) {
        Boxes points = decide(effect);
        if (!points.isEmpty()) {
          late = late.isEmpty() ? new ArrayList<>() : late;
          late.add(new Late(effect.field(), points));
        }
      }
    }
    return late;
  }

  private Boxes decide(Effect effect) {
    Boxes before = undecided[effect.field()];
    Boxes after = effect.leavesOf(before);
    Boxes late = before.intersect(effect.needs());
    if (after.size() > Boxes.BOUND) {
      // Too many boxes to go on with. All are intact still, so all can be saved.
      after = Boxes.NONE;
      late = before;
    }
    undecided[effect.field()] = after;
    open -= after.isEmpty() ? 1 : 0;
    return late;
  }

  /** Whether there is nothing left that would have to be looked at. */
  public boolean isDecided() {
    return open == 0;
  }

  /** What is undecided still; it is to be saved if the version is to be committed now. */
  public List<Late> rest() {
    List<Late> rest = new ArrayList<>();
    for (int field = 0; field < undecided.length; field++) {
      if (!undecided[field].isEmpty()) {
        rest.add(new Late(field, undecided[field]));
      }
    }
    return rest;
  }
}
