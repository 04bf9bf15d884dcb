// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
import org.cairn.tier.Roles;
import org.cairn.tier.Source;
import org.cairn.tier.TierType;
import org.cairn.tier.TierTypes;
import org.cairn.version.Life;
import org.cairn.version.Lineage;
import org.cairn.version.Lives;
import org.cairn.version.VersionId;

/**
 * Which versions can be produced for every rank, and from what. All ranks evaluate the same table
 * and so agree without a word; no file and no rank is needed for that but those that hold the
 * fragments.
 *
 * <p>A version is produced from fragments of that very version only: of one job, one run, one
 * number. Where two fragments of one owner and version have different root digests, neither is
 * believed.
 */
final class FragmentTable implements Evidence {
  private static final TierType LOCAL = TierTypes.find(TierKind.LOCAL.number()).orElseThrow();

  private final int ranks;
  private final Survey survey;
  private final String job;
  private final Lives lives;
  private final FragmentIndex index;
  private final List<String> contradictions;

  /** What is done without; it becomes more while something is restored. */
  private final Map<Where, Bad> bad = new LinkedHashMap<>();

  /** A version in a fragment. */
  private record Where(int holder, String directory, String file, VersionId version) {
    static Where of(Found found, VersionId version) {
      Fragment fragment = found.fragment();
      return new Where(found.holder(), fragment.directory(), fragment.file(), version);
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
    this.index = new FragmentIndex(survey.found());
    Contradictions found = Contradictions.in(survey.found());
    this.contradictions = List.copyOf(found.told());
    found.bad().forEach(this::exclude);
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

    private Where place() {
      return new Where(holder, directory, file, version);
    }
  }

  // ---------------------------------------------------------------- what is done without

  /** What was found to contradict itself. */
  List<String> contradictions() {
    return contradictions;
  }

  /** Does without something from now on; false if that was decided before. */
  boolean exclude(Bad damaged) {
    return bad.putIfAbsent(damaged.place(), damaged) == null;
  }

  /** All that is done without. */
  Collection<Bad> excluded() {
    return bad.values();
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

  /** What there is of a rank, wherever it is. */
  List<Found> ownedBy(int rank) {
    return index.ownedBy(rank);
  }

  /** What one rank found. */
  List<Found> foundBy(int rank) {
    return index.heldBy(rank);
  }

  /** Which of it belongs together. */
  Lives lives() {
    return lives;
  }

  /** Whether the state of every rank can be had. */
  boolean canProduce(VersionId version) {
    return plan(version).isPresent();
  }

  /** Versions of a world that every rank has in its own directory, oldest first. */
  List<VersionId> commonLocal(Life life, Lineage world) {
    List<VersionId> common = new ArrayList<>();
    for (VersionId version : life.versions().reversed()) {
      boolean everywhere = world.isOfWorld(version);
      for (int owner = 0; owner < ranks && everywhere; owner++) {
        everywhere = LOCAL.offer(this, owner, version).filter(isOwn(owner)).isPresent();
      }
      if (everywhere) {
        common.add(version);
      }
    }
    return common;
  }

  /** How to produce a version, of whatever number of ranks; empty if that cannot be done. */
  Optional<Plan> plan(VersionId version) {
    return plan(version, _ -> true);
  }

  /** The same with sources of some kind alone. */
  Optional<Plan> plan(VersionId version, Predicate<Source> usable) {
    return Roles.sources(this, version, usable).map(sources -> new Plan(version, sources));
  }

  /** Who reads what to produce a version that can be produced; nobody wants anything yet. */
  Roles roles(VersionId version) {
    return Roles.of(
        this,
        version,
        plan(version).orElseThrow().sources(),
        (member, source) -> Roles.Want.NOTHING);
  }

  private static Predicate<Source> isOwn(int owner) {
    return source -> source.isOwn(owner);
  }

  int ranks() {
    return ranks;
  }

  // ---------------------------------------------------------------- what tiers ask

  @Override
  public List<Found> holding(TierKind kind, int owner, VersionId version) {
    return good(index.holding(owner, version), kind, version);
  }

  @Override
  public List<Found> helping(TierKind kind, int member, VersionId version) {
    return good(index.helping(member, version), kind, version);
  }

  @Override
  public boolean hasState(int owner, VersionId version) {
    return index.holding(owner, version).stream()
        .anyMatch(
            one ->
                one.fragment().group() == null
                    && !one.fragment().file().isEmpty()
                    && !isBad(one, version));
  }

  private List<Found> good(List<Found> found, TierKind kind, VersionId version) {
    List<Found> good = new ArrayList<>(1);
    for (Found one : found) {
      if (one.fragment().kind().equals(kind) && !isBad(one, version)) {
        good.add(one);
      }
    }
    return good;
  }

  /** Who asks this of what an index gave need not look whether the version is there. */
  boolean isBad(Found one, VersionId version) {
    return !bad.isEmpty() && bad.containsKey(Where.of(one, version));
  }

  // ---------------------------------------------------------------- for people

  /** What every tier answers for every rank, for the newest versions, and what else was found. */
  List<String> answers(List<VersionId> versions) {
    return new Answers(this, index).of(versions);
  }

  /** What every tier has of every rank, where no version is known at all. */
  List<String> answersWithoutVersions() {
    return new Answers(this, index).withoutVersions();
  }
}
