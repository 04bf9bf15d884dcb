// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.cairn.CheckpointUnavailableException;
import org.cairn.Checkpoints;
import org.cairn.SavedVersion;
import org.cairn.VersionName;
import org.cairn.cli.array.JobArrays;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.Folder;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.Terminal;
import org.jspecify.annotations.Nullable;

/** The arrays of one version of a directory, of whatever tier the states of its ranks are. */
public final class WholeArrays {
  private final Path path;
  private final @Nullable Path shared;
  private final @Nullable String job;
  private final @Nullable VersionName name;

  private WholeArrays(
      Path path, @Nullable Path shared, @Nullable String job, @Nullable VersionName name) {
    this.path = path;
    this.shared = shared;
    this.job = job;
    this.name = name;
  }

  /**
   * Opens what a person means.
   *
   * @param shared the shared directory that belongs to it; null to look at none
   * @param job null for the only one there is
   * @param name null for the newest version
   * @return empty if there is no more than the state of one rank of several
   * @throws CommandFailedException if several could be meant
   * @throws CheckpointUnavailableException if states of ranks are missing
   */
  public static Optional<JobArrays> open(
      Path path, @Nullable Path shared, @Nullable String job, @Nullable VersionName name)
      throws IOException {
    return new WholeArrays(path, shared, job, name).open();
  }

  /** Files as a program may read them, and the shared directory that belongs to them if any. */
  static Checkpoints checkpoints(Path path, @Nullable Path shared) throws IOException {
    return shared == null || SharedPlace.isOne(path)
        ? Checkpoints.open(path)
        : Checkpoints.open(path, shared);
  }

  /** Says what was damaged and read from elsewhere. */
  public static void tell(String command, List<String> detours, Terminal terminal) {
    detours.forEach(
        one -> terminal.remark("cairn %s: %s".formatted(command, Printable.oneLine(one))));
    if (!detours.isEmpty()) {
      terminal.remark(
          "cairn %s: what is read has the digests that were saved; cairn scrub heals the files"
              .formatted(command));
    }
  }

  private Optional<JobArrays> open() throws IOException {
    Checkpoints saved = checkpoints(path, shared);
    try {
      Checkpoints chosen = job == null ? saved : saved.job(job);
      SavedVersion version = name == null ? chosen.newest() : chosen.version(name.toString());
      if (name == null && isPassed(chosen, version)) {
        Optional<JobArrays> newer = newerThan(version);
        if (newer.isPresent()) {
          saved.close();
          return newer;
        }
      }
      return Optional.of(JobArrays.of(version, saved::detours, saved::close));
    } catch (CheckpointUnavailableException e) {
      List<SavedVersion> versions = saved.versions();
      boolean many = versions.stream().anyMatch(one -> one.ranks() > 1);
      boolean here = versions.stream().anyMatch(one -> one.ranksHere().size() > 1);
      saved.close();
      Optional<JobArrays> whole = many ? decoded() : Optional.empty();
      if (whole.isEmpty() && name != null && !versions.isEmpty()) {
        // Throws if there is none of this name, which says more than that it cannot be had.
        StateOption.find(path, name, versions.stream().map(SavedVersion::id).toList());
      }
      if (whole.isEmpty() && here && many) {
        throw e;
      }
      return whole;
    } catch (IllegalArgumentException e) {
      saved.close();
      throw CommandFailedException.ambiguous(String.valueOf(e.getMessage()));
    } catch (IOException | RuntimeException | Error e) {
      saved.close();
      throw e;
    }
  }

  /** Whether there is something of a newer version: parity may have the rest. */
  private static boolean isPassed(Checkpoints chosen, SavedVersion newest) {
    return chosen.versions().stream()
        .filter(one -> one.id().job().equals(newest.id().job()))
        .max(Comparator.comparing(SavedVersion::id))
        .filter(one -> one.id().compareTo(newest.id()) > 0)
        .isPresent();
  }

  private Optional<JobArrays> newerThan(SavedVersion version) throws IOException {
    Optional<JobArrays> whole = decoded();
    if (whole.isPresent() && whole.get().version().id().compareTo(version.id()) <= 0) {
      whole.get().close();
      return Optional.empty();
    }
    return whole;
  }

  /** With what only parity has; empty if that does not help either. */
  private Optional<JobArrays> decoded() throws IOException {
    Path room = Files.createTempDirectory("cairn");
    boolean kept = false;
    try {
      WholeVersion whole = WholeVersion.open(path, shared, job, name, room);
      JobArrays arrays =
          JobArrays.of(
              whole.version(),
              whole::detours,
              () -> {
                whole.close();
                Folder.delete(room);
              });
      kept = true;
      return Optional.of(arrays);
    } catch (CommandFailedException | CheckpointUnavailableException e) {
      return Optional.empty(); // what is missing is known from before
    } finally {
      if (!kept) {
        Folder.delete(room);
      }
    }
  }
}
