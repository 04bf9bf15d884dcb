// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.cairn.cli.Explanations;
import org.cairn.container.ContainerReader;
import org.cairn.version.VersionId;
import org.cairn.container.VersionInfo;
import org.cairn.tier.FileNames;
import org.cairn.tier.TierKind;
import org.cairn.tier.parity.ParityInfo;
import org.cairn.tier.segment.Manifest;
import org.cairn.tier.segment.SharedDirectory;
import org.jspecify.annotations.Nullable;

/**
 * What the directory of a job holds: every container, copy and parity file, and every event log.
 */
final class JobSurvey {
  private final JobDirectory job;
  private final List<Held> held = new ArrayList<>();
  private final SortedMap<Integer, RankLog> logs = new TreeMap<>();
  private final List<String> problems = new ArrayList<>();
  private @Nullable SortedMap<VersionId, Manifest> manifests;

  /** One file. */
  record Held(
      ContainerPath path,
      FileNames.@Nullable Meaning meaning,
      SortedMap<VersionId, VersionInfo> versions,
      SortedMap<VersionId, ParityInfo> parities,
      long fileBytes) {

    boolean is(TierKind kind, int rank) {
      return meaning != null && meaning.kind() == kind && meaning.rank() == rank;
    }
  }

  private JobSurvey(JobDirectory job) {
    this.job = job;
  }

  static JobSurvey of(JobDirectory job) throws IOException {
    JobSurvey survey = new JobSurvey(job);
    for (ContainerPath file : ContainerPath.all(job.path())) {
      survey.read(file);
    }
    for (Map.Entry<Integer, Path> rank : job.ranks().entrySet()) {
      survey.logs.put(rank.getKey(), RankLog.read(rank.getValue()));
    }
    return survey;
  }

  /** Counts what the shared directory has, rather than what logs say of it. */
  void add(SharedDirectory.Listing shared) {
    SortedMap<VersionId, Manifest> found = new TreeMap<>();
    shared.versions().forEach(manifest -> found.put(manifest.version(), manifest));
    shared.problems().forEach(problem -> problems.add(problem.version() + ": " + problem.what()));
    manifests = found;
  }

  private void read(ContainerPath file) {
    try (ContainerReader reader = file.open()) {
      SortedMap<VersionId, VersionInfo> versions = new TreeMap<>();
      reader.versions().forEach(info -> versions.put(info.id(), info));
      FileNames.Meaning meaning = FileNames.meaning(file.file()).orElse(null);
      problems.addAll(reader.problems());
      held.add(new Held(file, meaning, versions, parities(reader, meaning), reader.fileBytes()));
    } catch (NoSuchFileException e) {
      // A program that runs meanwhile has just put it in its place.
    } catch (IOException e) {
      problems.add(Explanations.of(e));
    }
  }

  private SortedMap<VersionId, ParityInfo> parities(
      ContainerReader reader, FileNames.@Nullable Meaning meaning) {
    SortedMap<VersionId, ParityInfo> found = new TreeMap<>();
    if (meaning == null || meaning.kind() != TierKind.ERASURE) {
      return found;
    }
    for (VersionInfo info : reader.versions()) {
      try {
        found.put(info.id(), ParityInfo.read(reader, info.id()));
      } catch (IOException | IllegalArgumentException e) {
        problems.add(Explanations.of(e));
      }
    }
    return found;
  }

  JobDirectory job() {
    return job;
  }

  List<String> problems() {
    return problems;
  }

  long fileBytes() {
    return held.stream().mapToLong(Held::fileBytes).sum();
  }

  int files() {
    return held.size();
  }

  /** How many ranks the job has: what its newest version says, or its directories. */
  int ranks() {
    SortedMap<VersionId, Instant> all = all();
    return all.isEmpty() ? job.ranks().lastKey() + 1 : all.firstKey().ranks();
  }

  /** All versions of all files, newest first, with the time at which they were taken. */
  private SortedMap<VersionId, Instant> all() {
    SortedMap<VersionId, Instant> all = new TreeMap<>(Comparator.reverseOrder());
    held.forEach(file -> file.versions.forEach((id, info) -> all.put(id, info.takenAt())));
    if (manifests != null) {
      manifests.forEach((id, manifest) -> all.put(id, manifest.takenAt()));
    }
    return all;
  }

  // ---------------------------------------------------------------- versions

  /** All versions of which there is more than left-over parity, newest first. */
  List<JobVersion> versions() {
    return all().entrySet().stream()
        .map(version -> version(version.getKey(), version.getValue()))
        .filter(v -> !v.local().isEmpty() || !v.partner().isEmpty() || !v.shared().isEmpty())
        .toList();
  }

  private JobVersion version(VersionId id, Instant takenAt) {
    SortedSet<Integer> local = having(TierKind.LOCAL, id);
    SortedSet<Integer> partner = having(TierKind.PARTNER, id);
    SortedSet<Integer> shared = flushed(id);
    SortedSet<Integer> lost = lost(id, local, partner);
    if (manifests != null) {
      lost.removeAll(shared);
    }
    return new JobVersion(
        id.toString(),
        id.ranks(),
        takenAt.toString(),
        protectedBytes(id),
        local.size() == id.ranks() ? "complete" : lost.isEmpty() ? "restorable" : "incomplete",
        local,
        partner,
        having(TierKind.ERASURE, id),
        shared,
        lost);
  }

  private SortedSet<Integer> having(TierKind kind, VersionId id) {
    SortedSet<Integer> ranks = new TreeSet<>();
    for (Held file : held) {
      if (file.meaning != null
          && file.meaning.kind() == kind
          && file.meaning.rank() < id.ranks()
          && file.versions.containsKey(id)) {
        ranks.add(file.meaning.rank());
      }
    }
    return ranks;
  }

  /** Segments are elsewhere; the ranks said in their logs what they had put there. */
  private SortedSet<Integer> flushed(VersionId id) {
    SortedSet<Integer> ranks = new TreeSet<>();
    if (manifests != null) {
      Optional.ofNullable(manifests.get(id)).map(Manifest::groups).orElse(List.of()).stream()
          .forEach(group -> ranks.addAll(group.ranks()));
      return ranks;
    }
    logs.forEach(
        (rank, log) -> {
          if (log.work(TierKind.SHARED).filter(work -> work.has(id)).isPresent()) {
            ranks.add(rank);
          }
        });
    return ranks;
  }

  private long protectedBytes(VersionId id) {
    SortedMap<Integer, Long> byRank = new TreeMap<>();
    for (Held file : held) {
      VersionInfo info = file.versions.get(id);
      if (info != null && file.meaning != null && file.meaning.kind() != TierKind.ERASURE) {
        byRank.put(file.meaning.rank(), info.protectedBytes());
      }
    }
    return byRank.values().stream().mapToLong(Long::longValue).sum();
  }

  private SortedSet<Integer> lost(VersionId id, SortedSet<Integer> local, SortedSet<Integer> copy) {
    SortedSet<Integer> direct = new TreeSet<>(local);
    direct.addAll(copy);
    SortedSet<Integer> lost = new TreeSet<>();
    for (int rank = 0; rank < id.ranks(); rank++) {
      if (!direct.contains(rank) && !canDecode(id, rank, direct)) {
        lost.add(rank);
      }
    }
    return lost;
  }

  private boolean canDecode(VersionId id, int rank, SortedSet<Integer> direct) {
    List<ParityInfo> infos =
        held.stream()
            .flatMap(file -> Optional.ofNullable(file.parities.get(id)).stream())
            .filter(info -> info.members().contains(rank))
            .toList();
    return infos.stream().anyMatch(info -> canRebuild(info, infos, direct));
  }

  private static boolean canRebuild(
      ParityInfo info, List<ParityInfo> all, SortedSet<Integer> direct) {
    BitSet data = new BitSet();
    for (int i = 0; i < info.members().size(); i++) {
      data.set(i, direct.contains(info.members().get(i)));
    }
    BitSet parities = new BitSet();
    all.stream().filter(info::fits).forEach(fitting -> parities.set(fitting.index()));
    return ParityInfo.canRebuild(info.members().size(), info.parity(), data, parities);
  }

  // ---------------------------------------------------------------- tiers

  /**
   * What a tier has of a rank, as {@code --json} prints it.
   *
   * @param rank whose state it is; of parity, who holds it
   * @param tier the tier
   * @param file where it is; null for the shared tier, and where it is missing
   * @param newest the newest version there
   * @param lagVersions how many checkpoints are newer
   * @param lagSeconds how much older that version is than the newest checkpoint
   * @param fileBytes the size of the file
   * @param transfers how many versions the rank says it has brought there
   * @param transferredBytes how many bytes that took
   * @param transferSeconds and how long
   * @param failed how many transfers failed
   * @param skipped how many versions were passed over because the tier was busy
   * @param underWay the version that was last begun and not ended
   * @param lastFailure what went wrong last
   */
  record Tier(
      int rank,
      String tier,
      @Nullable String file,
      @Nullable String newest,
      long lagVersions,
      @Nullable Double lagSeconds,
      long fileBytes,
      long transfers,
      long transferredBytes,
      double transferSeconds,
      long failed,
      long skipped,
      @Nullable String underWay,
      @Nullable String lastFailure) {}

  /** For every rank, every tier that any of them uses. */
  List<Tier> tiers() {
    SortedMap<VersionId, Instant> checkpoints = checkpoints();
    List<TierKind> used = new ArrayList<>();
    for (TierKind kind : TierKind.values()) {
      boolean found =
          held.stream().anyMatch(file -> file.meaning != null && file.meaning.kind() == kind);
      boolean told = logs.values().stream().anyMatch(log -> log.work(kind).isPresent());
      boolean given = kind == TierKind.SHARED && manifests != null;
      if (kind == TierKind.LOCAL || found || told || given) {
        used.add(kind);
      }
    }
    List<Tier> tiers = new ArrayList<>();
    for (int rank = 0; rank < ranks(); rank++) {
      for (TierKind kind : used) {
        tiers.add(tier(rank, kind, checkpoints));
      }
    }
    return tiers;
  }

  /** Every checkpoint there was, with the time at which the first rank had it. */
  private SortedMap<VersionId, Instant> checkpoints() {
    SortedMap<VersionId, Instant> times = new TreeMap<>();
    for (RankLog log : logs.values()) {
      log.checkpoints()
          .forEach((id, time) -> times.merge(id, time, (a, b) -> a.isBefore(b) ? a : b));
    }
    all().forEach(times::putIfAbsent);
    return times;
  }

  private Tier tier(int rank, TierKind kind, SortedMap<VersionId, Instant> checkpoints) {
    Held file = file(rank, kind);
    RankLog log = logs.get(rank);
    RankLog.Work work = (log == null ? new RankLog() : log).work(kind).orElseGet(RankLog.Work::new);
    VersionId newest =
        kind == TierKind.SHARED
            ? newestFlushed(rank, work)
            : file == null || file.versions.isEmpty() ? null : file.versions.lastKey();
    return new Tier(
        rank,
        kind.label(),
        file == null ? null : job.shortName(file.path),
        text(newest),
        newest == null
            ? checkpoints.size()
            : checkpoints.tailMap(newest).keySet().stream()
                .filter(id -> id.compareTo(newest) > 0)
                .count(),
        lagSeconds(newest, checkpoints),
        file == null ? 0 : file.fileBytes,
        work.transfers(),
        work.bytes(),
        work.seconds(),
        work.failed(),
        work.skipped(),
        text(work.underWay()),
        work.lastFailure());
  }

  private @Nullable VersionId newestFlushed(int rank, RankLog.Work work) {
    if (manifests == null) {
      return work.newest();
    }
    return manifests.keySet().stream()
        .filter(id -> flushed(id).contains(rank))
        .reduce((older, newer) -> newer)
        .orElse(null);
  }

  private static @Nullable String text(@Nullable VersionId id) {
    return id == null ? null : id.toString();
  }

  private static @Nullable Double lagSeconds(
      @Nullable VersionId newest, SortedMap<VersionId, Instant> checkpoints) {
    if (newest == null || !checkpoints.containsKey(newest)) {
      return null;
    }
    Duration lag =
        Duration.between(checkpoints.get(newest), checkpoints.get(checkpoints.lastKey()));
    return Math.max(0, lag.toNanos() / 1e9);
  }

  /** The newest, should there be several: directories may have been left behind. */
  private @Nullable Held file(int rank, TierKind kind) {
    return held.stream()
        .filter(file -> file.is(kind, rank))
        .filter(file -> !file.versions.isEmpty())
        .max(Comparator.comparing(file -> file.versions.lastKey()))
        .orElseGet(
            () -> held.stream().filter(file -> file.is(kind, rank)).findFirst().orElse(null));
  }
}
