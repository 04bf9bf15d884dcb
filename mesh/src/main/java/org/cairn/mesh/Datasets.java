// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.cairn.Checkpointer;
import org.cairn.Dataset;
import org.cairn.mesh.live.Box;
import org.cairn.mesh.live.Boxes;
import org.cairn.mesh.ranks.Bricks;
import org.cairn.mesh.ranks.Halos;
import org.cairn.mesh.ranks.Layout;

/**
 * The datasets of fields. Fields that are nearly whole are protected where they lie, small parts of
 * others are packed. As long as the same is saved of a field, its dataset stays: its digests would
 * be lost with it.
 */
final class Datasets {
  private final Checkpointer cairn;
  private final int rank;
  private final Map<String, Held> held = new LinkedHashMap<>();
  private final List<String> awaitedLate = new ArrayList<>();

  Datasets(Checkpointer cairn, int rank) {
    this.cairn = cairn;
    this.rank = rank;
  }

  /** A dataset of a field. */
  private static final class Held {
    private final SavedField saved;
    private final Dataset dataset;
    private final MemorySegment memory;

    Held(SavedField saved, Dataset dataset, MemorySegment memory) {
      this.saved = saved;
      this.dataset = dataset;
      this.memory = memory;
    }
  }

  // ---------------------------------------------------------------- saving

  /** What is to be saved from now on, each with its field. */
  void install(Map<SavedField, Data> wanted) {
    Set<String> gone = new LinkedHashSet<>(held.keySet());
    wanted.forEach(
        (saved, field) -> {
          Held before = held.get(saved.path());
          if (before == null || !before.saved.equals(saved)) {
            remove(saved.path());
            held.put(saved.path(), protect(saved, field));
          }
          gone.remove(saved.path());
        });
    gone.forEach(this::remove);
  }

  private void remove(String path) {
    if (held.remove(path) != null) {
      cairn.unprotect(path);
    }
  }

  private Held protect(SavedField saved, Data field) {
    Box owned = field.owned();
    if (saved.inPlace()) {
      Dataset dataset = cairn.protect(saved.path(), field.memory(), saved.type());
      divideInPlace(saved, dataset, owned, field.domain().layout().local());
      return new Held(saved, dataset, field.memory());
    }
    return protectPacked(saved.path(), saved, owned);
  }

  private Held protectPacked(String name, SavedField saved, Box owned) {
    MemorySegment memory = room(saved.packedElements(owned) * saved.type().bytes());
    Dataset dataset = cairn.protect(name, memory, saved.type());
    if (saved.isLine()) {
      dataset.everywhere();
    } else {
      dataset.partOf(saved.path(), saved.partsPacked(owned));
    }
    return new Held(saved, dataset, memory);
  }

  private static void divideInPlace(SavedField saved, Dataset dataset, Box owned, Box local) {
    if (saved.isLine()) {
      dataset.everywhere();
    } else {
      dataset.part(saved.partInPlace(owned, local));
    }
  }

  private static MemorySegment room(long bytes) {
    return Arena.ofAuto().allocate(bytes, Long.BYTES);
  }

  /** Copies what is packed together, and gives all datasets. */
  Dataset[] gather(Fields fields) {
    for (Data field : fields.list()) {
      Held one = held.get(field.path());
      if (one != null && !one.saved.inPlace()) {
        pack(field, one.saved.owned(field.owned()), one.memory);
      }
    }
    return held.values().stream().map(one -> one.dataset).toArray(Dataset[]::new);
  }

  static void pack(Data field, List<Box> boxes, MemorySegment target) {
    long at = 0;
    for (Box box : boxes) {
      at = layout(field).pack(field.halo(), box, target, at);
    }
  }

  private static Layout layout(Data field) {
    // A line counts from the point in front of the first, where its array begins.
    return field instanceof Line ? Layout.of(field.domain().whole()) : field.domain().layout();
  }

  // ---------------------------------------------------------------- late

  /** Points of a field that were saved after the place, as they were there. */
  record Late(SavedField saved, MemorySegment memory) {
    static Late of(Data field, Boxes points) {
      SavedField saved = SavedField.packed(field, points);
      Box owned = field.owned();
      MemorySegment memory = room(saved.packedElements(owned) * saved.type().bytes());
      pack(field, saved.owned(owned), memory);
      return new Late(saved, memory);
    }
  }

  static String lateName(SavedField saved, int number) {
    return saved.path() + "@late" + number;
  }

  /** Protects late points, for one version. */
  List<Dataset> protectLate(List<Late> all, Fields fields) {
    List<Dataset> datasets = new ArrayList<>();
    for (int n = 0; n < all.size(); n++) {
      Late late = all.get(n);
      Dataset dataset = cairn.protect(lateName(late.saved, n), late.memory, late.saved.type());
      if (late.saved.isLine()) {
        dataset.everywhere();
      } else {
        Box owned = byPath(fields, late.saved.path()).owned();
        dataset.partOf(late.saved.path(), late.saved.partsPacked(owned));
      }
      datasets.add(dataset);
    }
    return datasets;
  }

  static Data byPath(Fields fields, String path) {
    for (Data field : fields.list()) {
      if (field.path().equals(path)) {
        return field;
      }
    }
    throw new ProgramChangedException(
        "the program has no field \"%s\" where it was saved; it was changed since".formatted(path));
  }

  // ---------------------------------------------------------------- restoring

  /** Protects memory that a restart fills, before there are fields. */
  void awaitRestart(SavedField saved, Bricks bricks) {
    held.put(saved.path(), waiting(saved.path(), saved, bricks));
  }

  /** The same of late points, which are protected no longer than it takes. */
  Late awaitLate(SavedField saved, int number, Bricks bricks) {
    Held one = waiting(lateName(saved, number), saved, bricks);
    awaitedLate.add(lateName(saved, number));
    return new Late(saved, one.memory);
  }

  private Held waiting(String name, SavedField saved, Bricks bricks) {
    Box owned = saved.isLine() ? saved.whole() : bricks.owned(rank);
    if (!saved.inPlace()) {
      return protectPacked(name, saved, owned);
    }
    Box local = saved.isLine() ? saved.whole() : bricks.around(owned, bricks.halo());
    MemorySegment memory = room(local.points() * saved.type().bytes());
    Dataset dataset = cairn.protect(name, memory, saved.type());
    divideInPlace(saved, dataset, owned, local);
    return new Held(saved, dataset, memory);
  }

  /** Gives fields what was restored, and protects them from now on. */
  void arrive(Fields fields) {
    for (Map.Entry<String, Held> entry : held.entrySet()) {
      Held one = entry.getValue();
      Data field = byPath(fields, entry.getKey());
      if (one.saved.inPlace()) {
        Halos.Memory restored = new Halos.Memory(one.memory, field.type().bytes());
        copyPoints(field, restored, one.saved);
        one.dataset.replace(field.memory());
        divideInPlace(one.saved, one.dataset, field.owned(), field.domain().layout().local());
        entry.setValue(new Held(one.saved, one.dataset, field.memory()));
      } else {
        unpack(field, one.saved, one.memory);
      }
    }
  }

  /** Only what was needed: other points are what the initial phase has made of them. */
  private static void copyPoints(Data field, Halos.Memory restored, SavedField saved) {
    Layout layout = layout(field);
    for (Box box : saved.owned(field.owned())) {
      MemorySegment row = room(box.points() * field.type().bytes());
      layout.pack(restored, box, row, 0);
      layout.unpack(field.halo(), box, row, 0);
    }
  }

  static void unpack(Data field, SavedField saved, MemorySegment memory) {
    long at = 0;
    for (Box box : saved.owned(field.owned())) {
      at = layout(field).unpack(field.halo(), box, memory, at);
    }
  }

  /** Nothing could be restored: something else will be. */
  void giveUp() {
    List.copyOf(held.keySet()).forEach(this::remove);
    awaitedLate.forEach(cairn::unprotect);
    awaitedLate.clear();
  }

  void giveUpLate(List<Late> late) {
    for (int n = 0; n < late.size(); n++) {
      cairn.unprotect(lateName(late.get(n).saved, n));
    }
  }
}
