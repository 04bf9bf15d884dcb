// SPDX-License-Identifier: Apache-2.0
package org.cairn.division;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.cairn.ElementType;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * What one rank says of the datasets that it has together with others. As long as no rank says
 * anything new there is nothing to look at; how many items a bag has may change at any time.
 *
 * <pre>Description → (name:text type:u32 form:text length:u32 Division)*</pre>
 */
public final class Description {
  private static final Description NOTHING = new Description(List.of());

  private final List<Said> all;

  /**
   * What is said of a dataset.
   *
   * @param form what has to be the same on all ranks for digests to be compared; empty otherwise
   */
  record Said(String dataset, ElementType type, String form, Division division) {
    /** What it belongs to that ranks have together, in words that tell it from all else. */
    String whole() {
      return division instanceof Division.Parts parts
          ? "array \"%s\"".formatted(parts.array())
          : "dataset \"%s\"".formatted(dataset);
    }
  }

  private Description(List<Said> all) {
    // Whatever the order in which it was said, the same is the same.
    this.all = all.stream().sorted(Comparator.comparing(Said::dataset)).toList();
  }

  /** A rank that says nothing. */
  public static Description nothing() {
    return NOTHING;
  }

  /** Collects what is said of the datasets of a rank. */
  public static final class Builder {
    private final List<Said> all = new ArrayList<>();
    private final Map<String, Long> items = new HashMap<>();
    private final Map<String, String> firstOf = new HashMap<>();

    /**
     * A dataset.
     *
     * @param elements how many it has now
     * @param form what has to be the same on all ranks of what is the same everywhere, in words
     * @throws IllegalStateException if another dataset of its bag has not as many items
     */
    public Builder add(
        String dataset, ElementType type, long elements, String form, Division division) {
      if (division instanceof Division.Bag bag) {
        long count = elements / bag.width();
        Long before = items.putIfAbsent(bag.bag(), count);
        String other = firstOf.putIfAbsent(bag.bag(), dataset);
        if (before != null && before != count) {
          throw new IllegalStateException(
              "bag \"%s\": dataset \"%s\" has %d items and \"%s\" %d; all datasets of a bag have equally many"
                  .formatted(bag.bag(), other, before, dataset, count));
        }
      }
      if (!division.isAlone()) {
        all.add(
            new Said(dataset, type, division instanceof Division.Everywhere ? form : "", division));
      }
      return this;
    }

    /** All of them. */
    public Description build() {
      return all.isEmpty() ? NOTHING : new Description(all);
    }
  }

  /** What is said of a dataset. */
  public Division of(String dataset) {
    for (Said said : all) {
      if (said.dataset.equals(dataset)) {
        return said.division;
      }
    }
    return Division.alone();
  }

  /** All that is said, by name. */
  List<Said> all() {
    return all;
  }

  /** Whether nothing is said. */
  public boolean isNothing() {
    return all.isEmpty();
  }

  /** The same without some datasets. */
  public Description without(Set<String> datasets) {
    return new Description(all.stream().filter(said -> !datasets.contains(said.dataset)).toList());
  }

  /** The same, and what else is said of other datasets. */
  public Description and(Description other) {
    List<Said> both = new ArrayList<>(all);
    other.all.stream().filter(said -> of(said.dataset).isAlone()).forEach(both::add);
    return new Description(both);
  }

  /** Whether anything is said to be the same everywhere. */
  public boolean hasCopies() {
    return all.stream().anyMatch(said -> said.division instanceof Division.Everywhere);
  }

  /** As a message. */
  public byte[] write() {
    RecordWriter out = RecordWriter.onHeap();
    for (Said said : all) {
      out.putText(said.dataset).putInt(said.type.id()).putText(said.form);
      long start = out.begin();
      said.division.write(out);
      out.end(start);
    }
    return out.toArray();
  }

  /** What {@link #write} wrote. */
  public static Description read(byte[] message, String origin) throws IOException {
    List<Said> all = new ArrayList<>();
    RecordReader in = RecordReader.of(message, origin);
    while (in.remaining() > 0) {
      String dataset = in.getText();
      ElementType type = ElementType.of(in.getInt());
      String form = in.getText();
      Optional<Division> division = Division.read(in.getCountedRecord());
      division.ifPresent(known -> all.add(new Said(dataset, type, form, known)));
    }
    return new Description(all);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Description that && all.equals(that.all);
  }

  @Override
  public int hashCode() {
    return all.hashCode();
  }

  @Override
  public String toString() {
    return all.toString();
  }

  // ---------------------------------------------------------------- of all ranks

  /**
   * What is wrong with what ranks say, in a sentence; empty if nothing is.
   *
   * @param ranks what each of them says, in their order
   */
  public static Optional<String> problem(List<Description> ranks) {
    Map<String, List<Owner>> arrays = new TreeMap<>();
    Map<String, List<Owner>> bags = new TreeMap<>();
    Map<String, List<Owner>> same = new TreeMap<>();
    for (int rank = 0; rank < ranks.size(); rank++) {
      for (Said said : ranks.get(rank).all) {
        Owner owner = new Owner(rank, said);
        switch (said.division) {
          case Division.Parts parts ->
              arrays.computeIfAbsent(parts.array(), _ -> new ArrayList<>()).add(owner);
          case Division.Bag bag ->
              bags.computeIfAbsent(bag.bag(), _ -> new ArrayList<>()).add(owner);
          case Division.Everywhere _ ->
              same.computeIfAbsent(said.dataset, _ -> new ArrayList<>()).add(owner);
          case Division.Alone _ -> {}
        }
      }
    }
    for (Map.Entry<String, List<Owner>> dataset : same.entrySet()) {
      Optional<String> problem = problemOfSame(dataset.getKey(), dataset.getValue(), ranks.size());
      if (problem.isPresent()) {
        return problem;
      }
    }
    for (Map.Entry<String, List<Owner>> array : arrays.entrySet()) {
      Optional<String> problem = problemOfArray(array.getKey(), array.getValue());
      if (problem.isPresent()) {
        return problem;
      }
    }
    for (Map.Entry<String, List<Owner>> bag : bags.entrySet()) {
      Optional<String> problem = problemOfBag(bag.getKey(), bag.getValue(), ranks.size());
      if (problem.isPresent()) {
        return problem;
      }
    }
    return Optional.empty();
  }

  private record Owner(int rank, Said said) {
    Division.Parts parts() {
      return (Division.Parts) said.division;
    }

    int width() {
      return ((Division.Bag) said.division).width();
    }
  }

  private static Optional<String> problemOfSame(String name, List<Owner> owners, int ranks) {
    Owner first = owners.getFirst();
    for (Owner one : owners) {
      if (!one.said.form.equals(first.said.form)) {
        return Optional.of(
            "dataset \"%s\" is the same everywhere, but has %s on rank %d and %s on rank %d; give all ranks the same"
                .formatted(name, first.said.form, first.rank, one.said.form, one.rank));
      }
    }
    return owners.size() == ranks
        ? Optional.empty()
        : Optional.of(
            "dataset \"%s\" is the same everywhere, but rank %d does not say so; call everywhere() on all ranks"
                .formatted(name, missing(name, owners, ranks)));
  }

  private static Optional<String> problemOfArray(String name, List<Owner> owners) {
    Owner first = owners.getFirst();
    List<Coverage.Owned> parts = new ArrayList<>();
    for (Owner one : owners) {
      if (one.said.type != first.said.type) {
        return Optional.of(
            "array \"%s\" has elements of type %s on rank %d and %s on rank %d; give all ranks the same"
                .formatted(
                    name, first.said.type.label(), first.rank, one.said.type.label(), one.rank));
      }
      if (!one.parts().first().isOfSameArray(first.parts().first())) {
        return Optional.of(
            "array \"%s\" is %s on rank %d and %s on rank %d; tell all ranks the same shape, periodic axes and holes"
                .formatted(name, whole(first), first.rank, whole(one), one.rank));
      }
      one.parts().parts().forEach(part -> parts.add(new Coverage.Owned(one.rank, part)));
    }
    return Coverage.problem(name, parts);
  }

  private static String whole(Owner owner) {
    var part = owner.parts().first();
    String periodic = part.periodic().isEmpty() ? "" : " periodic along " + part.periodic();
    String holes = part.fill().isPresent() ? " with holes" : "";
    return part.shape() + periodic + holes;
  }

  private static Optional<String> problemOfBag(String name, List<Owner> owners, int ranks) {
    Map<String, Owner> first = new LinkedHashMap<>();
    Map<String, Integer> count = new HashMap<>();
    for (Owner one : owners) {
      Owner before = first.putIfAbsent(one.said.dataset, one);
      count.merge(one.said.dataset, 1, Integer::sum);
      if (before != null && (before.said.type != one.said.type || before.width() != one.width())) {
        return Optional.of(
            "bag \"%s\": items of \"%s\" are %d of type %s on rank %d and %d of type %s on rank %d; give all ranks the same"
                .formatted(
                    name,
                    one.said.dataset,
                    before.width(),
                    before.said.type.label(),
                    before.rank,
                    one.width(),
                    one.said.type.label(),
                    one.rank));
      }
    }
    for (Map.Entry<String, Integer> dataset : count.entrySet()) {
      if (dataset.getValue() < ranks) {
        return Optional.of(
            "bag \"%s\": rank %d has no dataset \"%s\", others have; protect an empty one where there are no items"
                .formatted(name, missing(dataset.getKey(), owners, ranks), dataset.getKey()));
      }
    }
    return Optional.empty();
  }

  private static int missing(String dataset, List<Owner> owners, int ranks) {
    TreeSet<Integer> having = new TreeSet<>();
    owners.stream()
        .filter(one -> one.said.dataset.equals(dataset))
        .forEach(o -> having.add(o.rank));
    int rank = 0;
    while (rank < ranks && having.contains(rank)) {
      rank++;
    }
    return rank;
  }
}
