// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.plain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.cairn.Dataset;
import org.cairn.mesh.live.Box;
import org.cairn.mesh.live.Boxes;
import org.cairn.mesh.live.FieldAccess;
import org.cairn.mesh.live.FieldShape;
import org.cairn.mesh.live.Liveness;
import org.cairn.mesh.live.LoopAccess;
import org.cairn.mesh.live.LoopPlace;

/**
 * The stretches of code that were met, by number, and the last ones that ran. To the analysis a
 * stretch is a loop, and an array is a field that is read and written as a whole.
 *
 * <p>A point to which a restart can return is a loop that does nothing. Another one, the gate,
 * comes before each: so that a point is one place, whatever the program did before.
 */
final class Stretches {
  static final int GATE = 0;

  private static final int RING = 1 << 12;

  /** Bytes that count as one; arrays may be larger than an index. */
  private static final int UNIT = 1 << 10;

  private final Map<Dataset, Integer> numbers = new IdentityHashMap<>();
  private final List<Dataset> datasets = new ArrayList<>();
  private final List<FieldShape> shapes = new ArrayList<>();
  private final List<LoopAccess> all = new ArrayList<>();
  private final Map<String, Integer> points = new HashMap<>();
  private final Map<Key, Integer> known = new HashMap<>();
  private final int[] ring = new int[RING];
  private long calls;

  private record Key(String name, List<Use> uses) {}

  private final Predicate<Dataset> isProtected;

  Stretches(Predicate<Dataset> isProtected) {
    this.isProtected = isProtected;
    all.add(LoopAccess.of("gate", List.of(), shapes));
  }

  // ---------------------------------------------------------------- met

  int point(String name) {
    Integer number = points.get(name);
    if (number == null) {
      number = all.size();
      all.add(LoopAccess.of("point " + name, List.of(), shapes));
      points.put(name, number);
    }
    return number;
  }

  int region(String name, List<Use> uses) {
    Key key = new Key(name, uses);
    Integer number = known.get(key);
    if (number == null) {
      List<FieldAccess> accesses = new ArrayList<>();
      for (Use use : uses) {
        for (Dataset dataset : use.datasets()) {
          int field = number(dataset);
          accesses.add(new FieldAccess(field, use.mode(), whole(field)));
        }
      }
      number = all.size();
      all.add(LoopAccess.of(name, accesses, shapes));
      known.put(key, number);
    }
    return number;
  }

  private int number(Dataset dataset) {
    Integer number = numbers.get(dataset);
    if (number == null) {
      if (!isProtected.test(dataset)) {
        throw new IllegalArgumentException(
            "a stretch names \"%s\", which this checkpointer does not protect, so that nobody would save it; protect it, or leave it out"
                .formatted(dataset.name()));
      }
      number = datasets.size();
      datasets.add(dataset);
      // An empty one counts, too: other ranks may have more of it.
      long units = Math.clamp(dataset.byteSize() / UNIT, 1, Integer.MAX_VALUE);
      shapes.add(new FieldShape(dataset.name(), Box.of(0, (int) units), UNIT));
      numbers.put(dataset, number);
    }
    return number;
  }

  // ---------------------------------------------------------------- running

  void next(int number) {
    ring[(int) (calls++ % RING)] = number;
  }

  long calls() {
    return calls;
  }

  Liveness liveness() {
    double[] differs = new double[datasets.size()];
    Arrays.fill(differs, 1);
    List<Boxes> written = new ArrayList<>();
    for (int field = 0; field < datasets.size(); field++) {
      written.add(Boxes.of(whole(field)));
    }
    return new Liveness(shapes, all, last(), written, differs);
  }

  private int[] last() {
    int count = (int) Math.min(calls, RING);
    int[] last = new int[count];
    for (int n = 0; n < count; n++) {
      last[n] = ring[(int) ((calls - count + n) % RING)];
    }
    return last;
  }

  // ---------------------------------------------------------------- asked

  LoopAccess get(int number) {
    return all.get(number);
  }

  List<LoopAccess> list() {
    return Collections.unmodifiableList(all);
  }

  /** The arrays that stretches have named, by number. */
  List<Dataset> datasets() {
    return Collections.unmodifiableList(datasets);
  }

  Box whole(int field) {
    return shapes.get(field).whole();
  }

  boolean isPoint(LoopPlace place) {
    return place.before() == GATE;
  }
}
