// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import org.cairn.record.CorruptContainerException;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.tier.FileNames;
import org.cairn.tier.Fragment;
import org.cairn.tier.TierKind;
import org.cairn.tier.parity.ParityInfo;
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
final class FragmentTable {
  private final int ranks;
  private final Survey survey;
  private final String job;
  private final Lives lives;
  private final Map<Place, Bad> bad = new LinkedHashMap<>();
  private final List<String> contradictions = new ArrayList<>();

  /** States and copies of them. */
  private final Map<Key, List<Survey.Found>> copies = new HashMap<>();

  /** Parity by the rank that kept it. */
  private final Map<Key, List<Survey.Found>> parities = new HashMap<>();

  /** Parity by each rank that it helps. */
  private final Map<Key, List<Survey.Found>> helps = new HashMap<>();

  private final Map<Key, List<Survey.Found>> inShared = new HashMap<>();
  private final Map<Integer, List<Survey.Found>> byOwner = new HashMap<>();
  private final Map<Integer, List<Survey.Found>> byHolder = new HashMap<>();

  /** A version of a rank. */
  private record Key(int owner, VersionId version) {}

  /** A version in a fragment. */
  private record Place(int holder, String directory, String file, VersionId version) {
    static Place of(Survey.Found found, VersionId version) {
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

  private void index(Survey.Found one) {
    Fragment fragment = one.fragment();
    add(byOwner, fragment.owner(), one);
    add(byHolder, one.holder(), one);
    for (Fragment.Held held : fragment.versions()) {
      Key key = new Key(fragment.owner(), held.id());
      switch (fragment.kind()) {
        case LOCAL, PARTNER -> add(copies, key, one);
        case SHARED -> add(inShared, key, one);
        case ERASURE -> {}
      }
      Fragment.Group group = fragment.group();
      if (group != null) {
        add(parities, key, one);
        group.members().forEach(member -> add(helps, new Key(member, held.id()), one));
      }
    }
  }

  private static <K> void add(Map<K, List<Survey.Found>> index, K key, Survey.Found one) {
    index.computeIfAbsent(key, _ -> new ArrayList<>(1)).add(one);
  }

  private static <K> List<Survey.Found> get(Map<K, List<Survey.Found>> index, K key) {
    return index.getOrDefault(key, List.of());
  }

  /** Where the state of a rank comes from. */
  record Source(
      TierKind kind, int holder, String directory, String file, Fragment.@Nullable Group group) {
    /** Whether it is a file of state in the rank's own directory. */
    boolean isOwn(int owner) {
      return kind == TierKind.LOCAL
          && holder == owner
          && directory.equals(FileNames.directory(owner));
    }
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
    for (Survey.Found one : survey.found()) {
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
    for (Survey.Found one : survey.found()) {
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
  private static boolean hasDigest(Survey.Found one, Fragment.Held held) {
    return one.fragment().kind() != TierKind.ERASURE
        && (held.digestLow() != 0 || held.digestHigh() != 0);
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
  List<Survey.Found> foundBy(int rank) {
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
        Source source = direct(owner, version);
        everywhere = source != null && source.isOwn(owner);
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
    Source[] sources = new Source[ranks];
    boolean[] direct = new boolean[ranks];
    for (int owner = 0; owner < ranks; owner++) {
      sources[owner] = direct(owner, version);
      direct[owner] = sources[owner] != null;
    }
    for (int owner = 0; owner < ranks; owner++) {
      if (sources[owner] == null) {
        sources[owner] = fromParity(owner, version, direct);
      }
      if (sources[owner] == null) {
        sources[owner] = fromShared(owner, version);
      }
      if (sources[owner] == null) {
        return Optional.empty();
      }
    }
    return Optional.of(new Plan(version, List.of(sources)));
  }

  /** A container that holds the version: best the rank's own, then its own elsewhere, a copy. */
  private @Nullable Source direct(int owner, VersionId version) {
    Source best = null;
    for (Survey.Found one : get(copies, new Key(owner, version))) {
      Fragment fragment = one.fragment();
      if (!isBad(one, version)) {
        Source source =
            new Source(fragment.kind(), one.holder(), fragment.directory(), fragment.file(), null);
        if (best == null || cost(source, owner) < cost(best, owner)) {
          best = source;
        }
      }
    }
    return best;
  }

  private static int cost(Source source, int owner) {
    if (source.isOwn(owner)) {
      return 0;
    }
    return source.kind == TierKind.LOCAL ? 1 : 2;
  }

  /** Who asks this of what an index gave need not look whether the version is there. */
  private boolean isBad(Survey.Found one, VersionId version) {
    return !bad.isEmpty() && bad.containsKey(Place.of(one, version));
  }

  private @Nullable Source fromParity(int owner, VersionId version, boolean[] direct) {
    for (Survey.Found one : get(helps, new Key(owner, version))) {
      Fragment.Group group = one.fragment().group();
      if (group != null && !isBad(one, version) && canDecode(group, version, direct)) {
        return new Source(TierKind.ERASURE, one.holder(), "", "", group);
      }
    }
    return null;
  }

  private boolean canDecode(Fragment.Group group, VersionId version, boolean[] direct) {
    BitSet data = new BitSet();
    BitSet parities = new BitSet();
    for (int i = 0; i < group.members().size(); i++) {
      int member = group.members().get(i);
      data.set(i, member < ranks && direct[member]);
      parities.set(i, parityFile(member, group, version).isPresent());
    }
    return ParityInfo.canRebuild(group.members().size(), group.lost(), data, parities);
  }

  /** The file in which a rank still has its parity of a version, made together with its group's. */
  Optional<String> parityFile(int rank, Fragment.Group group, VersionId version) {
    return get(parities, new Key(rank, version)).stream()
        .filter(
            one ->
                one.holder() == rank
                    && one.fragment().directory().equals(FileNames.directory(rank))
                    && group.equals(one.fragment().group())
                    && !isBad(one, version))
        .map(one -> one.fragment().file())
        .findFirst();
  }

  private @Nullable Source fromShared(int owner, VersionId version) {
    return get(inShared, new Key(owner, version)).stream().anyMatch(one -> !isBad(one, version))
        ? new Source(TierKind.SHARED, owner, "", "", null)
        : null;
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
    for (Survey.Found one : survey.found()) {
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
    Map<TierKind, String> answers = new EnumMap<>(TierKind.class);
    answers.put(TierKind.LOCAL, "no container");
    answers.put(TierKind.PARTNER, "no copy");
    answers.put(TierKind.ERASURE, "no parity of its group");
    answers.put(TierKind.SHARED, "nothing");
    for (Survey.Found one : get(byOwner, Fragment.NOBODY)) {
      if (one.fragment().kind() == TierKind.SHARED
          && one.fragment().state() == Fragment.State.UNREADABLE) {
        answers.put(TierKind.SHARED, copyAnswer(one, version));
      }
    }
    for (Survey.Found one : get(byOwner, owner)) {
      if (one.fragment().kind() != TierKind.ERASURE) {
        answers.merge(one.fragment().kind(), copyAnswer(one, version), FragmentTable::better);
      }
    }
    if (version != null) {
      for (Survey.Found one : get(helps, new Key(owner, version))) {
        Fragment.Group group = one.fragment().group();
        if (group != null && !isBad(one, version)) {
          answers.put(TierKind.ERASURE, parityAnswer(group, version));
        }
      }
    }
    StringJoiner text = new StringJoiner(", ");
    answers.forEach((kind, said) -> text.add(kind.label() + ": " + said));
    return text.toString();
  }

  private String copyAnswer(Survey.Found one, @Nullable VersionId version) {
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

  private static String place(Survey.Found one) {
    String file = one.fragment().file();
    return file.isEmpty() ? "" : " in " + one.fragment().directory() + "/" + file;
  }

  private static String better(String one, String other) {
    return one.startsWith("here") ? one : other;
  }

  private String parityAnswer(Fragment.Group group, VersionId version) {
    int data = 0;
    for (int member : group.members()) {
      data += member < ranks && direct(member, version) != null ? 1 : 0;
    }
    long held =
        group.members().stream()
            .filter(member -> parityFile(member, group, version).isPresent())
            .count();
    return "state of %d and parity of %d of the %d ranks %s, which bear the loss of %d"
        .formatted(data, held, group.members().size(), group.members(), group.lost());
  }
}
