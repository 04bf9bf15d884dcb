// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.cairn.mesh.live.LoopAccess;
import org.cairn.mesh.weave.Purpose;
import org.jspecify.annotations.Nullable;

/** The loops that were met, numbered in the order in which they came first. */
final class KnownLoops {
  private final List<KnownLoop> all = new ArrayList<>();
  private final List<LoopAccess> accesses = new ArrayList<>();
  private final Map<Class<?>, List<KnownLoop>> byKernel = new IdentityHashMap<>();

  /**
   * The loop that a call means, if it was met before. Most often it is the one that came after the
   * loop before it the last time.
   */
  @Nullable KnownLoop find(
      @Nullable KnownLoop before,
      Class<?> kernel,
      Purpose purpose,
      String name,
      Range range,
      Access a,
      @Nullable Access b,
      @Nullable Access c,
      @Nullable Access d) {
    KnownLoop guess = before == null ? null : before.follower();
    if (guess != null && guess.key().matches(kernel, purpose, name, range, a, b, c, d)) {
      return guess;
    }
    List<KnownLoop> same = byKernel.get(kernel);
    for (int n = 0; same != null && n < same.size(); n++) {
      KnownLoop loop = same.get(n);
      if (loop.key().matches(kernel, purpose, name, range, a, b, c, d)) {
        if (before != null) {
          before.followedBy(loop);
        }
        return loop;
      }
    }
    return null;
  }

  void add(KnownLoop loop) {
    all.add(loop);
    accesses.add(loop.access());
    byKernel.computeIfAbsent(loop.key().kernel(), _ -> new ArrayList<>()).add(loop);
  }

  int size() {
    return all.size();
  }

  KnownLoop get(int id) {
    return all.get(id);
  }

  /** Whether a loop has that name. */
  boolean has(String name) {
    return all.stream().anyMatch(loop -> loop.name().equals(name));
  }

  List<LoopAccess> accesses() {
    return accesses;
  }

  /** What their kernels do, in numbers. */
  List<Long> bodies() {
    return all.stream().map(KnownLoop::body).toList();
  }

  /** What is stored of them. */
  List<String> descriptions() {
    return all.stream().map(KnownLoop::description).toList();
  }
}
