// SPDX-License-Identifier: Apache-2.0
package org.cairn.restart;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.cairn.Changes;
import org.cairn.CheckpointUnavailableException;
import org.cairn.Dataset;
import org.cairn.Default;
import org.cairn.Regrouping;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.division.Description;
import org.cairn.division.Division;
import org.cairn.redivision.Inventory;
import org.cairn.redivision.Redivision;
import org.cairn.version.VersionId;

/**
 * The part of a process in restoring what was divided otherwise, or has ghosts, step by step, as an
 * {@link Attempt} goes: all look, all take memory, all fill, and then the program may have it.
 */
public final class Redividing {
  private static final int NAMED = 20;

  private final Redivision redivision;
  private final RestartTarget target;
  private final Collection<Dataset> wanted;
  private final RestartRequest request;
  private Set<String> claimed = Set.of();

  /** Elements that were saved and are in no part now, for people. */
  private List<String> leftOut = List.of();

  private List<RestartReport.Content> contents = List.of();

  /** What was saved, is not wanted now, and nothing protects. */
  private List<String> ignored = List.of();

  Redividing(
      Redivision redivision,
      RestartTarget target,
      Collection<Dataset> wanted,
      RestartRequest request) {
    this.redivision = redivision;
    this.target = target;
    this.wanted = List.copyOf(wanted);
    this.request = request;
  }

  /** What there is; collective. */
  public Inventory inventory() throws IOException {
    Inventory saved = redivision.inventory(request.changes());
    contents = saved.contents();
    return saved;
  }

  /** How what this process protects is divided; how much of it there will be is not known yet. */
  public Description description() {
    Description.Builder said = new Description.Builder();
    for (Dataset dataset : target.datasets().values()) {
      said.add(dataset.name(), dataset.elementType(), 0, "", dataset.division());
    }
    return said.build();
  }

  /** What this process has a use for, by kind and name. */
  public Set<String> claims() {
    Set<String> claims = new TreeSet<>();
    for (Dataset dataset : target.datasets().values()) {
      Division division = dataset.division();
      claims.add(
          Inventory.key(
              division, division instanceof Division.Parts parts ? parts.array() : dataset.name()));
    }
    return claims;
  }

  /**
   * Refuses to go on without something that was saved, on another number of ranks; the same on all.
   *
   * @param anybody what any process has a use for
   * @throws CheckpointUnavailableException naming what nothing protects, and what was one rank's
   *     alone
   */
  public void requireAll(Inventory saved, Set<String> anybody, int before, int now) {
    List<Inventory.Saved> left =
        saved.saved().stream().filter(one -> !isDropped(one) && !isFetched(one)).toList();
    List<String> alone =
        left.stream().filter(one -> one.division().isAlone()).map(Inventory.Saved::name).toList();
    List<Inventory.Saved> nobodys =
        left.stream()
            .filter(one -> !one.division().isAlone() && !anybody.contains(one.key()))
            .toList();
    if (!request.only().isEmpty()) {
      ignored = left.stream().filter(one -> !isProtected(one)).map(Inventory.Saved::name).toList();
      return;
    }
    if (!alone.isEmpty()) {
      throw refusal(
          ("%d ranks saved what %d are to go on with, and nothing says how to divide %s, which was each"
                  + " rank's alone; start with %d ranks and say what it is with Dataset.part, bag or"
                  + " everywhere, read it with RestartRequest.otherwise, or give it up with dropping(names)")
              .formatted(before, now, named(alone), before));
    }
    for (Inventory.Saved one : nobodys) {
      refuseAnother(one, anybody, before);
    }
    if (!nobodys.isEmpty()) {
      throw refusal(
          ("nothing protects %s, which %d ranks saved, and %d go on without it; protect() it before"
                  + " restart(), or give it up with RestartRequest.dropping(names)")
              .formatted(named(nobodys.stream().map(Inventory.Saved::name).toList()), before, now));
    }
  }

  /**
   * Who protects the name has not forgotten it, but what it is: that it shall protect it is no
   * help.
   */
  private static void refuseAnother(Inventory.Saved one, Set<String> anybody, int before) {
    if (Inventory.kinds(one.name()).stream().noneMatch(anybody::contains)) {
      return;
    }
    String how = one.said();
    throw refusal(
        "%d ranks saved \"%s\" with Dataset.%s, and what is protected under that name now is something else; say %s of it before restart(), on all ranks that have some of it"
            .formatted(before, one.name(), how, how));
  }

  private boolean isDropped(Inventory.Saved one) {
    return request.dropping().contains(one.name())
        || request.dropping().containsAll(one.datasets());
  }

  private boolean isFetched(Inventory.Saved one) {
    return one.division().isAlone() && regrouping().fetched().containsKey(one.name());
  }

  private boolean isProtected(Inventory.Saved one) {
    return claims().contains(one.key());
  }

  private static CheckpointUnavailableException refusal(String why) {
    return new CheckpointUnavailableException(why, List.of());
  }

  private static String named(List<String> names) {
    List<String> first = names.stream().limit(NAMED).map(name -> "\"" + name + "\"").toList();
    String all = String.join(", ", first);
    return names.size() > NAMED ? all + " and %d more".formatted(names.size() - NAMED) : all;
  }

  /** What of it differs from rank to rank, on another number of ranks. */
  public void regroup() {
    redivision.regroup(regrouping());
  }

  /** Who asks for some datasets only, or just peeks, gets nothing of others. */
  private Regrouping regrouping() {
    return request.regrouping().fetching(request::wants);
  }

  /** Bags of which this process asks for others than its share. */
  public Set<String> bags() {
    return request.regrouping().items().keySet();
  }

  /** What is read as old ranks saved it; the same on all, in one order. */
  public Set<String> fetched() {
    return new TreeSet<>(regrouping().fetched().keySet());
  }

  /** Bags that this process has a dataset of. */
  public Set<String> ownBags() {
    Set<String> own = new TreeSet<>();
    for (Dataset dataset : target.datasets().values()) {
      if (dataset.division() instanceof Division.Bag bag) {
        own.add(bag.bag());
      }
    }
    return own;
  }

  /**
   * Datasets that this process wants items of, by their names now; what the bag was called when
   * they were saved does not matter.
   */
  public Set<String> datasetsOf(String bag) {
    Set<String> names = new TreeSet<>();
    for (Dataset dataset : wanted) {
      if (dataset.division() instanceof Division.Bag now && now.bag().equals(bag)) {
        names.add(dataset.name());
      }
    }
    return names;
  }

  /**
   * Refuses shares that leave out items, or have some twice; collective, the same on all.
   *
   * @param bag of which any process asks for others than its share
   * @param datasets of it that any process wants items of
   */
  public void requireAllItems(Inventory saved, String bag, Set<String> datasets)
      throws IOException {
    redivision.requireAllItems(saved, bag, datasets);
  }

  /**
   * Where an array may have holes, elements that were saved may be in no part now: that is what the
   * program says, and is told; collective.
   */
  public void noteLeftOut(Inventory saved) {
    List<Division.Parts> parts = new ArrayList<>();
    for (Dataset dataset : target.datasets().values()) {
      if (dataset.division() instanceof Division.Parts mine && request.wants(dataset.name())) {
        parts.add(mine);
      }
    }
    leftOut = redivision.leftOut(saved, parts);
  }

  /** Says what is wanted, and finds what does not fit before any memory is touched. */
  public void plan(Inventory saved) {
    redivision.plan(saved, wanted);
    for (String name : redivision.absent()) {
      changes().defaultOf(name).ifPresent(content -> content.check(target.dataset(name)));
    }
  }

  private Changes changes() {
    return request.changes();
  }

  /** Takes the memory that is filled. */
  public Redivision.Targets targets() {
    return redivision.targets();
  }

  /**
   * Fills; collective.
   *
   * @param damage is told of each member of this process that is damaged
   */
  public void fill(Redivision.Targets targets, BiConsumer<Integer, String> damage)
      throws IOException {
    redivision.fill(targets, damage);
  }

  /** Whether anything may have another type now; the same on all processes. */
  public boolean mayConvert() {
    return !changes().converting().isEmpty();
  }

  /** Converts what has another type now; when all of it has arrived, on all processes. */
  public void convert(Redivision.Targets targets) {
    redivision.convert(targets);
  }

  /** The names of the datasets that are filled. */
  public List<String> filled() {
    return redivision.filled().stream().map(Dataset::name).toList();
  }

  /** How many bytes they get. */
  public long bytes() {
    return redivision.bytes();
  }

  /** What other processes have a use for. */
  public void claimed(Set<String> names) {
    claimed = Set.copyOf(names);
  }

  /** Of datasets that this process saved and does not protect, those that nobody has a use for. */
  List<String> unclaimed(List<String> ignored, Function<String, Division> saved) {
    return ignored.stream()
        .filter(
            name ->
                !(saved.apply(name) instanceof Division.Parts parts
                    && claimed.contains(Inventory.key(parts, changes().nameNow(parts.array())))))
        .toList();
  }

  /** Elements that were saved and are in no part now, for people. */
  List<String> leftOut() {
    return leftOut;
  }

  /** What nobody saved and has a default. */
  List<String> defaulted() {
    return redivision.absent().stream()
        .filter(name -> changes().defaultOf(name).isPresent())
        .toList();
  }

  /** The datasets that are filled have what they were to get. */
  void finish() {
    redivision.finish();
  }

  /** All of a version is there, on another number of ranks: the program may have it. */
  public RestartReport finish(VersionId version, Instant takenAt, Redivision.Targets targets) {
    finish();
    redivision.giveFetched(targets);
    List<String> changed = new ArrayList<>(redivision.changed());
    changed.addAll(leftOut);
    List<String> absent = new ArrayList<>();
    for (String name : redivision.absent()) {
      Optional<Default> content = changes().defaultOf(name);
      if (content.isPresent()) {
        content.get().apply(target.dataset(name));
        changed.add("\"%s\" was not saved, its default is %s".formatted(name, content.get()));
      } else {
        absent.add(name);
      }
    }
    return new RestartReport(
        Optional.of(version),
        Optional.of(takenAt),
        filled(),
        List.copyOf(changed),
        List.copyOf(absent),
        ignored,
        contents,
        List.of(),
        redivision.bytes(),
        Duration.ZERO,
        List.of());
  }
}
