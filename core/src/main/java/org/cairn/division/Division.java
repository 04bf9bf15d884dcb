// SPDX-License-Identifier: Apache-2.0
package org.cairn.division;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.cairn.CorruptContainerException;
import org.cairn.Part;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * What a dataset of one rank is of what all ranks have under a name.
 *
 * <pre>
 * Division → kind:u32 Content
 *   kind 1, parts → Array count:u32 Brick{count} name:UTF-8, of the array; to the end
 *   kind 2, bag   → width:u32 name:UTF-8, of the bag; to the end
 *   kind 3, everywhere → nothing
 * Array → axes:u32 periodic:u32, a bit for each axis   holes:u32 fill:f64 extent:u64{axes}
 * Brick → stale:u32 (offset:u64 extent:u64 before:u64 after:u64){axes}
 * </pre>
 *
 * <p>A dataset that says nothing is its rank's alone, and nothing is written of it.
 */
public sealed interface Division {
  /** No dataset has more parts. */
  int MAX_PARTS = 1 << 16;

  /** A dataset that no other rank has to do with. */
  record Alone() implements Division {
    private static final Alone SAID = new Alone();

    @Override
    public String toString() {
      return "of one rank alone";
    }
  }

  /**
   * Bricks of an array, one behind the other in memory, each with its ghosts.
   *
   * @param array its name
   * @param parts at least one, all of the same array
   */
  record Parts(String array, List<Part> parts) implements Division {
    /** Refuses bricks of different arrays. */
    public Parts {
      parts = List.copyOf(parts);
      if (parts.isEmpty() || parts.size() > MAX_PARTS) {
        throw new IllegalArgumentException(
            "a dataset has 1 to %d parts, not %d".formatted(MAX_PARTS, parts.size()));
      }
      for (Part part : parts) {
        if (!part.isOfSameArray(parts.getFirst())) {
          throw new IllegalArgumentException(
              "its parts are of arrays of different shapes: %s and %s"
                  .formatted(parts.getFirst().shape(), part.shape()));
        }
      }
    }

    /** What all of them say of the array. */
    public Part first() {
      return parts.getFirst();
    }

    /** How many elements they have in memory, ghosts included. */
    public long localElements() {
      long sum = 0;
      for (Part part : parts) {
        sum = Math.addExact(sum, part.localElements());
      }
      return sum;
    }

    /** The place in the array of an element in memory; of a ghost that is periodic, its own one. */
    private List<Long> indices(long element) {
      long left = element;
      int part = 0;
      while (left >= parts.get(part).localElements()) {
        left -= parts.get(part).localElements();
        part++;
      }
      Part its = parts.get(part);
      List<Long> local = Division.indices(left, its.localShape());
      List<Long> indices = new ArrayList<>();
      for (int axis = 0; axis < local.size(); axis++) {
        long at = its.offset().get(axis) - its.before().get(axis) + local.get(axis);
        boolean wraps = its.periodic().contains(axis);
        indices.add(wraps ? Math.floorMod(at, its.shape().get(axis)) : at);
      }
      return indices;
    }

    @Override
    public String toString() {
      String more = parts.size() == 1 ? "" : " and " + (parts.size() - 1) + " more";
      return "part %s%s of \"%s\"".formatted(first(), more, array);
    }
  }

  /**
   * Items that any rank may hold; those of all ranks, one after the other, are one sequence.
   *
   * @param bag its name, which several datasets may have: then they are divided alike
   * @param width elements of an item
   */
  record Bag(String bag, int width) implements Division {
    /** Refuses items of nothing. */
    public Bag {
      if (width < 1) {
        throw new IllegalArgumentException("an item has at least one element, not " + width);
      }
    }

    @Override
    public String toString() {
      return "items of bag \"%s\", %d elements each".formatted(bag, width);
    }
  }

  /** The same on all ranks, bit for bit. */
  record Everywhere() implements Division {
    private static final Everywhere SAID = new Everywhere();

    @Override
    public String toString() {
      return "the same everywhere";
    }
  }

  /** All ranks have the same. */
  static Division everywhere() {
    return Everywhere.SAID;
  }

  /** Nothing is said. */
  static Division alone() {
    return Alone.SAID;
  }

  /** Whether nothing is said. */
  default boolean isAlone() {
    return this instanceof Alone;
  }

  /**
   * Refuses a dataset that has not as many elements as this says.
   *
   * @param elements how many it has
   * @throws IllegalArgumentException naming both
   */
  default void requireFits(long elements) {
    switch (this) {
      case Parts parts when parts.localElements() != elements ->
          throw new IllegalArgumentException(
              "it has %d elements, but %s has %d in memory, ghosts included"
                  .formatted(elements, parts, parts.localElements()));
      case Bag bag when elements % bag.width != 0 ->
          throw new IllegalArgumentException(
              "%d elements are no whole number of items of %d".formatted(elements, bag.width));
      default -> {}
    }
  }

  // ---------------------------------------------------------------- for people

  /**
   * Where an element is, for people: in the array that ranks have together, not in the memory of
   * one.
   *
   * @param element its place in memory, ghosts counted
   * @param shape of the memory
   */
  default String whereIs(long element, List<Long> shape) {
    return switch (this) {
      case Parts parts -> "at %s of array \"%s\"".formatted(parts.indices(element), parts.array);
      case Bag bag -> "in item %d of this rank".formatted(element / bag.width);
      case Everywhere _, Alone _ -> "at " + indices(element, shape);
    };
  }

  /** The place of an element along each axis, the last one fastest. */
  private static List<Long> indices(long element, List<Long> shape) {
    List<Long> indices = new ArrayList<>();
    long left = element;
    for (int axis = shape.size() - 1; axis > 0; axis--) {
      indices.addFirst(left % shape.get(axis));
      left /= shape.get(axis);
    }
    indices.addFirst(left);
    return indices;
  }

  // ---------------------------------------------------------------- in files

  /** Writes it; there is nothing to write of a dataset of one rank alone. */
  default void write(RecordWriter out) {
    switch (this) {
      case Alone _ -> throw new IllegalStateException("nothing is said");
      case Parts parts -> writeParts(parts, out);
      case Bag bag -> out.putInt(2).putInt(bag.width).putBytes(utf8(bag.bag));
      case Everywhere _ -> out.putInt(3);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }

  private static void writeParts(Parts parts, RecordWriter out) {
    Part array = parts.first();
    int axes = array.shape().size();
    int periodic = array.periodic().stream().mapToInt(axis -> 1 << axis).sum();
    out.putInt(1).putInt(axes).putInt(periodic).putInt(array.fill().isPresent() ? 1 : 0);
    out.putLong(Double.doubleToRawLongBits(array.fill().orElse(0)));
    array.shape().forEach(out::putLong);
    out.putInt(parts.parts.size());
    for (Part part : parts.parts) {
      out.putInt(part.isStale() ? 1 : 0);
      for (int axis = 0; axis < axes; axis++) {
        out.putLong(part.offset().get(axis)).putLong(part.extent().get(axis));
        out.putLong(part.before().get(axis)).putLong(part.after().get(axis));
      }
    }
    out.putBytes(utf8(parts.array));
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @return empty if a later release wrote it, of a kind that this one does not know
   * @throws IllegalArgumentException if it says what cannot be
   */
  static Optional<Division> read(RecordReader in) throws CorruptContainerException {
    return switch (in.getInt()) {
      case 1 -> Optional.of(readParts(in));
      case 2 -> {
        int width = in.getInt();
        yield Optional.of(new Bag(in.getRestAsText(), width));
      }
      case 3 -> Optional.of(everywhere());
      default -> Optional.empty();
    };
  }

  private static Parts readParts(RecordReader in) throws CorruptContainerException {
    int axes = in.getInt();
    if (axes < 1 || axes > Part.MAX_AXES) {
      throw in.corrupt("a divided array of " + axes + " axes");
    }
    int bits = in.getInt();
    boolean holes = in.getInt() != 0;
    double value = Double.longBitsToDouble(in.getLong());
    OptionalDouble fill = holes ? OptionalDouble.of(value) : OptionalDouble.empty();
    List<Integer> periodic = new ArrayList<>();
    for (int axis = 0; axis < Integer.SIZE; axis++) {
      if ((bits >>> axis & 1) != 0) {
        periodic.add(axis);
      }
    }
    List<Long> shape = new ArrayList<>();
    for (int axis = 0; axis < axes; axis++) {
      shape.add(in.getLong());
    }
    int count = in.getCount(4 + 32 * axes);
    List<Part> parts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      parts.add(readBrick(in, shape, periodic, fill));
    }
    return new Parts(in.getRestAsText(), parts);
  }

  private static Part readBrick(
      RecordReader in, List<Long> shape, List<Integer> periodic, OptionalDouble fill)
      throws CorruptContainerException {
    boolean stale = in.getInt() != 0;
    List<Long> offset = new ArrayList<>();
    List<Long> extent = new ArrayList<>();
    List<Long> before = new ArrayList<>();
    List<Long> after = new ArrayList<>();
    for (int axis = 0; axis < shape.size(); axis++) {
      offset.add(in.getLong());
      extent.add(in.getLong());
      before.add(in.getLong());
      after.add(in.getLong());
    }
    return new Part(shape, offset, extent, before, after, periodic, stale, fill);
  }
}
