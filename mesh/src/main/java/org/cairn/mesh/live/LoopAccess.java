// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * What a loop does, field by field in the order of their numbers. Several accesses of one field are
 * all taken into account: a loop reads before it writes, whatever the order in which it says so.
 *
 * <p>It is worked out once, when a loop is met for the first time; points outside a field do not
 * count.
 */
public final class LoopAccess {
  private final String name;
  private final List<Effect> effects;

  private LoopAccess(String name, List<Effect> effects) {
    this.name = name;
    this.effects = effects;
  }

  /** A loop over fields of the given shapes. */
  public static LoopAccess of(String name, List<FieldAccess> accesses, List<FieldShape> fields) {
    TreeMap<Integer, List<FieldAccess>> byField = new TreeMap<>();
    for (FieldAccess access : accesses) {
      byField.computeIfAbsent(access.field(), field -> new ArrayList<>()).add(access);
    }
    return new LoopAccess(
        name,
        byField.entrySet().stream()
            .map(e -> effect(e.getKey(), e.getValue(), fields.get(e.getKey()).whole()))
            .toList());
  }

  private static Effect effect(int field, List<FieldAccess> accesses, Box whole) {
    Boxes needs = Boxes.NONE;
    Boxes overwrites = Boxes.NONE;
    Boxes changes = Boxes.NONE;
    for (FieldAccess access : accesses) {
      Box range = access.range().intersect(whole);
      needs = needs.plus(access.needed(whole)).grownToBound();
      if (access.mode().overwrites()) {
        overwrites = overwrites.plus(range).shrunkToBound();
      }
      if (access.mode().changes()) {
        changes = changes.plus(range).grownToBound();
      }
    }
    return new Effect(field, needs, overwrites, changes);
  }

  /** The loop's name, for reports. */
  public String name() {
    return name;
  }

  /** What it does to each field that it touches. */
  public List<Effect> effects() {
    return effects;
  }

  @Override
  public String toString() {
    return name + effects;
  }
}
