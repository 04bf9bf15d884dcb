// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How arrays are to be cut, where somebody said so.
 *
 * @param byName for some arrays
 * @param byAxes for all others of so many axes
 */
record ChosenGrids(Map<String, int[]> byName, Map<Integer, int[]> byAxes) {
  static final ChosenGrids NONE = new ChosenGrids(Map.of(), Map.of());

  ChosenGrids of(String array, int[] cuts) {
    Map<String, int[]> more = new LinkedHashMap<>(byName);
    more.put(array, cuts.clone());
    return new ChosenGrids(more, byAxes);
  }

  ChosenGrids of(int[] cuts) {
    Map<Integer, int[]> more = new LinkedHashMap<>(byAxes);
    more.put(cuts.length, cuts.clone());
    return new ChosenGrids(byName, more);
  }

  /** What was said of an array. */
  Optional<int[]> find(String array, int axes) {
    return Optional.ofNullable(byName.getOrDefault(array, byAxes.get(axes)));
  }
}
