// SPDX-License-Identifier: Apache-2.0
package org.cairn.redivision;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.cairn.Changes;
import org.cairn.Dataset;
import org.cairn.DatasetMismatchException;
import org.cairn.ElementType;
import org.cairn.Part;
import org.cairn.dataset.Retyping;
import org.cairn.division.Division;
import org.cairn.version.DatasetSpec;

/**
 * A dataset of this process that gets elements from others: what it will be, and what is asked for.
 *
 * @param dataset what is filled
 * @param offered what it will be then
 * @param saved what elements were before
 * @param orders what is asked for; of several members perhaps
 * @param fill where elements go that nobody has, and what they are; empty where there are none
 */
record Wish(
    Dataset dataset, DatasetSpec offered, Saved saved, List<Order> orders, List<Fill> fill) {
  /**
   * What elements were before.
   *
   * @param name of the array or the dataset then
   * @param now what it is called now
   */
  record Saved(String name, String now, ElementType type) {
    static Saved of(Inventory.Item item, Dataset dataset) {
      return item.division() instanceof Division.Parts then
              && dataset.division() instanceof Division.Parts parts
          ? new Saved(then.array(), parts.array(), item.type())
          : new Saved(item.dataset(), dataset.name(), item.type());
    }
  }

  /** Elements that get a number before anything arrives. */
  record Fill(Runs runs, ElementType type, double value) {
    void apply(MemorySegment target) {
      runs.fill(FillValue.of(type, value), target);
    }
  }

  /** How many bytes arrive for it. */
  long bytes() {
    return orders.stream().mapToLong(Order::bytes).sum();
  }

  /** What is not as it was saved, for people. */
  Optional<String> change() {
    return Changes.inWords(saved.name, saved.type, saved.now, offered.type());
  }

  // ---------------------------------------------------------------- of another type

  /** Whether elements get another width. */
  boolean converts() {
    return saved.type != offered.type();
  }

  /** How many bytes it takes to have all of it as it was saved. */
  long savedBytes() {
    return DatasetSpec.elements(offered.shape()) * saved.type.bytes();
  }

  /**
   * Converts what arrived, and leaves alone what did not.
   *
   * @param arrived the elements as they were saved
   * @throws DatasetMismatchException if a number is too large for what it is to become; the dataset
   *     is unchanged
   */
  void convert(MemorySegment arrived, MemorySegment target) {
    Retyping retyping = new Retyping(dataset.name(), offered.type());
    for (Order order : orders) {
      order
          .runs()
          .forEachTarget(
              (first, count) ->
                  retyping.refuseTooLarge(
                      arrived, first, count, element -> whereIs(element, first, order)));
    }
    orders.forEach(
        order ->
            order
                .runs()
                .forEachTarget((first, count) -> retyping.convert(arrived, target, first, count)));
  }

  /**
   * Where an element is, for people: that of an item by who saved it, since what this process has
   * of a bag has no meaning before.
   *
   * @param first the first element of the run that it is in
   */
  private String whereIs(long element, long first, Order order) {
    if (dataset.division() instanceof Division.Bag bag) {
      long then = order.runs().low() + element - first; // items are one run
      return "in item %d of rank %d".formatted(then / bag.width(), order.member());
    }
    return dataset.division().whereIs(element, offered.shape());
  }

  private static void requireType(Dataset dataset, Inventory.Item item, Changes changes) {
    ElementType now = dataset.elementType();
    if (item.type() != now && !changes.converts(dataset.name(), item.type(), now)) {
      throw mismatch(dataset, item, dataset.differenceTo(item.type()));
    }
  }

  // ---------------------------------------------------------------- parts

  /** The parts of a dataset, with their ghosts, out of parts that were saved. */
  static Wish ofParts(
      Dataset dataset,
      Division.Parts now,
      List<Inventory.Item> saved,
      Changes changes,
      int number) {
    Part whole = now.first();
    Inventory.Item some = saved.getFirst();
    List<Long> before = ((Division.Parts) some.division()).first().shape();
    requireType(dataset, some, changes);
    if (!before.equals(whole.shape())) {
      throw mismatch(
          dataset,
          some,
          "array \"%s\" had the shape %s and has %s now; a restart divides an array otherwise, and keeps its shape"
              .formatted(now.array(), before, whole.shape()));
    }
    List<Order> orders = new ArrayList<>();
    List<Fill> fill = new ArrayList<>();
    long start = 0;
    for (Part part : now.parts()) {
      for (Box box : Box.of(part)) {
        addBox(dataset, part, start, box, saved, number, orders, fill);
      }
      start += part.localElements();
    }
    List<Long> shape = now.parts().size() == 1 ? whole.localShape() : List.of(now.localElements());
    List<Long> arranged = dataset.arrangementOf(shape);
    if (DatasetSpec.elements(arranged) != now.localElements()) {
      throw mismatch(
          dataset,
          some,
          "it has %d elements in memory, and %s has %d, ghosts included"
              .formatted(DatasetSpec.elements(arranged), now, now.localElements()));
    }
    return new Wish(dataset, offered(dataset, arranged), Saved.of(some, dataset), orders, fill);
  }

  private static void addBox(
      Dataset dataset,
      Part part,
      long start,
      Box box,
      List<Inventory.Item> saved,
      int number,
      List<Order> orders,
      List<Fill> fill) {
    long[] local = array(part.localShape());
    long found = 0;
    for (Inventory.Item item : saved) {
      long at = 0;
      for (Part source : ((Division.Parts) item.division()).parts()) {
        Region common = Region.of(source).and(box.region());
        if (!common.isEmpty()) {
          Runs runs =
              Runs.of(
                  common.extent(),
                  new Runs.Place(array(source.localShape()), within(common, source), at),
                  new Runs.Place(local, box.local(common), start));
          orders.add(new Order(item.member(), item.dataset(), item.type().bytes(), runs, number));
          found += common.elements();
        }
        at += source.localElements();
      }
    }
    OptionalDouble value = part.fill();
    if (found == box.region().elements()) {
      return;
    }
    if (value.isEmpty()) {
      throw new IllegalStateException(
          "dataset \"%s\": %d of the %d elements of %s were saved by nobody; say what they are with Part.holes(value)"
              .formatted(
                  dataset.name(), box.region().elements() - found, box.region().elements(), part));
    }
    Runs.Place place = new Runs.Place(local, box.local(box.region()), start);
    fill.add(
        new Fill(
            Runs.of(box.region().extent(), place, place),
            dataset.elementType(),
            value.getAsDouble()));
  }

  /** How many elements are a process's own and no ghosts, as far as they were saved. */
  static long own(Division.Parts now, List<Inventory.Item> saved) {
    long own = 0;
    for (Part part : now.parts()) {
      Region mine = Region.of(part);
      for (Inventory.Item item : saved) {
        for (Part source : ((Division.Parts) item.division()).parts()) {
          Region common = Region.of(source).and(mine);
          own += common.isEmpty() ? 0 : common.elements();
        }
      }
    }
    return own;
  }

  /** How many elements parts have, without ghosts. */
  static long elements(List<Inventory.Item> saved) {
    return saved.stream()
        .flatMap(item -> ((Division.Parts) item.division()).parts().stream())
        .map(Region::of)
        .filter(region -> !region.isEmpty())
        .mapToLong(Region::elements)
        .sum();
  }

  /** Where a region begins in the memory of a part that has it. */
  private static long[] within(Region common, Part part) {
    long[] from = common.from().clone();
    for (int axis = 0; axis < from.length; axis++) {
      from[axis] += part.before().get(axis) - part.offset().get(axis);
    }
    return from;
  }

  private static long[] array(List<Long> numbers) {
    return numbers.stream().mapToLong(Long::longValue).toArray();
  }

  // ---------------------------------------------------------------- bags, copies

  /** Items of a sequence, from one up to another. */
  record Stretch(long from, long to) {
    long length() {
      return to - from;
    }
  }

  /** Items of a bag: stretches of the sequence that those of all members make. */
  static Wish ofItems(
      Dataset dataset,
      int width,
      List<Inventory.Item> saved,
      Changes changes,
      List<Stretch> stretches,
      int number) {
    List<Order> orders = new ArrayList<>();
    saved.forEach(item -> requireWidth(dataset, width, item, changes));
    long filled = 0;
    for (Stretch stretch : stretches) {
      long before = 0;
      for (Inventory.Item item : saved) {
        long items = item.elements() / width;
        long low = Math.max(stretch.from, before);
        long high = Math.min(stretch.to, before + items);
        if (low < high) {
          Runs runs =
              Runs.straight(
                  (high - low) * width,
                  (low - before) * width,
                  (filled + low - stretch.from) * width);
          orders.add(new Order(item.member(), item.dataset(), item.type().bytes(), runs, number));
        }
        before += items;
      }
      filled += stretch.length();
    }
    List<Long> flat = List.of(filled * width);
    List<Long> shape =
        dataset.arrangementOf(dataset.isRows() ? List.of(filled, (long) width) : flat);
    requireRoom(dataset, filled * width, shape);
    Saved before = Saved.of(saved.getFirst(), dataset);
    return new Wish(dataset, offered(dataset, shape), before, orders, List.of());
  }

  private static void requireWidth(
      Dataset dataset, int width, Inventory.Item item, Changes changes) {
    int then = ((Division.Bag) item.division()).width();
    requireType(dataset, item, changes);
    if (then != width) {
      throw mismatch(
          dataset, item, "items had %d elements, and have %d now".formatted(then, width));
    }
  }

  /** One of the copies of what is the same everywhere. */
  static Wish ofCopy(Dataset dataset, Inventory.Item saved, Changes changes, int number) {
    requireType(dataset, saved, changes);
    long elements = saved.elements();
    List<Order> orders =
        elements == 0
            ? List.of()
            : List.of(
                new Order(
                    saved.member(),
                    saved.dataset(),
                    saved.type().bytes(),
                    Runs.straight(elements, 0, 0),
                    number));
    Saved before = Saved.of(saved, dataset);
    return new Wish(dataset, offered(dataset, saved.shape()), before, orders, List.of());
  }

  private static void requireRoom(Dataset dataset, long elements, List<Long> shape) {
    if (DatasetSpec.elements(shape) != elements) {
      throw new DatasetMismatchException(
          dataset.name(),
          "%d elements for this rank".formatted(elements),
          dataset.toString(),
          "protect it with an allocator, since its size depends on the number of ranks");
    }
  }

  private static DatasetSpec offered(Dataset dataset, List<Long> shape) {
    return dataset.specOf(shape);
  }

  static DatasetMismatchException mismatch(Dataset dataset, Inventory.Item saved, String why) {
    StringBuilder stored = new StringBuilder(saved.type().label());
    saved.shape().forEach(extent -> stored.append('[').append(extent).append(']'));
    String now = dataset.toString();
    return new DatasetMismatchException(
        dataset.name(),
        stored + ", " + saved.division(),
        now.substring(now.indexOf(':', dataset.name().length()) + 2) + ", " + dataset.division(),
        why);
  }
}
