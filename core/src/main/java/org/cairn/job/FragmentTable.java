// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import org.cairn.version.VersionId;
import org.cairn.version.VersionName;
import org.cairn.tier.Fragment;
import org.cairn.tier.TierKind;
import org.cairn.tier.parity.ParityInfo;
import org.jspecify.annotations.Nullable;

/**
 * Which versions can be produced for every rank, and from what. All ranks evaluate the same table
 * and so agree without a word; no file and no rank is needed for that but those that hold the
 * fragments.
 */
final class FragmentTable {
  private final int ranks;
  private final Survey survey;
  private final Set<Bad> bad = new HashSet<>();

  FragmentTable(int ranks, Survey survey) {
    this.ranks = ranks;
    this.survey = survey;
  }

  /** Where the state of a rank comes from. */
  record Source(
      TierKind kind, int holder, String directory, String file, Fragment.@Nullable Group group) {
    /** Whether the rank has it in its own directory, ready to be read. */
    boolean isOwn(int owner) {
      return kind == TierKind.LOCAL && holder == owner && directory.equals(directoryOf(owner));
    }
  }

  /** A version, and where the state of each rank comes from. */
  record Plan(VersionId version, List<Source> sources) {}

  /** A version in a fragment that turned out to be damaged. */
  record Bad(int holder, String directory, String file, VersionId version, String why) {
    boolean concerns(Survey.Found found, VersionId wanted) {
      return holder == found.holder()
          && directory.equals(found.fragment().directory())
          && file.equals(found.fragment().file())
          && version.equals(wanted);
    }
  }

  /** The name of the directory of a rank. */
  static String directoryOf(int rank) {
    return "rank" + rank;
  }

  /** Does without something from now on; false if that was decided before. */
  boolean exclude(Bad damaged) {
    boolean known =
        bad.stream()
            .anyMatch(
                other ->
                    other.holder == damaged.holder
                        && other.directory.equals(damaged.directory)
                        && other.file.equals(damaged.file)
                        && other.version.equals(damaged.version));
    return !known && bad.add(damaged);
  }

  /** The files of a rank, in its own directory, that something damaged was found in. */
  Set<String> damagedFiles(int rank) {
    Set<String> files = new TreeSet<>();
    for (Bad one : bad) {
      if (one.holder == rank && one.directory.equals(directoryOf(rank))) {
        files.add(one.file);
      }
    }
    return files;
  }

  /** All versions older than this one, whether they can be produced or not. */
  List<VersionId> olderThan(VersionId version) {
    return candidates().stream().filter(other -> other.compareTo(version) < 0).toList();
  }

  /** All versions of jobs with this many ranks, newest first. */
  private List<VersionId> candidates() {
    TreeSet<VersionId> all = new TreeSet<>(Comparator.reverseOrder());
    for (Survey.Found one : survey.found()) {
      one.fragment().versions().stream()
          .filter(version -> version.ranks() == ranks)
          .forEach(all::add);
    }
    return new ArrayList<>(all);
  }

  /** Whether anything at all was saved by a job with this many ranks. */
  boolean isEmpty() {
    return candidates().isEmpty();
  }

  /** The numbers of ranks of other jobs whose versions were found. */
  Set<Integer> otherSizes() {
    Set<Integer> sizes = new TreeSet<>();
    for (Survey.Found one : survey.found()) {
      one.fragment().versions().forEach(version -> sizes.add(version.ranks()));
    }
    sizes.remove(ranks);
    return sizes;
  }

  /** The newest version that every rank can have; or the one wanted. */
  Optional<Plan> plan(@Nullable VersionName wanted) {
    for (VersionId version : candidates()) {
      if (wanted == null || wanted.fits(version)) {
        Optional<Plan> plan = planFor(version);
        if (plan.isPresent()) {
          return plan;
        }
      }
    }
    return Optional.empty();
  }

  /** Versions that every rank has in its own container, oldest first. */
  List<VersionId> commonLocal() {
    List<VersionId> common = new ArrayList<>();
    for (VersionId version : candidates().reversed()) {
      boolean everywhere = true;
      for (int owner = 0; owner < ranks; owner++) {
        Source source = direct(owner, version);
        everywhere &= source != null && source.isOwn(owner);
      }
      if (everywhere) {
        common.add(version);
      }
    }
    return common;
  }

  private Optional<Plan> planFor(VersionId version) {
    Source[] sources = new Source[ranks];
    for (int owner = 0; owner < ranks; owner++) {
      sources[owner] = direct(owner, version);
    }
    boolean[] direct = new boolean[ranks];
    for (int owner = 0; owner < ranks; owner++) {
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
    for (Survey.Found one : survey.found()) {
      Fragment fragment = one.fragment();
      boolean copy = fragment.kind() == TierKind.LOCAL || fragment.kind() == TierKind.PARTNER;
      if (copy && fragment.owner() == owner && has(one, version)) {
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

  private boolean has(Survey.Found one, VersionId version) {
    return one.fragment().versions().contains(version)
        && bad.stream().noneMatch(damaged -> damaged.concerns(one, version));
  }

  private @Nullable Source fromParity(int owner, VersionId version, boolean[] direct) {
    for (Survey.Found one : survey.found()) {
      Fragment.Group group = one.fragment().group();
      if (group != null
          && group.members().contains(owner)
          && has(one, version)
          && canDecode(group, version, direct)) {
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
      parities.set(i, hasParity(member, group, version));
    }
    return ParityInfo.canRebuild(group.members().size(), group.lost(), data, parities);
  }

  /** Whether a rank still has its parity of a version, made together with that of its group. */
  boolean hasParity(int rank, Fragment.Group group, VersionId version) {
    return survey.found().stream()
        .anyMatch(
            one ->
                one.holder() == rank
                    && one.fragment().owner() == rank
                    && one.fragment().directory().equals(directoryOf(rank))
                    && group.equals(one.fragment().group())
                    && has(one, version));
  }

  private @Nullable Source fromShared(int owner, VersionId version) {
    for (Survey.Found one : survey.found()) {
      Fragment fragment = one.fragment();
      if (fragment.kind() == TierKind.SHARED && fragment.owner() == owner && has(one, version)) {
        return new Source(TierKind.SHARED, owner, "", "", null);
      }
    }
    return null;
  }

  /** Whether a rank has a good copy of a version at a tier. */
  boolean isProtected(TierKind kind, int owner, VersionId version) {
    return survey.found().stream()
        .anyMatch(
            one ->
                one.fragment().kind() == kind
                    && one.fragment().owner() == owner
                    && has(one, version));
  }

  /** What every tier answers for every rank, for the newest versions. */
  List<String> answers(int versions) {
    List<String> lines = new ArrayList<>();
    for (VersionId version : candidates().stream().limit(versions).toList()) {
      for (int owner = 0; owner < ranks; owner++) {
        lines.add("version %s, rank %d: %s".formatted(version, owner, answer(owner, version)));
      }
    }
    for (Survey.Found one : survey.found()) {
      if (!one.fragment().problem().isEmpty()) {
        lines.add("rank " + one.holder() + " found: " + one.fragment().problem());
      }
    }
    bad.forEach(damaged -> lines.add("rank " + damaged.holder + " found: " + damaged.why));
    return lines;
  }

  private String answer(int owner, VersionId version) {
    Map<TierKind, String> answers = new EnumMap<>(TierKind.class);
    answers.put(TierKind.LOCAL, "no container");
    answers.put(TierKind.PARTNER, "no copy");
    answers.put(TierKind.ERASURE, "no parity of its group");
    answers.put(TierKind.SHARED, "nothing");
    for (Survey.Found one : survey.found()) {
      Fragment fragment = one.fragment();
      if (fragment.kind() == TierKind.ERASURE) {
        Fragment.Group group = fragment.group();
        if (group != null && group.members().contains(owner) && has(one, version)) {
          answers.put(TierKind.ERASURE, parityAnswer(group, version));
        }
      } else if (fragment.owner() == owner) {
        answers.merge(fragment.kind(), copyAnswer(one, version), FragmentTable::better);
      }
    }
    StringJoiner text = new StringJoiner(", ");
    answers.forEach((kind, said) -> text.add(kind.label() + ": " + said));
    return text.toString();
  }

  private String copyAnswer(Survey.Found one, VersionId version) {
    String where = " at rank " + one.holder();
    if (has(one, version)) {
      return "here" + where;
    }
    boolean damaged = bad.stream().anyMatch(entry -> entry.concerns(one, version));
    if (damaged) {
      return "damaged" + where;
    }
    List<VersionId> versions = one.fragment().versions();
    return versions.isEmpty() ? "empty" + where : "only " + versions + where;
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
        group.members().stream().filter(member -> hasParity(member, group, version)).count();
    return "state of %d and parity of %d of the %d ranks %s, which bear the loss of %d"
        .formatted(data, held, group.members().size(), group.members(), group.lost());
  }
}
