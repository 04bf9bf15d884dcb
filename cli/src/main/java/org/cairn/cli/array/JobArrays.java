// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.array;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.cairn.CheckpointUnavailableException;
import org.cairn.Checkpoints;
import org.cairn.SavedArray;
import org.cairn.SavedVersion;
import org.cairn.VersionName;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.terminal.Printable;
import org.jspecify.annotations.Nullable;

/** The arrays of one version of a directory, of which every rank is there. */
public final class JobArrays implements AutoCloseable {
  private final Checkpoints saved;
  private final SavedVersion version;
  private final List<SavedArray> all;

  private JobArrays(Checkpoints saved, SavedVersion version) {
    this.saved = saved;
    this.version = version;
    this.all = version.arrays();
  }

  /**
   * Opens what a person means.
   *
   * @param job null for the only one there is
   * @param name null for the newest version
   * @return empty if there is no more than the state of one rank of several
   * @throws CommandFailedException if several could be meant
   * @throws CheckpointUnavailableException if states of ranks are missing
   */
  public static Optional<JobArrays> open(
      Path path, @Nullable String job, @Nullable VersionName name) {
    Checkpoints saved = Checkpoints.open(path);
    try {
      Checkpoints chosen = job == null ? saved : saved.job(job);
      return Optional.of(
          new JobArrays(saved, name == null ? chosen.newest() : chosen.version(name.toString())));
    } catch (CheckpointUnavailableException e) {
      boolean many = saved.versions().stream().anyMatch(one -> one.ranksHere().size() > 1);
      saved.close();
      if (many) {
        throw e;
      }
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      saved.close();
      throw CommandFailedException.ambiguous(String.valueOf(e.getMessage()));
    } catch (RuntimeException | Error e) {
      saved.close();
      throw e;
    }
  }

  /** The version. */
  public SavedVersion version() {
    return version;
  }

  /** All arrays. */
  public List<SavedArray> all() {
    return all;
  }

  /**
   * An array.
   *
   * @throws CommandFailedException if there is none of this name
   */
  public SavedArray array(String name) {
    return all.stream()
        .filter(array -> array.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new CommandFailedException(
                    "ranks of version %s have no array %s together; they have %s"
                        .formatted(version.id(), Printable.name(name), names())));
  }

  /** Their names, for messages. */
  public String names() {
    return all.isEmpty()
        ? "none"
        : String.join(", ", all.stream().map(one -> Printable.name(one.name())).toList());
  }

  @Override
  public void close() {
    saved.close();
  }
}
