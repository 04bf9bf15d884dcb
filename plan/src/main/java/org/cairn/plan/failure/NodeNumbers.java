// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Numbers nodes from 0, whatever a record calls them, so that neighbours stay neighbours.
 *
 * <ol>
 *   <li>Where names are numbers that fit into the size of the machine, they are kept, less the
 *       least offset that makes them fit: LANL counts system 16 from 1 and system 19, of 1,024
 *       nodes, from 1024. Nodes that never failed keep their places.
 *   <li>Otherwise nodes that failed are numbered densely in the order of their names; so is LANL's
 *       system 11, of 256 nodes, one of which is called 578.
 *   <li>Failures of which no node is known share the last node that is not named. If the record
 *       does not speak of more nodes than it names, the machine grows by one for them.
 * </ol>
 */
final class NodeNumbers {
  private static final Pattern DIGITS = Pattern.compile("\\d+");

  private final Map<String, Integer> numbers = new HashMap<>();
  private final int nodes;

  /**
   * Numbers all of them.
   *
   * @param names as they were found; empty where none is known
   * @param declared the size of the machine by its record, 0 if it is silent
   */
  NodeNumbers(List<String> names, int declared) {
    SortedSet<String> distinct = new TreeSet<>(NodeNumbers::compareNaturally);
    distinct.addAll(new HashSet<>(names));
    boolean unnamed = distinct.remove("");
    int next = keepNumbers(distinct, declared) ? declared : numberDensely(distinct);
    if (unnamed) {
      int own = distinct.size() < declared ? free(declared) : next;
      numbers.put("", own);
      next = Math.max(next, own + 1);
    }
    nodes = Math.max(declared, next);
  }

  int nodes() {
    return nodes;
  }

  int of(String name) {
    Integer number = numbers.get(name);
    if (number == null) {
      throw new IllegalArgumentException("no node is called \"" + name + '"');
    }
    return number;
  }

  private boolean keepNumbers(Set<String> names, int declared) {
    List<Integer> values = new ArrayList<>();
    for (String name : names) {
      if (!name.matches("\\d{1,9}")) {
        return false;
      }
      values.add(Integer.parseInt(name));
    }
    int last = values.stream().mapToInt(v -> v).max().orElse(0);
    int first = values.stream().mapToInt(v -> v).min().orElse(0);
    int offset = Math.max(0, last - declared + 1);
    if (values.isEmpty() || first < offset) {
      return false;
    }
    for (String name : names) {
      numbers.put(name, Integer.parseInt(name) - offset);
    }
    return true;
  }

  private int numberDensely(SortedSet<String> names) {
    int next = 0;
    for (String name : names) {
      numbers.put(name, next++);
    }
    return next;
  }

  /** The last node that nothing is known of: the first ones are often special. */
  private int free(int declared) {
    Set<Integer> taken = new HashSet<>(numbers.values());
    int node = declared - 1;
    while (taken.contains(node)) {
      node--;
    }
    return node;
  }

  /** Numbers inside names count as numbers: n2 comes before n10. */
  static int compareNaturally(String left, String right) {
    int order = padded(left).compareTo(padded(right));
    return order != 0 ? order : left.compareTo(right);
  }

  private static String padded(String name) {
    return DIGITS
        .matcher(name)
        .replaceAll(
            digits -> "0".repeat(Math.max(0, 19 - digits.group().length())) + digits.group());
  }
}
