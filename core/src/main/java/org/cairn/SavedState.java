// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.util.List;
import java.util.function.LongConsumer;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionId;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;

/** What one rank saved in a version, see {@link Checkpoints}. */
public final class SavedState {
  private static final int NAMED = 20;

  private final SavedFiles files;
  private final VersionId version;
  private final int rank;
  private final List<DatasetEntry> entries;

  SavedState(SavedFiles files, VersionId version, int rank, List<DatasetEntry> entries) {
    this.files = files;
    this.version = version;
    this.rank = rank;
    this.entries = entries;
  }

  /** Whose state it is. */
  public int rank() {
    return rank;
  }

  /** Where it lies. */
  public String location() {
    return files.location(version, rank);
  }

  /** The name of the job; empty if it has none. */
  String job() {
    return files.jobName(version, rank);
  }

  /** What is said of the datasets. */
  List<DatasetEntry> entries() {
    return entries;
  }

  /** The datasets. */
  public List<SavedDataset> datasets() {
    return entries.stream().map(entry -> new SavedDataset(this, entry)).toList();
  }

  /**
   * A dataset; nothing of it is read yet.
   *
   * @throws IllegalArgumentException if there is none of this name
   */
  public SavedDataset read(String name) {
    return entries.stream()
        .filter(entry -> entry.name().equals(name))
        .findFirst()
        .map(entry -> new SavedDataset(this, entry))
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "version %s has no dataset \"%s\"; it has %s"
                        .formatted(version, name, known())));
  }

  private String known() {
    List<String> names = entries.stream().limit(NAMED).map(DatasetEntry::name).toList();
    int more = entries.size() - names.size();
    return names + (more > 0 ? " and " + more + " more" : "");
  }

  /** Reads blocks of a dataset, each verified; fails if the sink does. */
  void scan(VersionSource.Range wanted, int threads, VersionSource.Sink sink, LongConsumer progress)
      throws IOException {
    VersionSource source = source();
    VersionSource.Range there =
        new VersionSource.Range(current(wanted.dataset(), source), wanted.from(), wanted.to());
    try (Workers workers = new Workers(threads, "cairn-reader")) {
      List<VersionSource.Damage> damages = source.scan(List.of(there), workers, sink, progress);
      if (!damages.isEmpty()) {
        throw unreadable(damages.getFirst().what());
      }
    }
  }

  /** Opens it, as reading does, to be told now what is wrong with its map. */
  void open() throws IOException {
    files.open(version, rank);
  }

  private VersionSource source() {
    try {
      return files.open(version, rank);
    } catch (IOException | IllegalArgumentException e) {
      throw unreadable(String.valueOf(e.getMessage()));
    }
  }

  /** The file may have been closed since, and be another one now. */
  private DatasetEntry current(DatasetEntry entry, VersionSource source) {
    return source
        .find(entry.name())
        .filter(found -> found.spec().equals(entry.spec()))
        .orElseThrow(
            () ->
                unreadable(
                    "dataset \"%s\" in %s is not what it was".formatted(entry.name(), location())));
  }

  /** A program that runs meanwhile may give the version up: its blocks are gone, not damaged. */
  CheckpointUnavailableException unreadable(String what) {
    String name = "version " + version;
    try {
      if (!files.isRetained(version, rank)) {
        return new CheckpointUnavailableException(
            name
                + " was dropped by the program that writes "
                + location()
                + "; try again, or let the program retain more versions",
            List.of());
      }
    } catch (IOException e) {
      // Then it is damaged indeed.
    }
    return new CheckpointUnavailableException(name + " cannot be read", List.of(what));
  }
}
