// SPDX-License-Identifier: Apache-2.0
package org.cairn.restart;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.cairn.Changes;
import org.cairn.CheckpointUnavailableException;
import org.cairn.Dataset;
import org.cairn.DatasetMismatchException;
import org.cairn.RestartRequest;
import org.cairn.redivision.Redivision;
import org.cairn.supply.Workspace;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;

/**
 * What a restart fills: the protected datasets, by name. Which version it is filled from, and what
 * is done if that turns out damaged, others decide.
 */
public final class RestartTarget {
  private final Map<String, Dataset> datasets;
  private final Workers crew;

  /**
   * Datasets to be filled.
   *
   * @param crew who reads and verifies
   */
  public RestartTarget(Map<String, Dataset> datasets, Workers crew) {
    this.datasets = datasets;
    this.crew = crew;
  }

  /**
   * Begins to restore a version: finds what does not fit before any allocator is called or any byte
   * changed.
   *
   * @throws DatasetMismatchException if a dataset does not fit
   * @throws IllegalArgumentException if the request does not fit what is protected
   */
  public Attempt begin(VersionSource source, RestartRequest request) {
    checkNames(request);
    return new Attempt(this, source, request);
  }

  private void checkNames(RestartRequest request) {
    for (String name : request.only().orElse(Set.of())) {
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

  /**
   * Fills datasets that were protected only after the version had been restored, and that it has.
   *
   * @throws DatasetMismatchException if one of them does not fit; nothing is changed
   * @throws CheckpointUnavailableException if one of them is damaged; its memory may hold a part
   */
  public void fillLate(VersionSource restored, Changes changes) throws IOException {
    List<Match> wanted =
        datasets.values().stream()
            .flatMap(dataset -> Match.find(restored, dataset, changes).stream())
            .toList();
    wanted.forEach(Match::check);
    wanted.forEach(Match::refuseGhosts);
    List<VersionSource.Damage> damages = fill(restored, wanted);
    if (!damages.isEmpty()) {
      throw new CheckpointUnavailableException(
          "version %s cannot give %s any more; start again and protect it before restart(), which then looks elsewhere too"
              .formatted(restored.info().id(), datasets.keySet()),
          damages.stream().map(VersionSource.Damage::what).toList());
    }
    wanted.forEach(match -> match.filledLate(restored.info()));
  }

  /** What of it others have to do with, on as many ranks as saved it. */
  public Redividing redividing(Redivision redivision, Attempt attempt, RestartRequest request) {
    return new Redividing(redivision, this, attempt.divided(), request);
  }

  /**
   * All of it, on another number of ranks.
   *
   * @throws IllegalArgumentException if the request does not fit what is protected
   */
  public Redividing redividing(Redivision redivision, RestartRequest request) {
    checkNames(request);
    List<Dataset> wanted =
        datasets.values().stream().filter(one -> request.wants(one.name())).toList();
    return new Redividing(redivision, this, wanted, request);
  }

  /** Who reads and verifies. */
  public Workers crew() {
    return crew;
  }

  /** Verifies all that a member of a version saved, without changing any memory. */
  public Optional<String> verify(VersionSource source) throws IOException {
    return verify(source, source.datasets()).stream().findFirst().map(VersionSource.Damage::what);
  }

  /** The datasets by name. */
  Map<String, Dataset> datasets() {
    return datasets;
  }

  Dataset dataset(String name) {
    Dataset dataset = datasets.get(name);
    if (dataset == null) {
      throw new AssertionError(name);
    }
    return dataset;
  }

  /** Verifies all blocks of datasets without changing any memory. */
  List<VersionSource.Damage> verify(VersionSource source, Collection<DatasetEntry> wanted)
      throws IOException {
    return source.scan(
        wanted.stream().map(VersionSource.Range::all).toList(),
        crew,
        VersionSource.Sink.NOTHING,
        done -> {});
  }

  /** Fills datasets; those that are converted only if nothing is damaged. */
  List<VersionSource.Damage> fill(VersionSource source, List<Match> wanted) throws IOException {
    // By identity: asked once a block, and entries are costly to compare.
    Map<DatasetEntry, Filling> begun = new IdentityHashMap<>();
    try (Workspace aside = new Workspace()) {
      wanted.forEach(match -> begun.put(match.entry(), Filling.of(match, aside)));
      List<VersionSource.Damage> damages = scan(source, wanted, new Filler(begun));
      if (damages.isEmpty()) {
        begun.values().forEach(Filling::complete);
      }
      return damages;
    } finally {
      begun.values().forEach(Filling::close);
    }
  }

  private List<VersionSource.Damage> scan(
      VersionSource source, List<Match> wanted, VersionSource.Sink sink) throws IOException {
    List<VersionSource.Range> all =
        wanted.stream().map(match -> VersionSource.Range.all(match.entry())).toList();
    return source.scan(all, crew, sink, done -> {});
  }

  /** Puts blocks where the program has its data. */
  private record Filler(Map<DatasetEntry, Filling> targets) implements VersionSource.Sink {
    @Override
    public void block(DatasetEntry entry, int block, MemorySegment bytes) {
      Filling target = targets.get(entry);
      if (target != null) {
        target.block(entry, block, bytes);
      }
    }

    @Override
    public void blocks(DatasetEntry entry, int first, int count, MemorySegment bytes)
        throws IOException {
      Filling target = targets.get(entry);
      if (target != null && target.takesMany()) {
        target.block(entry, first, bytes);
      } else {
        VersionSource.Sink.super.blocks(entry, first, count, bytes);
      }
    }

    @Override
    public void zeros(DatasetEntry entry, int first, int count) {
      Filling target = targets.get(entry);
      if (target != null) {
        target.zeros(entry, first, count);
      }
    }
  }
}
