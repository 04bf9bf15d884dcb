// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.cairn.TierKind;
import org.cairn.tier.TierTypes;
import org.cairn.tier.erasure.ParityInfo;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;

/** What a directory holds of one life: its versions, and how far every tier is. */
final class JobSurvey {
  private final Inventory all;
  private final LifeEntry life;
  private final List<Inventory.Held> held;
  private final SortedMap<Integer, RankLog> logs = new TreeMap<>();

  private JobSurvey(Inventory all, LifeEntry life, Set<Inventory.Held> without) {
    this.all = all;
    this.life = life;
    // A file that counts for another life may hold what both descend from.
    this.held =
        all.files().stream()
            .filter(file -> !without.contains(file))
            .filter(
                file ->
                    life.files().contains(file)
                        || file.versions().keySet().stream()
                            .anyMatch(life.life().versions()::contains))
            .toList();
  }

  static JobSurvey of(Inventory all, LifeEntry life) throws IOException {
    JobSurvey survey = new JobSurvey(all, life, Set.of());
    Set<String> runs = new HashSet<>();
    life.life().lineage().descent().forEach(run -> runs.add(run.id().toString()));
    Optional<JobDirectory> job = JobDirectory.find(all.path());
    if (job.isPresent()) {
      for (Map.Entry<Integer, Path> rank : job.get().ranks().entrySet()) {
        survey.logs.put(rank.getKey(), RankLog.read(rank.getValue(), life.name(), runs::contains));
      }
    }
    return survey;
  }

  /** What would be left without some files; logs count for nothing. */
  static JobSurvey without(Inventory all, LifeEntry life, Set<Inventory.Held> files) {
    return new JobSurvey(all, life, files);
  }

  /** The versions that can be restored from what is here, newest first. */
  List<VersionId> restorable() {
    return all().keySet().stream()
        .filter(
            id -> {
              Set<Integer> lost =
                  lost(id, having(TierKind.LOCAL, id), having(TierKind.PARTNER, id));
              SharedPlace shared = all.shared();
              return lost.isEmpty() || (shared != null && shared.whole().contains(id));
            })
        .toList();
  }

  LifeEntry life() {
    return life;
  }

  Inventory inventory() {
    return all;
  }

  long fileBytes() {
    return life.bytes();
  }

  int files() {
    return life.fileCount();
  }

  /** How many ranks the job has: what its newest version says. */
  int ranks() {
    return life.ranks();
  }

  /** All versions of the life, newest first, with the time at which they were taken. */
  private SortedMap<VersionId, Instant> all() {
    SortedMap<VersionId, Instant> taken = new TreeMap<>(Comparator.reverseOrder());
    life.life().versions().forEach(id -> taken.put(id, life.takenAt(id)));
    return taken;
  }

  // ---------------------------------------------------------------- versions

  /** All versions of which there is more than left-over parity, newest first. */
  List<JobVersion> versions() {
    return all().entrySet().stream()
        .filter(version -> isMoreThanParity(version.getKey()))
        .map(version -> version(version.getKey(), version.getValue()))
        .toList();
  }

  private boolean isMoreThanParity(VersionId id) {
    SharedPlace shared = all.shared();
    return !having(TierKind.LOCAL, id).isEmpty()
        || !having(TierKind.PARTNER, id).isEmpty()
        || (shared == null ? !flushed(id).isEmpty() : shared.all().contains(id));
  }

  private JobVersion version(VersionId id, Instant takenAt) {
    SortedSet<Integer> local = having(TierKind.LOCAL, id);
    SortedSet<Integer> partner = having(TierKind.PARTNER, id);
    SortedSet<Integer> shared = flushed(id);
    SortedSet<Integer> lost = lost(id, local, partner);
    if (all.shared() != null) {
      lost.removeAll(shared);
    }
    return new JobVersion(
        id.toString(),
        id.exact(),
        id.ranks(),
        takenAt.toString(),
        protectedBytes(id),
        local.size() == id.ranks() ? "complete" : lost.isEmpty() ? "restorable" : "incomplete",
        local,
        partner,
        having(TierKind.ERASURE, id),
        shared,
        lost,
        Labels.of(all.label(id)));
  }

  private SortedSet<Integer> having(TierKind kind, VersionId id) {
    SortedSet<Integer> ranks = new TreeSet<>();
    for (Inventory.Held file : held) {
      if (file.kind().equals(kind) && file.rank() < id.ranks() && file.versions().containsKey(id)) {
        ranks.add(file.rank());
      }
    }
    return ranks;
  }

  /** What the shared directory has; unless it can be looked at, what ranks said they put there. */
  private SortedSet<Integer> flushed(VersionId id) {
    SharedPlace shared = all.shared();
    if (shared != null) {
      return shared.ranks(id);
    }
    SortedSet<Integer> ranks = new TreeSet<>();
    LoggedVersion logged = LoggedVersion.of(id);
    logs.forEach(
        (rank, log) -> {
          if (log.work(TierKind.SHARED).filter(work -> work.has(logged)).isPresent()) {
            ranks.add(rank);
          }
        });
    return ranks;
  }

  private long protectedBytes(VersionId id) {
    SortedMap<Integer, Long> byRank = new TreeMap<>();
    for (Inventory.Held file : held) {
      VersionInfo info = file.versions().get(id);
      if (info != null && !file.kind().equals(TierKind.ERASURE)) {
        byRank.put(file.rank(), info.protectedBytes());
      }
    }
    SharedPlace shared = all.shared();
    return byRank.size() < id.ranks() && shared != null && shared.whole().contains(id)
        ? shared.protectedBytes(id)
        : byRank.values().stream().mapToLong(Long::longValue).sum();
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
            .flatMap(file -> Optional.ofNullable(file.parities().get(id)).stream())
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
   * @param lastRemark how the last version was brought there, where the tier told
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
      @Nullable String lastFailure,
      @Nullable String lastRemark) {}

  /** For every rank, every tier that any of them uses. */
  List<Tier> tiers() {
    SortedMap<LoggedVersion, Instant> checkpoints = checkpoints();
    List<TierKind> used = new ArrayList<>();
    for (TierKind kind : TierTypes.kinds()) {
      boolean found = held.stream().anyMatch(file -> file.kind().equals(kind));
      boolean told = logs.values().stream().anyMatch(log -> log.work(kind).isPresent());
      boolean given = kind.equals(TierKind.SHARED) && all.shared() != null;
      if ((kind.equals(TierKind.LOCAL) && !held.isEmpty()) || found || told || given) {
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
  private SortedMap<LoggedVersion, Instant> checkpoints() {
    SortedMap<LoggedVersion, Instant> times = new TreeMap<>();
    for (RankLog log : logs.values()) {
      log.checkpoints()
          .forEach((id, time) -> times.merge(id, time, (a, b) -> a.isBefore(b) ? a : b));
    }
    all().forEach((id, time) -> times.putIfAbsent(LoggedVersion.of(id), time));
    return times;
  }

  private Tier tier(int rank, TierKind kind, SortedMap<LoggedVersion, Instant> checkpoints) {
    Inventory.Held file = file(rank, kind);
    RankLog log = logs.get(rank);
    RankLog.Work work = (log == null ? new RankLog() : log).work(kind).orElseGet(RankLog.Work::new);
    LoggedVersion newest =
        kind.equals(TierKind.SHARED)
            ? newestFlushed(rank, work)
            : file == null ? null : newestIn(file);
    return new Tier(
        rank,
        kind.label(),
        file == null ? null : shortName(file.path()),
        text(newest),
        newest == null
            ? checkpoints.size()
            : checkpoints.tailMap(newest).keySet().stream()
                .filter(id -> id.compareTo(newest) > 0)
                .count(),
        lagSeconds(newest, checkpoints),
        file == null ? 0 : file.fileBytes(),
        work.transfers(),
        work.bytes(),
        work.seconds(),
        work.failed(),
        work.skipped(),
        text(work.underWay()),
        work.lastFailure(),
        work.lastRemark());
  }

  private String shortName(ContainerPath file) {
    return all.path().relativize(file.directory().resolve(file.file())).toString();
  }

  private @Nullable LoggedVersion newestIn(Inventory.Held file) {
    return life.life().versions().stream()
        .filter(version -> file.versions().containsKey(version))
        .findFirst()
        .map(LoggedVersion::of)
        .orElse(null);
  }

  private @Nullable LoggedVersion newestFlushed(int rank, RankLog.Work work) {
    if (all.shared() == null) {
      return work.newest();
    }
    return life.life().versions().stream()
        .filter(id -> flushed(id).contains(rank))
        .findFirst()
        .map(LoggedVersion::of)
        .orElse(null);
  }

  private static @Nullable String text(@Nullable LoggedVersion id) {
    return id == null ? null : id.toString();
  }

  private static @Nullable Double lagSeconds(
      @Nullable LoggedVersion newest, SortedMap<LoggedVersion, Instant> checkpoints) {
    if (newest == null || !checkpoints.containsKey(newest)) {
      return null;
    }
    Duration lag =
        Duration.between(checkpoints.get(newest), checkpoints.get(checkpoints.lastKey()));
    return Math.max(0, lag.toNanos() / 1e9);
  }

  /** The newest, should there be several: directories may have been left behind. */
  private Inventory.@Nullable Held file(int rank, TierKind kind) {
    return held.stream()
        .filter(file -> file.is(kind, rank) && newestIn(file) != null)
        .max(Comparator.comparing(file -> Objects.requireNonNull(newestIn(file))))
        .orElseGet(
            () -> held.stream().filter(file -> file.is(kind, rank)).findFirst().orElse(null));
  }
}
