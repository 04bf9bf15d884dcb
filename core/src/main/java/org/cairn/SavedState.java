// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.util.List;
import java.util.function.LongConsumer;
import org.cairn.container.ContainerReader;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;

/** What one rank saved in a version, see {@link Checkpoints}. */
public final class SavedState {
  private static final int NAMED = 20;

  private final ContainerReader reader;
  private final VersionSource source;
  private final int rank;

  SavedState(ContainerReader reader, VersionSource source, int rank) {
    this.reader = reader;
    this.source = source;
    this.rank = rank;
  }

  /** Whose state it is. */
  public int rank() {
    return rank;
  }

  /** Where it lies. */
  public String location() {
    return reader.location();
  }

  /** What is said of the datasets. */
  List<DatasetEntry> entries() {
    return List.copyOf(source.datasets());
  }

  /** The datasets. */
  public List<SavedDataset> datasets() {
    return source.datasets().stream().map(entry -> new SavedDataset(this, entry)).toList();
  }

  /**
   * A dataset; nothing of it is read yet.
   *
   * @throws IllegalArgumentException if there is none of this name
   */
  public SavedDataset read(String name) {
    return source
        .find(name)
        .map(entry -> new SavedDataset(this, entry))
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "version %s has no dataset \"%s\"; it has %s"
                        .formatted(source.info().id(), name, known())));
  }

  private String known() {
    List<String> names = source.datasets().stream().limit(NAMED).map(DatasetEntry::name).toList();
    int more = source.datasets().size() - names.size();
    return names + (more > 0 ? " and " + more + " more" : "");
  }

  /** Reads blocks of a dataset, each verified; fails if the sink does. */
  void scan(VersionSource.Range wanted, int threads, VersionSource.Sink sink, LongConsumer progress)
      throws IOException {
    try (Workers workers = new Workers(threads, "cairn-reader")) {
      List<VersionSource.Damage> damages = source.scan(List.of(wanted), workers, sink, progress);
      if (!damages.isEmpty()) {
        throw unreadable(damages.getFirst().what());
      }
    }
  }

  /** A program that runs meanwhile may give the version up: its blocks are gone, not damaged. */
  CheckpointUnavailableException unreadable(String what) {
    String version = "version " + source.info().id();
    try {
      if (!reader.isRetained(source.info().id())) {
        return new CheckpointUnavailableException(
            version
                + " was dropped by the program that writes "
                + location()
                + "; try again, or let the program retain more versions",
            List.of());
      }
    } catch (IOException e) {
      // Then it is damaged indeed.
    }
    return new CheckpointUnavailableException(version + " cannot be read", List.of(what));
  }
}
