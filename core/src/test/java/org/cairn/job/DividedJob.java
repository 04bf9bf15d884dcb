// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.cairn.Checkpointer;
import org.cairn.ElementType;
import org.cairn.LongCell;
import org.cairn.Part;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.division.Divisions;
import org.cairn.testkit.random.Seeds;

/**
 * A job that any number of ranks can run, and whose state tells by itself whether it is right: all
 * of it is a function of the step, whoever has which of it.
 */
final class DividedJob {
  private static final ElementType[] TYPES = {
    ElementType.BYTE,
    ElementType.BOOLEAN,
    ElementType.CHAR,
    ElementType.SHORT,
    ElementType.INT,
    ElementType.LONG,
    ElementType.FLOAT,
    ElementType.DOUBLE
  };

  private static final byte UNTOUCHED = 0x5A;

  private final long seed;
  private final List<Field> fields = new ArrayList<>();

  /** A global array. */
  private record Field(String name, ElementType type, long[] shape, List<Integer> periodic) {
    /** What an element is; the last steps change only some. */
    byte[] element(long index, long step) {
      long last = step - Math.floorMod(step - index / 16, 4);
      long value = last <= 0 || index % 7 == 3 ? 0 : (index + 1) * 0x9E3779B97F4A7C15L + last;
      byte[] bytes = new byte[type.bytes()];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) (value >>> 8 * i);
      }
      return bytes;
    }
  }

  DividedJob(long seed) {
    this.seed = seed;
    Random random = Seeds.content(seed);
    Divisions divisions = new Divisions(random);
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      long[] shape = divisions.shape();
      List<Integer> periodic = new ArrayList<>();
      for (int axis = 0; axis < shape.length; axis++) {
        if (random.nextInt(3) == 0) {
          periodic.add(axis);
        }
      }
      fields.add(new Field("f" + i, TYPES[random.nextInt(TYPES.length)], shape, periodic));
    }
  }

  /**
   * A start of the job.
   *
   * @param ranks how many it has
   * @param life which of its starts it is: each divides otherwise
   */
  record Life(int ranks, long life) {}

  /** One rank of it. */
  final class Rank {
    private final Checkpointer cairn;
    private final Life life;
    private final int number;
    private final LongCell step;
    private final double[] table = new double[11];
    private final List<Held> held = new ArrayList<>();
    private double[] places = new double[0];
    private long[] ids = new long[0];

    /** Parts of an array in one memory. */
    private record Held(Field field, List<Part> parts, byte[] memory) {}

    Rank(Checkpointer cairn, Life life, int number) {
      this.cairn = cairn;
      this.life = life;
      this.number = number;
      this.step = cairn.protectEverywhere("step", 0L);
      cairn.protect("table", table).everywhere();
      for (Field field : fields) {
        protect(field);
      }
      cairn
          .protect("place", double[].class, () -> places, n -> places = new double[(int) n])
          .bag("particles", 3);
      cairn
          .protect("id", long[].class, () -> ids, n -> ids = new long[(int) n])
          .bag("particles", 1);
    }

    private void protect(Field field) {
      Random random = Seeds.content(seed * 31 + life.life * 7 + field.name.hashCode());
      Divisions divisions = new Divisions(random);
      int[] periodic = field.periodic.stream().mapToInt(Integer::intValue).toArray();
      List<Part> bricks =
          divisions.bricks(field.shape, life.ranks + random.nextInt(6)).stream()
              .map(divisions::withGhosts)
              .map(part -> part.periodic(periodic))
              .toList();
      boolean together = random.nextBoolean();
      List<Part> mine = divisions.among(life.ranks, bricks).get(number);
      if (mine.isEmpty()) {
        return;
      }
      if (together) {
        Held all = held(field, mine);
        cairn
            .protect(field.name, MemorySegment.ofArray(all.memory), field.type)
            .part(mine.toArray(Part[]::new));
        return;
      }
      for (int i = 0; i < mine.size(); i++) {
        Held one = held(field, List.of(mine.get(i)));
        cairn
            .protect(field.name + "." + i, MemorySegment.ofArray(one.memory), field.type)
            .partOf(field.name, mine.get(i));
      }
    }

    private Held held(Field field, List<Part> parts) {
      long elements = parts.stream().mapToLong(Part::localElements).sum();
      byte[] memory = new byte[(int) elements * field.type.bytes()];
      Arrays.fill(memory, UNTOUCHED);
      Held one = new Held(field, parts, memory);
      held.add(one);
      return one;
    }

    Checkpointer cairn() {
      return cairn;
    }

    long step() {
      return step.get();
    }

    RestartReport restart(RestartRequest request) {
      RestartReport report = cairn.restart(request);
      if (report.isRestored()) {
        check();
      }
      return report;
    }

    // ---------------------------------------------------------------- the state of a step

    /** Goes to the next step; what is in ghosts afterwards is nothing but noise. */
    void advance() {
      step.increment();
      for (int i = 0; i < table.length; i++) {
        table[i] = tableAt(i, step());
      }
      for (Held one : held) {
        fill(one);
      }
      int first = firstItem(number, life, step());
      int count = firstItem(number + 1, life, step()) - first;
      places = new double[3 * count];
      ids = new long[count];
      for (int i = 0; i < count; i++) {
        ids[i] = idAt(first + i, step());
        for (int k = 0; k < 3; k++) {
          places[3 * i + k] = placeAt(first + i, k, step());
        }
      }
    }

    private static double tableAt(int i, long step) {
      return step * 100.5 + i;
    }

    private static long idAt(int item, long step) {
      return item * 1000L + step;
    }

    private static double placeAt(int item, int axis, long step) {
      return item + 0.25 * axis + 7 * (step / 3);
    }

    private int firstItem(int rank, Life of, long atStep) {
      int sum = 0;
      for (int i = 0; i < rank; i++) {
        sum += itemsOf(i, of, atStep);
      }
      return sum;
    }

    /** The number of all items does not depend on the number of ranks that have them. */
    private int itemsOf(int rank, Life of, long atStep) {
      int all = items(atStep);
      long mix = Math.floorMod(seed + of.life, 5);
      int cut = rank == of.ranks - 1 ? all : (int) (all * (rank + 1L) / (of.ranks + mix));
      int before = rank == 0 ? 0 : (int) (all * (long) rank / (of.ranks + mix));
      return cut - before;
    }

    private static int items(long atStep) {
      return itemsAt(atStep);
    }

    private void fill(Held one) {
      int width = one.field.type.bytes();
      int start = 0;
      for (Part part : one.parts) {
        int at = start;
        forEachCell(
            part,
            (cell, index, owned, _) -> {
              byte[] bytes = new byte[width];
              if (owned) {
                bytes = one.field.element(index, step());
              } else {
                Arrays.fill(bytes, (byte) 0xFF);
              }
              System.arraycopy(bytes, 0, one.memory, at + (int) cell * width, width);
            });
        start += (int) part.localElements() * width;
      }
    }

    /** All is as it was at the step. */
    void check() {
      for (int i = 0; i < table.length; i++) {
        assertThat(table[i]).isEqualTo(tableAt(i, step()));
      }
      held.forEach(this::check);
      assertThat(places).hasSize(3 * ids.length);
      for (int i = 0; i < ids.length; i++) {
        int item = (int) (ids[i] / 1000);
        assertThat(ids[i] % 1000).isEqualTo(step());
        for (int k = 0; k < 3; k++) {
          assertThat(places[3 * i + k]).isEqualTo(placeAt(item, k, step()));
        }
      }
    }

    /** Items are where an equal division of the sequence has them. */
    void checkShare() {
      int from = (int) ((long) items(step()) * number / life.ranks);
      assertThat(ids.length).isBetween(items(step()) / life.ranks, items(step()) / life.ranks + 1);
      if (ids.length > 0) {
        assertThat(ids[0] / 1000).isBetween((long) from - 1, (long) from + 1);
      }
      for (int i = 1; i < ids.length; i++) {
        assertThat(ids[i] / 1000).isEqualTo(ids[i - 1] / 1000 + 1);
      }
    }

    int items() {
      return ids.length;
    }

    int allItems() {
      return items(step());
    }

    private void check(Held one) {
      int width = one.field.type.bytes();
      byte[] untouched = new byte[width];
      Arrays.fill(untouched, UNTOUCHED);
      int start = 0;
      for (Part part : one.parts) {
        int at = start;
        forEachCell(
            part,
            (cell, index, owned, inside) -> {
              boolean known = owned || inside && !part.isStale();
              byte[] expected = known ? one.field.element(index, step()) : untouched;
              int from = at + (int) cell * width;
              if (!Arrays.equals(one.memory, from, from + width, expected, 0, width)) {
                throw new AssertionError(
                    "%s, %s of rank %d, cell %d: %s in place of %s"
                        .formatted(
                            one.field.name,
                            part,
                            number,
                            cell,
                            Arrays.toString(Arrays.copyOfRange(one.memory, from, from + width)),
                            Arrays.toString(expected)));
              }
            });
        start += (int) part.localElements() * width;
      }
    }
  }

  /** How many items all ranks have at a step. */
  static int itemsAt(long step) {
    return (int) (13 + step * 5 % 40);
  }

  /** Is given every cell of the memory of a part. */
  private interface Cell {
    /**
     * A cell.
     *
     * @param index of the element of the whole array; means nothing if it is not inside
     */
    void at(long cell, long index, boolean owned, boolean inside);
  }

  private static void forEachCell(Part part, Cell action) {
    int axes = part.shape().size();
    long[] local = part.localShape().stream().mapToLong(Long::longValue).toArray();
    long elements = part.localElements();
    long[] at = new long[axes];
    for (long cell = 0; cell < elements; cell++) {
      long left = cell;
      for (int axis = axes - 1; axis >= 0; axis--) {
        at[axis] = left % local[axis];
        left /= local[axis];
      }
      long index = 0;
      boolean owned = true;
      boolean inside = true;
      for (int axis = 0; axis < axes; axis++) {
        long all = part.shape().get(axis);
        long within = at[axis] - part.before().get(axis);
        owned &= within >= 0 && within < part.extent().get(axis);
        long global = part.offset().get(axis) + within;
        if (part.periodic().contains(axis) && all > 0) {
          global = Math.floorMod(global, all);
        }
        inside &= global >= 0 && global < all;
        index = index * all + global;
      }
      action.at(cell, index, owned, inside);
    }
  }
}
