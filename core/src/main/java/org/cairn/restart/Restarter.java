// SPDX-License-Identifier: Apache-2.0
package org.cairn.restart;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
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
    private List<DatasetEntry> wanted = List.of();
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
      wanted = wanted(loaded, request);
      unfit = !fits(version, wanted);
      return Optional.empty();
    }

    /**
     * Whether an older version of this container lacks something that filling would change: then
     * all must be {@linkplain #verify verified} before anything is filled.
     */
    public boolean mayLeaveTraces() throws IOException {
      return !unfit && Restarter.this.mayLeaveTraces(version, wanted);
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
          : firstOf(Restarter.this.verify(loaded, wanted));
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
      wanted.forEach(entry -> dataset(entry).filled(entry.spec()));
      if (request.only().isEmpty()) {
        container.continueFrom(version);
      }
      return report(loaded, wanted, request, clock.nanos() - start);
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
  public void restoreLate(VersionId restored) throws IOException {
    VersionView view = container.view(continued(restored));
    List<DatasetEntry> wanted =
        datasets.keySet().stream().map(view::find).flatMap(Optional::stream).toList();
    wanted.forEach(entry -> dataset(entry).check(entry.spec()));
    List<BlockScan.Damage> damages = fill(view, wanted);
    if (!damages.isEmpty()) {
      throw new CheckpointUnavailableException(
          "version %s cannot give %s any more; start again and protect it before restart(), which then looks elsewhere too"
              .formatted(restored, datasets.keySet()),
          damages.stream().map(BlockScan.Damage::what).toList());
    }
    wanted.forEach(entry -> dataset(entry).filledLate(entry.spec()));
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
  private boolean fits(VersionInfo version, List<DatasetEntry> wanted) {
    try {
      wanted.forEach(entry -> dataset(entry).check(entry.spec()));
      return true;
    } catch (DatasetMismatchException e) {
      if (!newerLost) {
        throw e;
      }
      // That a newer version was lost must be told too.
      problems.add("version " + version.id() + " does not fit: " + e.getMessage());
      return false;
    }
  }

  /**
   * Whether an older version lacks a dataset of this one. If this one then turned out damaged half
   * way, what it had already filled would stay beside the state of the older: a mixture. So it must
   * be verified before the first byte is changed.
   */
  private boolean mayLeaveTraces(VersionInfo version, List<DatasetEntry> wanted)
      throws IOException {
    List<VersionInfo> all = container.versions();
    for (VersionInfo older : all.subList(all.indexOf(version) + 1, all.size())) {
      try {
        Set<String> names = container.datasetNames(older);
        if (!wanted.stream().allMatch(entry -> names.contains(entry.name()))) {
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

  private List<DatasetEntry> wanted(VersionView view, RestartRequest request) {
    return view.datasets().stream()
        .filter(entry -> datasets.containsKey(entry.name()))
        .filter(entry -> request.only().isEmpty() || request.only().contains(entry.name()))
        .toList();
  }

  private Dataset dataset(DatasetEntry entry) {
    Dataset dataset = datasets.get(entry.name());
    if (dataset == null) {
      throw new AssertionError(entry.name());
    }
    return dataset;
  }

  private List<BlockScan.Damage> fill(VersionView view, List<DatasetEntry> wanted)
      throws IOException {
    // By identity: asked once a block, and entries are costly to compare.
    Map<DatasetEntry, MemorySegment> targets = new IdentityHashMap<>();
    for (DatasetEntry entry : wanted) {
      targets.put(entry, dataset(entry).target(entry.spec()));
    }
    return BlockScan.run(view, wanted, crew, new Filler(targets), true, done -> {});
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

  private RestartReport report(
      VersionView view, List<DatasetEntry> wanted, RestartRequest request, long nanos) {
    List<String> restored = wanted.stream().map(DatasetEntry::name).toList();
    List<String> absent =
        datasets.keySet().stream().filter(name -> view.find(name).isEmpty()).toList();
    List<String> ignored =
        view.datasets().stream()
            .map(DatasetEntry::name)
            .filter(name -> !datasets.containsKey(name) && !request.dropping().contains(name))
            .toList();
    return new RestartReport(
        Optional.of(view.info().id()),
        Optional.of(view.info().takenAt()),
        restored,
        absent,
        ignored,
        List.copyOf(problems),
        wanted.stream().mapToLong(entry -> entry.spec().byteLength()).sum(),
        Duration.ofNanos(nanos),
        List.of());
  }
}
