// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.util.ArrayList;
import java.util.List;
import org.cairn.mesh.weave.Purpose;
import org.jspecify.annotations.Nullable;

/**
 * What makes a loop the same loop again: the class of its kernel, what it does with which fields,
 * and where. Up to four accesses, as they were said, so that nothing has to be put together for a
 * comparison.
 */
record LoopKey(
    Class<?> kernel,
    Purpose purpose,
    String name,
    Range range,
    Access a,
    @Nullable Access b,
    @Nullable Access c,
    @Nullable Access d) {

  /** Whether a call means this loop. */
  boolean matches(
      Class<?> kernel,
      Purpose purpose,
      String name,
      Range range,
      Access a,
      @Nullable Access b,
      @Nullable Access c,
      @Nullable Access d) {
    return this.kernel == kernel
        && this.purpose == purpose
        && this.range.isSame(range)
        && isSame(this.a, a)
        && isSame(this.b, b)
        && isSame(this.c, c)
        && isSame(this.d, d)
        && this.name.equals(name);
  }

  private static boolean isSame(@Nullable Access one, @Nullable Access other) {
    if (one == null || other == null || one == other) {
      return one == other;
    }
    Access.Item[] mine = one.items;
    Access.Item[] theirs = other.items;
    if (mine.length != theirs.length) {
      return false;
    }
    for (int n = 0; n < mine.length; n++) {
      if (!mine[n].isSame(theirs[n])) {
        return false;
      }
    }
    return true;
  }

  List<Access.Item> items() {
    List<Access.Item> all = new ArrayList<>(List.of(a.items));
    for (Access more : new @Nullable Access[] {b, c, d}) {
      if (more != null) {
        all.addAll(List.of(more.items));
      }
    }
    return all;
  }

  List<String> itemWords() {
    return items().stream().map(Access.Item::toString).toList();
  }
}
