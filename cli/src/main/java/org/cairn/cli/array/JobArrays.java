// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.array;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import org.cairn.CheckpointUnavailableException;
import org.cairn.SavedArray;
import org.cairn.SavedVersion;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.terminal.Printable;

/** The arrays of one version of a directory, of which every rank is there. */
public final class JobArrays implements AutoCloseable {
  private final Closing files;
  private final Supplier<List<String>> detours;
  private final SavedVersion version;
  private final List<SavedArray> all;

  /** Closes what was opened. */
  @FunctionalInterface
  public interface Closing {
    /** Closes it. */
    void close() throws IOException;
  }

  private JobArrays(SavedVersion version, Supplier<List<String>> detours, Closing files) {
    this.files = files;
    this.detours = detours;
    this.version = version;
    this.all = version.arrays();
  }

  /**
   * Those of a version.
   *
   * @param detours what was damaged and read from elsewhere
   * @param files closed with it
   * @throws CheckpointUnavailableException if states of ranks are missing
   */
  public static JobArrays of(SavedVersion version, Supplier<List<String>> detours, Closing files) {
    return new JobArrays(version, detours, files);
  }

  /** What was damaged where it was to be read, and where it was read instead, so far. */
  public List<String> detours() {
    return detours.get();
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
  public void close() throws IOException {
    files.close();
  }
}
