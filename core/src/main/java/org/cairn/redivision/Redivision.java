// SPDX-License-Identifier: Apache-2.0
package org.cairn.redivision;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;
import org.cairn.Changes;
import org.cairn.Dataset;
import org.cairn.OldDataset;
import org.cairn.Regrouping;
import org.cairn.comm.Communicator;
import org.cairn.comm.Reduction;
import org.cairn.division.Division;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.supply.Workspace;
import org.cairn.tier.AgreedFailureException;
import org.cairn.version.RootDigest;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;

/**
 * Gives datasets of this process what members of a version saved, however it was divided then. All
 * processes take part, in steps: {@link #plan} says what is wanted and finds what does not fit
 * before any memory is touched; {@link #fill} brings it; {@link #finish} gives it to the program.
 */
public final class Redivision {
  /** Less than this is asked for: to open a file takes as long. */
  private static final long WORTH_OPENING = 1 << 20;

  private final Communicator comm;
  private final Map<Integer, VersionSource> members;
  private final IntUnaryOperator readers;
  private final Opener opener;
  private final Workers crew;
  private final List<Wish> wishes = new ArrayList<>();
  private final List<String> absent = new ArrayList<>();
  private final List<Fetch> fetches = new ArrayList<>();

  /** Which items this process gets of each dataset of a bag. */
  private final Map<String, Share> shares = new TreeMap<>();

  private Regrouping regrouping = Regrouping.NONE;

  /**
   * Items that this process gets, as sums that tell those of all processes.
   *
   * @param count how many
   * @param ends of all stretches where they begin less where they end, each place as a mixed
   *     number: where one stretch follows another they cancel out
   */
  private record Share(long count, long ends) {
    static final Share NONE = new Share(0, 0);

    static Share of(List<Wish.Stretch> stretches) {
      return stretches.stream().map(Share::of).reduce(NONE, Share::plus);
    }

    /** An empty one begins where it ends. */
    private static Share of(Wish.Stretch one) {
      return new Share(one.length(), RootDigest.mix(one.from()) - RootDigest.mix(one.to()));
    }

    private Share plus(Share other) {
      return new Share(count + other.count, ends + other.ends);
    }
  }

  /** A dataset of a member that a function of the program gets. */
  private record Fetch(String name, Inventory.Item item, Order order) {}

  /**
   * One process's part.
   *
   * @param members what it reads
   * @param readers who reads a member; the same on all processes
   * @param opener what this process can read beside
   * @param crew who reads and verifies
   */
  public Redivision(
      Communicator comm,
      Map<Integer, VersionSource> members,
      IntUnaryOperator readers,
      Opener opener,
      Workers crew) {
    this.comm = comm;
    this.members = new TreeMap<>(members);
    this.opener = opener;
    this.readers = readers;
    this.crew = crew;
  }

  /** Opens states that others read for this process, where it sees them as well. */
  @FunctionalInterface
  public interface Opener {
    /** Sees nothing. */
    Opener NONE = _ -> Optional.empty();

    /** What a member saved; empty if it cannot be read from here. */
    Optional<VersionSource> open(int member);
  }

  /** What there is; collective. */
  public Inventory inventory(Changes changes) throws IOException {
    return Inventory.gather(comm, members, changes);
  }

  // ---------------------------------------------------------------- what is wanted

  /** What this process wants beside what follows from the division. */
  public void regroup(Regrouping wanted) {
    regrouping = wanted;
  }

  /**
   * Says what is wanted; touches no memory of the program.
   *
   * @param datasets what is to be filled, divided in any way
   * @throws org.cairn.DatasetMismatchException if what was saved is something else
   */
  public void plan(Inventory saved, Collection<Dataset> datasets) {
    for (Dataset dataset : datasets) {
      switch (dataset.division()) {
        case Division.Parts now -> planParts(saved, dataset, now);
        case Division.Bag now -> planItems(saved, dataset, now);
        case Division.Everywhere _ -> planCopy(saved, dataset);
        case Division.Alone _ -> refuseAlone(saved, dataset);
      }
    }
    regrouping.fetched().forEach((name, wanted) -> planFetch(saved, name, wanted));
    wishes.forEach(wish -> wish.dataset().check(wish.offered()));
  }

  private void planParts(Inventory saved, Dataset dataset, Division.Parts now) {
    List<Inventory.Item> parts = saved.partsOf(now.array());
    if (parts.isEmpty()) {
      isAbsent(saved, dataset, now.array());
    } else {
      wishes.add(Wish.ofParts(dataset, now, parts, saved.changes(), wishes.size()));
    }
  }

  /**
   * Elements that members had, and that are in no part now, in words: an array may have holes;
   * collective, the same on all processes.
   *
   * @param wanted parts of this process, whether they are filled here or not
   */
  public List<String> leftOut(Inventory saved, List<Division.Parts> wanted) {
    List<String> told = new ArrayList<>();
    if (!isAnywhere(wanted.stream().anyMatch(Redivision::mayHaveHoles))) {
      return told;
    }
    for (Inventory.Saved array : saved.saved()) {
      List<Division.Parts> mine =
          wanted.stream().filter(parts -> parts.array().equals(array.name())).toList();
      if (array.division() instanceof Division.Parts
          && isAnywhere(mine.stream().anyMatch(Redivision::mayHaveHoles))) {
        List<Inventory.Item> items = saved.partsOf(array.name());
        long had = Wish.elements(items);
        long taken = mine.stream().mapToLong(parts -> Wish.own(parts, items)).sum();
        long has = comm.allReduce(taken, Reduction.SUM);
        if (has < had) {
          told.add(
              "array \"%s\" has holes: %d of the %d elements that were saved are in no part now"
                  .formatted(array.name(), had - has, had));
        }
      }
    }
    return told;
  }

  private boolean isAnywhere(boolean here) {
    return comm.allReduce(here ? 1L : 0L, Reduction.MAX) != 0;
  }

  private static boolean mayHaveHoles(Division.Parts parts) {
    return parts.first().fill().isPresent();
  }

  private void planItems(Inventory saved, Dataset dataset, Division.Bag now) {
    List<Inventory.Item> items = saved.itemsOf(dataset.name());
    if (items.isEmpty()) {
      isAbsent(saved, dataset, dataset.name());
      return;
    }
    long all = items.stream().mapToLong(item -> item.elements() / now.width()).sum();
    Optional<Regrouping.Items> wanted = regrouping.itemsOf(now.bag());
    List<Wish.Stretch> stretches =
        wanted.isPresent()
            ? chosen(dataset, now, items, all, wanted.get())
            : List.of(
                new Wish.Stretch(
                    share(all, comm.rank(), comm.size()),
                    share(all, comm.rank() + 1, comm.size())));
    shares.put(dataset.name(), Share.of(stretches));
    wishes.add(
        Wish.ofItems(dataset, now.width(), items, saved.changes(), stretches, wishes.size()));
  }

  private static List<Wish.Stretch> chosen(
      Dataset dataset,
      Division.Bag now,
      List<Inventory.Item> items,
      long all,
      Regrouping.Items wanted) {
    return switch (wanted) {
      case Regrouping.Items.Stretch(long from, long to) -> {
        if (to > all) {
          throw new IllegalArgumentException(
              "items %d to %d of bag \"%s\" were asked for, and \"%s\" has %d"
                  .formatted(from, to, now.bag(), dataset.name(), all));
        }
        yield List.of(new Wish.Stretch(from, to));
      }
      case Regrouping.Items.OfRanks(IntPredicate old) -> {
        List<Wish.Stretch> stretches = new ArrayList<>();
        long before = 0;
        for (Inventory.Item item : items) {
          long count = item.elements() / now.width();
          if (old.test(item.member())) {
            stretches.add(new Wish.Stretch(before, before + count));
          }
          before += count;
        }
        yield stretches;
      }
    };
  }

  /**
   * Refuses to look for items of what is no bag on any process: a name that is not the right one
   * would mean equal shares, and nobody would know.
   *
   * @param asked of which any process asks for others than its share
   * @param there of which any process has a dataset
   */
  public static void requireBags(Set<String> asked, Set<String> there)
      throws AgreedFailureException {
    for (String bag : asked) {
      if (!there.contains(bag)) {
        throw new AgreedFailureException(
            "items of bag \"%s\" were asked for, which no rank protects; %s"
                .formatted(
                    bag,
                    there.isEmpty()
                        ? "there is none; say bag of the dataset"
                        : "there are " + there));
      }
    }
  }

  /**
   * Refuses to read what no old rank had alone: the function of the program would get nothing, and
   * nobody would know why.
   *
   * @param asked what is to be read as it was saved; the same on all processes
   */
  public static void requireFetched(Inventory saved, Set<String> asked)
      throws AgreedFailureException {
    for (String name : asked) {
      if (saved.aloneOf(name).isEmpty()) {
        throw new AgreedFailureException(
            "dataset \"%s\" was asked for with RestartRequest.otherwise, %s"
                .formatted(name, whyNotAlone(saved, name)));
      }
    }
  }

  private static String whyNotAlone(Inventory saved, String name) {
    Optional<Inventory.Saved> divided =
        saved.saved().stream()
            .filter(one -> one.name().equals(name) || one.datasets().contains(name))
            .findFirst();
    if (divided.isPresent()) {
      return "and ranks saved it with Dataset.%s: leave otherwise out, and a restart gives each rank what it protects of it"
          .formatted(divided.get().said());
    }
    List<String> alone =
        saved.saved().stream()
            .filter(one -> one.division().isAlone())
            .map(Inventory.Saved::name)
            .toList();
    return "and no rank saved it; %s"
        .formatted(
            alone.isEmpty()
                ? "nothing was one rank's alone: leave otherwise out"
                : "what was one rank's alone is %s: name one of these, or leave otherwise out"
                    .formatted(alone));
  }

  /**
   * Refuses shares that leave out items, or have some twice; the same on all processes, collective.
   *
   * @param bag of which any process asks for others than its share
   * @param datasets of it that any process wants; by their names now
   */
  public void requireAllItems(Inventory saved, String bag, Set<String> datasets)
      throws IOException {
    for (String name : datasets) {
      requireEachOnce(bag, name, saved.itemsOf(name));
    }
  }

  /**
   * Counts alone may add up by chance. Places where stretches begin and end leave only the first
   * and the last one if, and only if, stretches follow each other from there to there: as all of
   * them go forward, nothing else is left that could make up for a gap.
   */
  private void requireEachOnce(String bag, String name, List<Inventory.Item> items)
      throws IOException {
    long all = items.stream().mapToLong(Redivision::itemsOf).sum();
    Share mine = shares.getOrDefault(name, Share.NONE);
    long got = comm.allReduce(mine.count, Reduction.SUM);
    if (got != all) {
      throw new AgreedFailureException(
          "bag \"%s\": ranks ask for %d of the %d items of \"%s\"; each must come to one rank"
              .formatted(bag, got, all, name));
    }
    Share whole = Share.of(new Wish.Stretch(0, all));
    if (comm.allReduce(mine.ends, Reduction.SUM) != whole.ends) {
      throw new AgreedFailureException(
          "bag \"%s\": some of the %d items of \"%s\" are asked for by several ranks, others by none; each must come to one rank"
              .formatted(bag, all, name));
    }
  }

  private static long itemsOf(Inventory.Item item) {
    return item.elements() / ((Division.Bag) item.division()).width();
  }

  private void planFetch(Inventory saved, String name, Regrouping.Fetched wanted) {
    for (Inventory.Item item : saved.aloneOf(name)) {
      if (wanted.ranks().test(item.member())) {
        fetches.add(
            new Fetch(
                name,
                item,
                new Order(
                    item.member(),
                    item.dataset(),
                    item.type().bytes(),
                    Runs.straight(item.elements(), 0, 0),
                    wishes.size() + fetches.size())));
      }
    }
  }

  /** Where the items of a process begin, if all get equally many. */
  public static long share(long all, int process, int processes) {
    return all / processes * process + all % processes * process / processes;
  }

  private void planCopy(Inventory saved, Dataset dataset) {
    List<Inventory.Item> copies = saved.copiesOf(dataset.name());
    if (copies.isEmpty()) {
      isAbsent(saved, dataset, dataset.name());
      return;
    }
    // The own one is nearest; where there is none, each asks another one.
    Inventory.Item nearest =
        copies.stream()
            .filter(copy -> members.containsKey(copy.member()))
            .findFirst()
            .orElseGet(() -> copies.get((int) share(copies.size(), comm.rank(), comm.size())));
    wishes.add(Wish.ofCopy(dataset, nearest, saved.changes(), wishes.size()));
  }

  /** Something else of that name is not the same as nothing. */
  private void isAbsent(Inventory saved, Dataset dataset, String name) {
    if (isFetched(dataset)) {
      return;
    }
    saved
        .named(name)
        .ifPresent(
            item -> {
              throw Wish.mismatch(
                  dataset,
                  item,
                  "it was saved as %s and is %s now; start with as many ranks as saved it, and say what it is there first"
                      .formatted(item.division(), dataset.division()));
            });
    absent.add(dataset.name());
  }

  private void refuseAlone(Inventory saved, Dataset dataset) {
    if (isFetched(dataset)) {
      return;
    }
    if (saved.named(dataset.name()).isPresent()) {
      throw new IllegalArgumentException(
          "dataset \"%s\" is of one rank alone, and another number of ranks saved it; say what it is with part, bag or everywhere, or read it with RestartRequest.otherwise"
              .formatted(dataset.name()));
    }
    absent.add(dataset.name());
  }

  /** Whether a function of the program gives it what old ranks had, whatever it is now. */
  private boolean isFetched(Dataset dataset) {
    return regrouping.fetched().containsKey(dataset.name());
  }

  /** Datasets of which nothing was saved. */
  public List<String> absent() {
    return absent;
  }

  /** Datasets that are filled. */
  public List<Dataset> filled() {
    return wishes.stream().map(Wish::dataset).toList();
  }

  /** What is not as it was saved, for people. */
  public List<String> changed() {
    return wishes.stream().flatMap(wish -> wish.change().stream()).toList();
  }

  /** How many bytes this process gets. */
  public long bytes() {
    return wishes.stream().mapToLong(Wish::bytes).sum();
  }

  // ---------------------------------------------------------------- bringing it

  /**
   * What can be filled, and all that is needed to begin with it; closed when the program has what
   * it wants of it.
   */
  public static final class Targets implements AutoCloseable {
    /** Where what was asked for arrives, by wish and then by fetch. */
    private final List<MemorySegment> memory;

    /** Where the program has it, by wish; the same unless it is converted. */
    private final List<MemorySegment> programs;

    private final Workspace aside;
    private final List<Order> wanted;
    private final Set<Integer> awaited;
    private final List<byte[]> letters;

    private Targets(
        List<MemorySegment> memory,
        List<MemorySegment> programs,
        Workspace aside,
        List<Order> wanted,
        Set<Integer> awaited,
        List<byte[]> letters) {
      this.memory = memory;
      this.programs = programs;
      this.aside = aside;
      this.wanted = wanted;
      this.awaited = awaited;
      this.letters = letters;
    }

    @Override
    public void close() {
      aside.close();
    }
  }

  /**
   * Takes the memory that is filled, and says what goes there; asks functions of the program. All
   * that can fail on one process alone is here, where all can still agree to leave it.
   */
  public Targets targets() {
    List<MemorySegment> memory = new ArrayList<>();
    List<MemorySegment> programs = new ArrayList<>();
    Workspace aside = new Workspace();
    try {
      for (Wish wish : wishes) {
        MemorySegment target = wish.dataset().targetOfParts(wish.offered());
        programs.add(target);
        memory.add(wish.converts() ? aside.allocate(wish.savedBytes()) : target);
      }
      for (Fetch fetch : fetches) {
        memory.add(aside.allocate(fetch.order.bytes()));
      }
      List<Order> wanted = orders();
      Set<Integer> awaited = new TreeSet<>();
      return new Targets(memory, programs, aside, wanted, awaited, letters(wanted, awaited));
    } catch (RuntimeException | Error e) {
      aside.close();
      throw e;
    }
  }

  /**
   * Brings all that is wanted; collective.
   *
   * @param damage is told of each member of this process that is damaged
   * @throws IOException if this process could not do its part; others may have
   */
  public void fill(Targets targets, BiConsumer<Integer, String> damage) throws IOException {
    List<Delivery.Asked> asked = exchange(targets.letters);
    for (int i = 0; i < wishes.size(); i++) {
      MemorySegment target = targets.programs.get(i);
      wishes.get(i).fill().forEach(fill -> fill.apply(target));
    }
    new Delivery(comm, crew, members, asked, targets.wanted, targets.memory, targets.awaited)
        .run()
        .forEach(one -> damage.accept(one.member(), one.what()));
  }

  /**
   * Converts what has another type now; when all of it has arrived, on all processes.
   *
   * @throws org.cairn.DatasetMismatchException if a number is too large for what it is to become
   */
  public void convert(Targets targets) {
    for (int i = 0; i < wishes.size(); i++) {
      if (wishes.get(i).converts()) {
        wishes.get(i).convert(targets.memory.get(i), targets.programs.get(i));
      }
    }
  }

  /** Where much is wanted of a member that can be read from here, nobody has to send it. */
  private void openNear(List<Order> wanted) {
    Map<Integer, Long> bytes = new TreeMap<>();
    wanted.forEach(order -> bytes.merge(order.member(), order.bytes(), Long::sum));
    bytes.forEach(
        (member, sum) -> {
          if (sum >= WORTH_OPENING && !members.containsKey(member)) {
            opener.open(member).ifPresent(source -> members.put(member, source));
          }
        });
  }

  private List<Order> orders() {
    List<Order> all = new ArrayList<>();
    wishes.forEach(wish -> all.addAll(wish.orders()));
    fetches.stream().map(Fetch::order).filter(order -> order.bytes() > 0).forEach(all::add);
    return all;
  }

  /**
   * What is wanted of each process.
   *
   * @param awaited gets the others that anything is wanted of
   */
  private List<byte[]> letters(List<Order> wanted, Set<Integer> awaited) {
    List<RecordWriter> letters = new ArrayList<>();
    for (int i = 0; i < comm.size(); i++) {
      letters.add(RecordWriter.onHeap());
    }
    openNear(wanted);
    for (int number = 0; number < wanted.size(); number++) {
      Order order = wanted.get(number);
      int reader =
          members.containsKey(order.member()) ? comm.rank() : readers.applyAsInt(order.member());
      RecordWriter out = letters.get(reader);
      out.putInt(number).putInt(order.member()).putText(order.dataset());
      order.runs().writeSource(out);
      if (reader != comm.rank()) {
        awaited.add(reader);
      }
    }
    return letters.stream().map(RecordWriter::toArray).toList();
  }

  /** Tells those who read what is wanted of them; what they want of this process. */
  private List<Delivery.Asked> exchange(List<byte[]> letters) throws IOException {
    List<byte[]> arrived = comm.allToAll(letters);
    List<Delivery.Asked> asked = new ArrayList<>();
    for (int process = 0; process < arrived.size(); process++) {
      RecordReader in =
          RecordReader.of(arrived.get(process), "what process %d wants".formatted(process));
      while (in.remaining() > 0) {
        asked.add(
            new Delivery.Asked(
                process, in.getInt(), in.getInt(), in.getText(), Runs.readSource(in)));
      }
    }
    return asked;
  }

  /** All is there: the program may have it. */
  public void finish() {
    wishes.forEach(wish -> wish.dataset().filled(wish.offered()));
  }

  /** What was fetched goes to the functions that want it; after all else is filled. */
  public void giveFetched(Targets targets) {
    regrouping
        .fetched()
        .forEach(
            (name, wanted) -> {
              List<OldDataset> found = new ArrayList<>();
              for (int i = 0; i < fetches.size(); i++) {
                Fetch fetch = fetches.get(i);
                if (fetch.name.equals(name)) {
                  found.add(
                      new OldDataset(
                          fetch.item.member(),
                          fetch.item.dataset(),
                          fetch.item.type(),
                          fetch.item.shape(),
                          targets.memory.get(wishes.size() + i).asReadOnly()));
                }
              }
              wanted.then().accept(List.copyOf(found));
            });
  }
}
