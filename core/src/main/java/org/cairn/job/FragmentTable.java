// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.cairn.CorruptContainerException;
import org.cairn.TierKind;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.tier.Evidence;
import org.cairn.tier.FileNames;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.tier.Source;
import org.cairn.tier.TierType;
import org.cairn.tier.TierTypes;
import org.cairn.version.Life;
import org.cairn.version.Lives;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * Which versions can be produced for every rank, and from what. All ranks evaluate the same table
 * and so agree without a word; no file and no rank is needed for that but those that hold the
 * fragments.
 *
 * <p>A version is produced from fragments of that very version only: of one job, one run, one
 * number. Where two fragments of one owner and version have different root digests, neither is
 * believed.
 *
 * <p>What was found is indexed by owner and version once: a plan looks at no more than there is of
 * its version, however many ranks there are.
 */
final class FragmentTable implements Evidence {
  private static final TierType LOCAL = TierTypes.find(TierKind.LOCAL.number()).orElseThrow();

  private final int ranks;
  private final Survey survey;
  private final String job;
  private final Lives lives;
  private final Map<Place, Bad> bad = new LinkedHashMap<>();
  private final List<String> contradictions = new ArrayList<>();

  /** What holds a version of a rank. */
  private final Map<Key, List<Found>> holding = new HashMap<>();

  /** What helps a group of ranks, by each of them. */
  private final Map<Key, List<Found>> helping = new HashMap<>();

  private final Map<Integer, List<Found>> byOwner = new HashMap<>();
  private final Map<Integer, List<Found>> byHolder = new HashMap<>();

  /** A version of a rank. */
  private record Key(int owner, VersionId version) {}

  /** A version in a fragment. */
  private record Place(int holder, String directory, String file, VersionId version) {
    static Place of(Found found, VersionId version) {
      Fragment fragment = found.fragment();
      return new Place(found.holder(), fragment.directory(), fragment.file(), version);
    }
  }

  /**
   * A table.
   *
   * @param job the name of the jobs that are in it
   */
  FragmentTable(int ranks, Survey survey, String job) {
    this.ranks = ranks;
    this.job = job;
    this.survey = survey;
    this.lives = survey.lives();
    survey.found().forEach(this::index);
    excludeContradictions();
  }

  private void index(Found one) {
    Fragment fragment = one.fragment();
    add(byOwner, fragment.owner(), one);
    add(byHolder, one.holder(), one);
    for (Fragment.Held held : fragment.versions()) {
      add(holding, new Key(fragment.owner(), held.id()), one);
      Fragment.Group group = fragment.group();
      if (group != null) {
        group.members().forEach(member -> add(helping, new Key(member, held.id()), one));
      }
    }
  }

  private static <K> void add(Map<K, List<Found>> index, K key, Found one) {
    index.computeIfAbsent(key, _ -> new ArrayList<>(1)).add(one);
  }

  private static <K> List<Found> get(Map<K, List<Found>> index, K key) {
    return index.getOrDefault(key, List.of());
  }

  /** A version, and where the state of each rank comes from. */
  record Plan(VersionId version, List<Source> sources) {}

  /** A version in a fragment that turned out to be damaged. */
  record Bad(int holder, String directory, String file, VersionId version, String why) {
    private static final int MAX_WHY = 1000;

    /** Puts it into a message, which must not fail because a reason is long. */
    void write(RecordWriter out) {
      out.putInt(holder).putText(directory).putText(file);
      version.write(out);
      out.putText(why.length() > MAX_WHY ? why.substring(0, MAX_WHY) : why);
    }

    static Bad read(RecordReader in) throws CorruptContainerException {
      return new Bad(in.getInt(), in.getText(), in.getText(), VersionId.read(in), in.getText());
    }

    private Place place() {
      return new Place(holder, directory, file, version);
    }
  }

  // ---------------------------------------------------------------- what is done without

  /** One owner and version with two root digests is damage: neither is believed. */
  private void excludeContradictions() {
    Map<Key, Fragment.Held> first = new HashMap<>();
    Set<Key> doubtful = new HashSet<>();
    for (Found one : survey.found()) {
      for (Fragment.Held held : one.fragment().versions()) {
        Key key = new Key(one.fragment().owner(), held.id());
        if (hasDigest(one, held)) {
          Fragment.Held before = first.putIfAbsent(key, held);
          if (before != null && !sameDigest(before, held) && doubtful.add(key)) {
            contradictions.add(
                "version %s of rank %d is there with two root digests, %s and %s"
                    .formatted(
                        held.id().exact(), one.fragment().owner(), digest(before), digest(held)));
          }
        }
      }
    }
    if (doubtful.isEmpty()) {
      return;
    }
    for (Found one : survey.found()) {
      for (Fragment.Held held : one.fragment().versions()) {
        if (doubtful.contains(new Key(one.fragment().owner(), held.id())) && hasDigest(one, held)) {
          exclude(
              new Bad(
                  one.holder(),
                  one.fragment().directory(),
                  one.fragment().file(),
                  held.id(),
                  "another root digest than elsewhere: " + digest(held)));
        }
      }
    }
  }

  /** Parity has digests of its own, and not every tier tells that of the state. */
  private static boolean hasDigest(Found one, Fragment.Held held) {
    return one.fragment().group() == null && (held.digestLow() != 0 || held.digestHigh() != 0);
  }

  private static boolean sameDigest(Fragment.Held one, Fragment.Held other) {
    return one.digestLow() == other.digestLow() && one.digestHigh() == other.digestHigh();
  }

  private static String digest(Fragment.Held held) {
    return "%016x%016x".formatted(held.digestHigh(), held.digestLow());
  }

  /** What was found to contradict itself. */
  List<String> contradictions() {
    return List.copyOf(contradictions);
  }

  /** Does without something from now on; false if that was decided before. */
  boolean exclude(Bad damaged) {
    return bad.putIfAbsent(damaged.place(), damaged) == null;
  }

  /** The files of a rank, in its own directory, that something damaged was found in. */
  Set<String> damagedFiles(int rank) {
    Set<String> files = new TreeSet<>();
    for (Bad one : bad.values()) {
      if (one.holder == rank && one.directory.equals(FileNames.directory(rank))) {
        files.add(one.file);
      }
    }
    return files;
  }

  // ---------------------------------------------------------------- asking

  /** The name of the jobs that are in it. */
  String jobName() {
    return job;
  }

  /** What was found. */
  Survey survey() {
    return survey;
  }

  /** Files of other releases that may hold a state of ours and were not left behind as they are. */
  List<Fragment> foreignReleases() {
    return survey.foreignReleases().stream()
        .filter(fragment -> !lives.isLeft(fragment.mark()))
        .toList();
  }

  /** What one rank found. */
  List<Found> foundBy(int rank) {
    return get(byHolder, rank);
  }

  /** Which of it belongs together. */
  Lives lives() {
    return lives;
  }

  /** The numbers of ranks of the versions of a life that this job does not have. */
  Set<Integer> otherSizes(Life life) {
    Set<Integer> sizes = new TreeSet<>();
    life.versions().forEach(version -> sizes.add(version.ranks()));
    sizes.remove(ranks);
    return sizes;
  }

  /** Whether the state of every rank can be had. */
  boolean canProduce(VersionId version) {
    return plan(version).isPresent();
  }

  /** Versions of a life that every rank has in its own directory, oldest first. */
  List<VersionId> commonLocal(Life life) {
    List<VersionId> common = new ArrayList<>();
    for (VersionId version : life.versions().reversed()) {
      boolean everywhere = version.ranks() == ranks;
      for (int owner = 0; owner < ranks && everywhere; owner++) {
        everywhere = LOCAL.offer(this, owner, version).filter(isOwn(owner)).isPresent();
      }
      if (everywhere) {
        common.add(version);
      }
    }
    return common;
  }

  /** How to produce a version; empty if that cannot be done on this number of ranks. */
  Optional<Plan> plan(VersionId version) {
    if (version.ranks() != ranks) {
      return Optional.empty();
    }
    List<Source> sources = new ArrayList<>();
    for (int owner = 0; owner < ranks; owner++) {
      Optional<Source> source = source(owner, version);
      if (source.isEmpty()) {
        return Optional.empty();
      }
      sources.add(source.get());
    }
    return Optional.of(new Plan(version, List.copyOf(sources)));
  }

  /** From the nearest tier that has it. */
  private Optional<Source> source(int owner, VersionId version) {
    return TierTypes.all().stream()
        .flatMap(type -> type.offer(this, owner, version).stream())
        .findFirst();
  }

  private static Predicate<Source> isOwn(int owner) {
    return source -> source.isOwn(owner);
  }

  // ---------------------------------------------------------------- what tiers ask

  @Override
  public int ranks() {
    return ranks;
  }

  @Override
  public List<Found> holding(TierKind kind, int owner, VersionId version) {
    return good(holding, kind, owner, version);
  }

  @Override
  public List<Found> helping(TierKind kind, int member, VersionId version) {
    return good(helping, kind, member, version);
  }

  @Override
  public boolean hasState(int owner, VersionId version) {
    return get(holding, new Key(owner, version)).stream()
        .anyMatch(
            one ->
                one.fragment().group() == null
                    && !one.fragment().file().isEmpty()
                    && !isBad(one, version));
  }

  private List<Found> good(
      Map<Key, List<Found>> index, TierKind kind, int rank, VersionId version) {
    List<Found> good = new ArrayList<>(1);
    for (Found one : get(index, new Key(rank, version))) {
      if (one.fragment().kind().equals(kind) && !isBad(one, version)) {
        good.add(one);
      }
    }
    return good;
  }

  /** Who asks this of what an index gave need not look whether the version is there. */
  private boolean isBad(Found one, VersionId version) {
    return !bad.isEmpty() && bad.containsKey(Place.of(one, version));
  }

  // ---------------------------------------------------------------- for people

  /** What every tier answers for every rank, for the newest versions, and what else was found. */
  List<String> answers(List<VersionId> versions) {
    List<String> lines = new ArrayList<>(contradictions);
    for (VersionId version : versions) {
      for (int owner = 0; owner < version.ranks(); owner++) {
        lines.add(
            "version %s, rank %d: %s".formatted(version.exact(), owner, answer(owner, version)));
      }
    }
    for (Found one : survey.found()) {
      if (!one.fragment().problem().isEmpty()) {
        lines.add(finder(one.holder()) + one.fragment().problem());
      }
    }
    bad.values().forEach(damaged -> lines.add(finder(damaged.holder) + damaged.why));
    return lines.stream().distinct().toList();
  }

  private String finder(int rank) {
    return ranks == 1 ? "" : "rank " + rank + " found: ";
  }

  /** What every tier has of every rank, where no version is known at all. */
  List<String> answersWithoutVersions() {
    List<String> lines = new ArrayList<>();
    for (int owner = 0; owner < ranks; owner++) {
      lines.add("rank %d: %s".formatted(owner, answer(owner, null)));
    }
    lines.addAll(answers(List.of()));
    return lines;
  }

  private String answer(int owner, @Nullable VersionId version) {
    Map<TierKind, String> answers = new TreeMap<>();
    for (TierType type : TierTypes.all()) {
      answers.put(type.kind(), type.nothing());
    }
    for (Found one : get(byOwner, Fragment.NOBODY)) {
      boolean elsewhere = one.fragment().directory().isEmpty();
      if (elsewhere && one.fragment().state() == Fragment.State.UNREADABLE) {
        answers.put(one.fragment().kind(), copyAnswer(one, version));
      }
    }
    for (Found one : get(byOwner, owner)) {
      if (one.fragment().group() == null) {
        answers.merge(one.fragment().kind(), copyAnswer(one, version), FragmentTable::better);
      }
    }
    if (version != null) {
      for (TierType type : TierTypes.all()) {
        type.answer(this, owner, version).ifPresent(said -> answers.put(type.kind(), said));
      }
    }
    StringJoiner text = new StringJoiner(", ");
    answers.forEach((kind, said) -> text.add(kind.label() + ": " + said));
    return text.toString();
  }

  private String copyAnswer(Found one, @Nullable VersionId version) {
    String where = " at rank " + one.holder() + place(one);
    if (version != null && one.fragment().holds(version) && !isBad(one, version)) {
      return "here" + where;
    }
    boolean damaged = version != null && isBad(one, version);
    if (damaged || one.fragment().state() == Fragment.State.UNREADABLE) {
      return "damaged" + where;
    }
    List<String> versions = one.fragment().ids().stream().map(VersionId::exact).toList();
    return versions.isEmpty() ? "empty" + where : "only " + versions + where;
  }

  private static String place(Found one) {
    String file = one.fragment().file();
    return file.isEmpty() ? "" : " in " + one.fragment().directory() + "/" + file;
  }

  private static String better(String one, String other) {
    return one.startsWith("here") ? one : other;
  }
}
