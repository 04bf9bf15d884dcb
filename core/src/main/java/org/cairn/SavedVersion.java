// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.SortedSet;
import org.cairn.version.VersionId;

/** A version that can be read, see {@link Checkpoints}. */
public final class SavedVersion {
  private final SavedFiles files;
  private final VersionId id;
  private final Instant takenAt;

  SavedVersion(SavedFiles files, VersionId id, Instant takenAt) {
    this.files = files;
    this.id = id;
    this.takenAt = takenAt;
  }

  /** Its identity. */
  public VersionId id() {
    return id;
  }

  /** When the checkpoint was taken. */
  public Instant takenAt() {
    return takenAt;
  }

  /** What was said of it when it was taken. */
  public Label label() {
    return files.label(id);
  }

  /** How many ranks the job had. */
  public int ranks() {
    return id.ranks();
  }

  /** The ranks whose state is here. */
  public SortedSet<Integer> ranksHere() {
    return files.ranks(id);
  }

  /** Whether the state of every rank is here. */
  public boolean isComplete() {
    return ranksHere().size() == ranks();
  }

  /**
   * The state of a rank.
   *
   * @throws CheckpointUnavailableException if it is not here, or its map is damaged
   */
  public SavedState rank(int rank) {
    if (rank < 0 || rank >= ranks()) {
      throw new IllegalArgumentException(
          "version %s has no rank %d; it has ranks 0 to %d".formatted(id, rank, ranks() - 1));
    }
    SavedState state = described(rank);
    try {
      state.open();
      return state;
    } catch (IOException | IllegalArgumentException e) {
      throw unreadable(rank, e);
    }
  }

  /** The state of a rank, of which no more is known yet than what its datasets are. */
  SavedState described(int rank) {
    if (!files.has(id, rank)) {
      throw new CheckpointUnavailableException(
          "the state of rank %d of version %s is not in %s".formatted(rank, id, files.location()),
          files.problems());
    }
    try {
      return new SavedState(files, id, rank, files.datasets(id, rank));
    } catch (IOException | IllegalArgumentException e) {
      throw unreadable(rank, e);
    }
  }

  private CheckpointUnavailableException unreadable(int rank, Exception why) {
    return new CheckpointUnavailableException(
        "the state of rank %d of version %s cannot be read".formatted(rank, id),
        List.of(String.valueOf(why.getMessage())));
  }

  /**
   * An array that ranks had together: in parts, or as items of a bag. Of items of more than one
   * element the last axis are the elements. Where there is one rank, any dataset of up to four
   * axes.
   *
   * @param name that of the array, or of a dataset of a bag
   * @throws CheckpointUnavailableException if the state of a rank is not here
   * @throws IllegalArgumentException if ranks had nothing of this name together
   */
  public SavedArray array(String name) {
    return SavedArrays.of(this).array(name);
  }

  /** The arrays that ranks had together. */
  public List<SavedArray> arrays() {
    return SavedArrays.of(this).all();
  }

  /** The state of the only rank there is. */
  private SavedState only() {
    SortedSet<Integer> here = ranksHere();
    if (ranks() > 1 && here.size() != 1) {
      throw new IllegalArgumentException(
          "version %s has the states of %d ranks; say whose: rank(0).read(…)"
              .formatted(id, ranks()));
    }
    return rank(here.isEmpty() ? 0 : here.first());
  }

  /** The datasets, where there is one rank. */
  public List<SavedDataset> datasets() {
    return only().datasets();
  }

  /**
   * A dataset, where there is one rank; {@link #rank} gives those of many.
   *
   * @throws IllegalArgumentException if the version has none of this name
   */
  public SavedDataset read(String name) {
    return only().read(name);
  }

  @Override
  public String toString() {
    String here = isComplete() ? "" : ", of which " + ranksHere() + " are here";
    String said = label().isNone() ? "" : ", " + label();
    return "version %s, taken %s by %d ranks%s%s"
        .formatted(id.exact(), takenAt, ranks(), here, said);
  }
}
