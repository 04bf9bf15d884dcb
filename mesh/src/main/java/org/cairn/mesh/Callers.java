// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.util.ArrayList;
import java.util.List;

/** From where a program calls a method of a mesh: the first calls are looked at. */
final class Callers {
  private static final int LOOKED_AT = 64;

  private static final StackWalker WALKER = StackWalker.getInstance();

  /** A call in the program, in words for people. */
  record Place(String type, String method, int index, String words) {}

  private final List<Place> places = new ArrayList<>();
  private int calls;

  /** Notes who calls now; whether it is the first from another place than those before. */
  boolean tellsOfAnother() {
    if (calls >= LOOKED_AT || places.size() > 1) {
      return false;
    }
    calls++;
    Place now = caller();
    if (places.contains(now)) {
      return false;
    }
    places.add(now);
    return places.size() > 1;
  }

  /** The call that the program has come from. */
  static Place caller() {
    return WALKER
        .walk(frames -> frames.filter(frame -> !isOurs(frame.getClassName())).findFirst())
        .map(
            frame ->
                new Place(
                    frame.getClassName(),
                    frame.getMethodName(),
                    frame.getByteCodeIndex(),
                    frame.toStackTraceElement().toString()))
        .orElseGet(() -> new Place("", "", 0, "the program"));
  }

  private static boolean isOurs(String type) {
    return type.equals(Callers.class.getName())
        || type.equals(Bookkeeping.class.getName())
        || type.equals(Keeper.class.getName())
        || type.equals(Mesh.class.getName());
  }

  /** Both places. */
  @Override
  public String toString() {
    return String.join(" and ", places.stream().map(Place::words).toList());
  }
}
