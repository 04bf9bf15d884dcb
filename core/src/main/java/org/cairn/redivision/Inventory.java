// SPDX-License-Identifier: Apache-2.0
package org.cairn.redivision;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.cairn.Changes;
import org.cairn.ElementType;
import org.cairn.RestartReport;
import org.cairn.RestartReport.Content.Kind;
import org.cairn.comm.Communicator;
import org.cairn.division.Division;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;
import org.cairn.version.VersionSource;

/**
 * What the members of a version saved, without their bytes: who has which dataset, and what that is
 * of what all of them had. The same on all processes.
 *
 * <p>It grows with the number of members, some hundred bytes for each, and is the only thing here
 * that does: what is wanted is told only to who has it.
 */
public final class Inventory {
  private final Changes changes;
  private final Map<Key, List<Item>> byKey = new LinkedHashMap<>();

  /** What belongs together: parts of an array, items of a bag that one dataset has, copies. */
  private record Key(Class<? extends Division> kind, String name) {}

  /**
   * A dataset of a member.
   *
   * @param member who saved it
   * @param dataset as it was called then
   */
  public record Item(
      int member, String dataset, ElementType type, List<Long> shape, Division division) {
    /** How many elements it has. */
    long elements() {
      return DatasetSpec.elements(shape);
    }
  }

  private Inventory(List<Item> items, Changes changes) {
    this.changes = changes;
    for (Item item : items) {
      byKey.computeIfAbsent(key(item, changes), _ -> new ArrayList<>()).add(item);
    }
  }

  private static Key key(Item item, Changes changes) {
    return new Key(item.division.getClass(), changes.nameNow(nameOf(item)));
  }

  private static String nameOf(Item item) {
    return item.division instanceof Division.Parts parts ? parts.array() : item.dataset;
  }

  /**
   * Exchanges what every process can read; collective.
   *
   * @param mine the members that this process reads
   * @param changes how names have changed since
   */
  public static Inventory gather(
      Communicator comm, Map<Integer, VersionSource> mine, Changes changes) throws IOException {
    RecordWriter out = RecordWriter.onHeap();
    mine.forEach((member, source) -> write(member, source, out));
    SortedMap<Integer, List<Item>> all = new TreeMap<>();
    List<byte[]> told = comm.allGather(out.toArray());
    for (int rank = 0; rank < told.size(); rank++) {
      read(RecordReader.of(told.get(rank), "what rank %d can read".formatted(rank)), all);
    }
    return new Inventory(all.values().stream().flatMap(List::stream).toList(), changes);
  }

  private static void write(int member, VersionSource source, RecordWriter out) {
    out.putInt(member).putInt(source.datasets().size());
    for (DatasetEntry entry : source.datasets()) {
      DatasetSpec spec = entry.spec();
      out.putText(spec.name()).putInt(spec.type().id()).putInt(spec.shape().size());
      spec.shape().forEach(out::putLong);
      long start = out.begin();
      if (!spec.division().isAlone()) {
        spec.division().write(out);
      }
      out.end(start);
    }
  }

  private static void read(RecordReader in, SortedMap<Integer, List<Item>> all) throws IOException {
    while (in.remaining() > 0) {
      int member = in.getInt();
      List<Item> items = new ArrayList<>();
      for (int left = in.getInt(); left > 0; left--) {
        String name = in.getText();
        ElementType type = ElementType.of(in.getInt());
        List<Long> shape = new ArrayList<>();
        for (int axes = in.getInt(); axes > 0; axes--) {
          shape.add(in.getLong());
        }
        RecordReader said = in.getCountedRecord();
        Optional<Division> division =
            said.remaining() == 0 ? Optional.empty() : Division.read(said);
        items.add(
            new Item(member, name, type, List.copyOf(shape), division.orElseGet(Division::alone)));
      }
      all.put(member, items);
    }
  }

  /** How the program has changed since. */
  Changes changes() {
    return changes;
  }

  /** The parts of an array, by its name now. */
  List<Item> partsOf(String array) {
    return of(Division.Parts.class, array);
  }

  /** The items of a bag that were in a dataset, by its name now, in the order of members. */
  List<Item> itemsOf(String dataset) {
    return of(Division.Bag.class, dataset);
  }

  /** The copies of what was the same everywhere, by its name now. */
  List<Item> copiesOf(String dataset) {
    return of(Division.Everywhere.class, dataset);
  }

  /** What was a member's alone, by its name now. */
  List<Item> aloneOf(String dataset) {
    return of(Division.Alone.class, dataset);
  }

  private List<Item> of(Class<? extends Division> kind, String name) {
    return byKey.getOrDefault(new Key(kind, name), List.of());
  }

  /** Any dataset that was saved under a name, whatever it was. */
  Optional<Item> named(String now) {
    return byKey.entrySet().stream()
        .filter(one -> one.getKey().name.equals(now))
        .map(one -> one.getValue().getFirst())
        .findFirst();
  }

  /**
   * What members had together, or each alone, by kind and name: a dataset and an array may have the
   * same name.
   *
   * @param name now
   * @param datasets what it was saved as, by the names now
   */
  public record Saved(String name, Division division, Set<String> datasets) {
    /** Tells it from others, whatever they are called. */
    public String key() {
      return Inventory.key(division, name);
    }

    /** With which method of a dataset a program says that it is divided so. */
    public String said() {
      return switch (division) {
        case Division.Parts _ -> "part";
        case Division.Bag _ -> "bag";
        case Division.Everywhere _ -> "everywhere";
        case Division.Alone _ -> throw new AssertionError(this);
      };
    }
  }

  /** What tells things of one name apart. */
  public static String key(Division division, String name) {
    return key(division.getClass(), name);
  }

  /** All that something of a name may be. */
  public static List<String> kinds(String name) {
    return Arrays.stream(Division.class.getPermittedSubclasses())
        .map(kind -> key(kind, name))
        .toList();
  }

  private static String key(Class<?> kind, String name) {
    return kind.getSimpleName() + " " + name;
  }

  /** All there is, by name. */
  public List<Saved> saved() {
    List<Saved> all = new ArrayList<>();
    byKey.forEach(
        (key, found) -> {
          Set<String> datasets = new TreeSet<>();
          found.forEach(item -> datasets.add(changes.nameNow(item.dataset)));
          all.add(new Saved(key.name, found.getFirst().division, datasets));
        });
    all.sort(Comparator.comparing(Saved::name).thenComparing(Saved::key));
    return all;
  }

  // ---------------------------------------------------------------- for the program

  /** All there is, as a program is told of it, by name. */
  public List<RestartReport.Content> contents() {
    List<RestartReport.Content> all = new ArrayList<>();
    byKey.forEach((key, items) -> all.add(content(key.name, items)));
    return SavedContents.sorted(all);
  }

  private static RestartReport.Content content(String name, List<Item> items) {
    return items.stream().map(item -> content(name, item)).reduce(SavedContents::merge).get();
  }

  private static RestartReport.Content content(String name, Item item) {
    return switch (item.division) {
      case Division.Parts parts -> of(name, Kind.ARRAY, item, parts.first().shape());
      case Division.Bag bag ->
          of(name, Kind.BAG, item, List.of(item.elements() / bag.width(), (long) bag.width()));
      case Division.Everywhere _ -> of(name, Kind.EVERYWHERE, item, item.shape);
      case Division.Alone _ -> of(name, Kind.ALONE, item, item.shape);
    };
  }

  private static RestartReport.Content of(String name, Kind kind, Item item, List<Long> shape) {
    return new RestartReport.Content(name, kind, item.type, shape);
  }

  /** Some of what one member saved. */
  static Inventory of(int member, Collection<DatasetEntry> datasets, Changes changes) {
    return new Inventory(
        datasets.stream()
            .map(DatasetEntry::spec)
            .map(spec -> new Item(member, spec.name(), spec.type(), spec.shape(), spec.division()))
            .toList(),
        changes);
  }
}
