// SPDX-License-Identifier: Apache-2.0
package org.cairn.restart;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.cairn.clock.Clock;
import org.cairn.container.BlockScan;
import org.cairn.container.Container;
import org.cairn.container.DatasetEntry;
import org.cairn.container.VersionInfo;
import org.cairn.container.VersionView;
import org.cairn.dataset.Dataset;
import org.cairn.dataset.DatasetMismatchException;
import org.cairn.record.CorruptContainerException;
import org.cairn.supply.Workspace;
import org.cairn.version.VersionId;
import org.cairn.version.VersionName;
import org.cairn.work.Workers;
import org.jspecify.annotations.Nullable;

/**
 * Restores the newest version that is whole: every block is verified before its bytes reach the
 * program. If one is damaged the next older version is tried, and the report says so.
 */
public final class Restarter {
  private final Container container;
  private final Map<String, Dataset> datasets;
  private final Workers crew;
  private final Clock clock;
  private final List<String> problems;
  private boolean newerLost;

  /** A restarter for the protected datasets, by name. */
  public Restarter(Container container, Map<String, Dataset> datasets, Workers crew, Clock clock) {
    this.container = container;
    this.datasets = datasets;
    this.crew = crew;
    this.clock = clock;
    this.problems = new ArrayList<>(container.problems());
  }

  /**
   * Restores.
   *
   * @throws CheckpointUnavailableException if versions exist, but none can be restored
   * @throws org.cairn.dataset.DatasetMismatchException if a version does not fit what is protected
   */
  public RestartReport restart(RestartRequest request) throws IOException {
    checkNames(request);
    List<VersionInfo> candidates = candidates(request);
    if (candidates.isEmpty() && request.version().isEmpty()) {
      return RestartReport.nothingSaved(List.copyOf(problems));
    }
    for (VersionInfo version : candidates) {
      Optional<RestartReport> report = attempt(version, request);
      if (report.isPresent()) {
        return report.get();
      }
    }
    throw new CheckpointUnavailableException(
        request
                .version()
                .map(version -> "version " + version + " cannot be restored from ")
                .orElse("no version can be restored from ")
            + container.location(),
        problems);
  }

  private void checkNames(RestartRequest request) {
    for (String name : request.only()) {
      if (!datasets.containsKey(name)) {
        throw new IllegalArgumentException(
            "dataset \"%s\" is not protected; protected are %s".formatted(name, datasets.keySet()));
      }
    }
    for (String name : request.dropping()) {
      if (datasets.containsKey(name)) {
        throw new IllegalArgumentException(
            "dataset \"%s\" is to be dropped, but it is protected; do one of the two"
                .formatted(name));
      }
    }
  }

  private List<VersionInfo> candidates(RestartRequest request) {
    List<VersionInfo> all = container.versions();
    if (request.version().isEmpty()) {
      return all;
    }
    VersionName wanted = request.version().get();
    List<VersionInfo> matching = all.stream().filter(version -> wanted.fits(version.id())).toList();
    if (matching.isEmpty()) {
      problems.add("it is not there; retained are " + all.stream().map(VersionInfo::id).toList());
    }
    return matching;
  }

  private Optional<RestartReport> attempt(VersionInfo version, RestartRequest request)
      throws IOException {
    Attempt attempt = new Attempt(version, request);
    Optional<String> damage = attempt.examine();
    if (damage.isEmpty() && attempt.mayLeaveTraces()) {
      damage = attempt.verify();
    }
    if (damage.isEmpty()) {
      damage = attempt.fill();
    }
    if (damage.isPresent()) {
      lose(version, damage.get());
      return Optional.empty();
    }
    return attempt.unfit ? Optional.empty() : Optional.of(attempt.finish());
  }

  /**
   * An attempt to restore one version, step by step: for many ranks, that must all have come so far
   * before any of them goes on.
   */
  public final class Attempt {
    private final VersionInfo version;
    private final RestartRequest request;
    private final long start = clock.nanos();
    private @Nullable VersionView view;
    private List<Match> wanted = List.of();
    private List<String> defaulted = List.of();
    private boolean unfit;

    private Attempt(VersionInfo version, RestartRequest request) {
      this.version = version;
      this.request = request;
    }

    /**
     * Looks at the version without changing any memory.
     *
     * @return what is damaged, if anything is
     */
    public Optional<String> examine() throws IOException {
      VersionView loaded;
      try {
        loaded = container.view(version);
      } catch (CorruptContainerException e) {
        return Optional.of(String.valueOf(e.getMessage()));
      }
      view = loaded;
      Map<String, DatasetEntry> entries;
      try {
        entries = Match.byNameNow(loaded.datasets(), request.changes());
      } catch (DatasetMismatchException e) {
        unfit = doesNotFit(version, e);
        return Optional.empty();
      }
      wanted = wanted(entries, request);
      defaulted = defaulted(entries, request);
      unfit = !fits(version, wanted);
      return Optional.empty();
    }

    /**
     * Whether an older version of this container lacks something that filling would change: then
     * all must be {@linkplain #verify verified} before anything is filled.
     */
    public boolean mayLeaveTraces() throws IOException {
      return !unfit && Restarter.this.mayLeaveTraces(version, wanted, request.changes());
    }

    /**
     * Verifies all blocks without changing any memory.
     *
     * @return what is damaged, if anything is
     */
    public Optional<String> verify() throws IOException {
      VersionView loaded = view;
      return unfit || loaded == null
          ? Optional.empty()
          : firstOf(Restarter.this.verify(loaded, Match.entries(wanted)));
    }

    /**
     * Fills the datasets.
     *
     * @return what is damaged, if anything is
     */
    public Optional<String> fill() throws IOException {
      VersionView loaded = view;
      return unfit || loaded == null
          ? Optional.empty()
          : firstOf(Restarter.this.fill(loaded, wanted));
    }

    /** The datasets are whole: the next checkpoint continues from here. */
    public RestartReport finish() throws IOException {
      VersionView loaded = view;
      if (loaded == null) {
        throw new IllegalStateException("nothing was examined");
      }
      wanted.forEach(Match::filled);
      defaulted.forEach(
          name -> request.changes().defaultOf(name).orElseThrow().apply(dataset(name)));
      if (request.only().isEmpty()) {
        container.continueFrom(version);
      }
      return report(loaded, this);
    }

    private static Optional<String> firstOf(List<BlockScan.Damage> damages) {
      return damages.stream().findFirst().map(BlockScan.Damage::what);
    }
  }

  /** Begins to restore one version of the container. */
  public Attempt begin(VersionInfo version, RestartRequest request) {
    checkNames(request);
    return new Attempt(version, request);
  }

  /**
   * Restores datasets that were protected only after a version had been restored from this
   * container, and that it has.
   *
   * @throws DatasetMismatchException if one of them does not fit; nothing is changed
   * @throws CheckpointUnavailableException if one of them is damaged; its memory may hold a part
   */
  public void restoreLate(VersionId restored, Changes changes) throws IOException {
    VersionView view = container.view(continued(restored));
    List<Match> wanted =
        datasets.values().stream()
            .flatMap(dataset -> Match.find(view, dataset, changes).stream())
            .toList();
    wanted.forEach(Match::check);
    List<BlockScan.Damage> damages = fill(view, wanted);
    if (!damages.isEmpty()) {
      throw new CheckpointUnavailableException(
          "version %s cannot give %s any more; start again and protect it before restart(), which then looks elsewhere too"
              .formatted(restored, datasets.keySet()),
          damages.stream().map(BlockScan.Damage::what).toList());
    }
    wanted.forEach(Match::filledLate);
  }

  private VersionInfo continued(VersionId restored) throws IOException {
    return container
        .base()
        .filter(version -> version.id().equals(restored))
        .orElseThrow(
            () -> new IOException(container.location() + " does not go on from " + restored));
  }

  private void lose(VersionInfo version, String why) {
    problems.add("version " + version.id() + " is lost: " + why);
    newerLost = true;
  }

  /** Finds all mismatches before any allocator is called or any byte changed. */
  private boolean fits(VersionInfo version, List<Match> wanted) {
    try {
      wanted.forEach(Match::check);
      return true;
    } catch (DatasetMismatchException e) {
      return !doesNotFit(version, e);
    }
  }

  /** True, or thrown; that a newer version was lost must be told too. */
  private boolean doesNotFit(VersionInfo version, DatasetMismatchException e) {
    if (!newerLost) {
      throw e;
    }
    problems.add("version " + version.id() + " does not fit: " + e.getMessage());
    return true;
  }

  /**
   * Whether an older version lacks a dataset of this one. If this one then turned out damaged half
   * way, what it had already filled would stay beside the state of the older: a mixture. So it must
   * be verified before the first byte is changed.
   */
  private boolean mayLeaveTraces(VersionInfo version, List<Match> wanted, Changes changes)
      throws IOException {
    List<VersionInfo> all = container.versions();
    for (VersionInfo older : all.subList(all.indexOf(version) + 1, all.size())) {
      try {
        Set<String> names = new HashSet<>();
        container.datasetNames(older).forEach(saved -> names.add(changes.nameNow(saved)));
        if (!wanted.stream().allMatch(match -> names.contains(match.dataset().name()))) {
          return true;
        }
      } catch (CorruptContainerException e) {
        problems.add("version " + older.id() + " is lost: " + e.getMessage());
      }
    }
    return false;
  }

  private List<BlockScan.Damage> verify(VersionView view, List<DatasetEntry> wanted)
      throws IOException {
    return BlockScan.run(view, wanted, crew, BlockScan.Sink.NOTHING, true, done -> {});
  }

  private List<Match> wanted(Map<String, DatasetEntry> entries, RestartRequest request) {
    return entries.entrySet().stream()
        .filter(named -> isWanted(named.getKey(), request))
        .map(named -> Match.of(named.getValue(), dataset(named.getKey()), request.changes()))
        .toList();
  }

  private boolean isWanted(String name, RestartRequest request) {
    return datasets.containsKey(name)
        && (request.only().isEmpty() || request.only().contains(name));
  }

  /** The datasets that the version lacks and that have a default; one that cannot be is refused. */
  private List<String> defaulted(Map<String, DatasetEntry> entries, RestartRequest request) {
    List<String> names =
        request.changes().defaults().keySet().stream()
            .filter(name -> isWanted(name, request) && !entries.containsKey(name))
            .sorted()
            .toList();
    names.forEach(name -> request.changes().defaultOf(name).orElseThrow().check(dataset(name)));
    return names;
  }

  private Dataset dataset(String name) {
    Dataset dataset = datasets.get(name);
    if (dataset == null) {
      throw new AssertionError(name);
    }
    return dataset;
  }

  private List<BlockScan.Damage> fill(VersionView view, List<Match> wanted) throws IOException {
    // By identity: asked once a block, and entries are costly to compare.
    Map<DatasetEntry, MemorySegment> targets = new IdentityHashMap<>();
    try (Workspace aside = new Workspace()) {
      for (Match match : wanted) {
        targets.put(match.entry(), match.open(aside));
      }
      List<BlockScan.Damage> damages =
          BlockScan.run(view, Match.entries(wanted), crew, new Filler(targets), true, done -> {});
      if (damages.isEmpty()) {
        wanted.forEach(Match::convert);
      }
      return damages;
    }
  }

  /** Puts blocks where the program has its data. */
  private record Filler(Map<DatasetEntry, MemorySegment> targets) implements BlockScan.Sink {
    @Override
    public void block(DatasetEntry entry, int block, MemorySegment bytes) {
      MemorySegment target = targets.get(entry);
      if (target != null) {
        long offset = (long) block * entry.spec().blockSize();
        MemorySegment.copy(bytes, 0, target, offset, bytes.byteSize());
      }
    }

    @Override
    public void zeros(DatasetEntry entry, int first, int count) {
      MemorySegment target = targets.get(entry);
      if (target != null) {
        long from = (long) first * entry.spec().blockSize();
        long to = Math.min(from + (long) count * entry.spec().blockSize(), target.byteSize());
        target.asSlice(from, to - from).fill((byte) 0);
      }
    }
  }

  private RestartReport report(VersionView view, Attempt attempt) {
    Changes changes = attempt.request.changes();
    Set<String> inVersion = Match.byNameNow(view.datasets(), changes).keySet();
    List<String> changed = new ArrayList<>();
    attempt.wanted.forEach(match -> match.change().ifPresent(changed::add));
    attempt.defaulted.forEach(
        name ->
            changed.add(
                "\"%s\" was not saved, its default is %s"
                    .formatted(name, changes.defaultOf(name).orElseThrow())));
    List<String> absent =
        datasets.keySet().stream()
            .filter(name -> !inVersion.contains(name) && !attempt.defaulted.contains(name))
            .toList();
    List<String> ignored =
        inVersion.stream()
            .filter(name -> !datasets.containsKey(name))
            .filter(name -> !attempt.request.dropping().contains(name))
            .toList();
    return new RestartReport(
        Optional.of(view.info().id()),
        Optional.of(view.info().takenAt()),
        attempt.wanted.stream().map(match -> match.dataset().name()).toList(),
        List.copyOf(changed),
        absent,
        ignored,
        List.copyOf(problems),
        attempt.wanted.stream().mapToLong(match -> match.entry().spec().byteLength()).sum(),
        Duration.ofNanos(clock.nanos() - attempt.start),
        List.of());
  }
}
