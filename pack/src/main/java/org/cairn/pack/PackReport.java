// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.util.List;
import java.util.Optional;
import org.cairn.frame.Choice;
import org.cairn.pack.locate.Hints;

/**
 * What became of files that were packed.
 *
 * @param bytes how many they have
 * @param stored how many the pack has; of a version of a directory, what was added
 * @param frames how many frames it has
 * @param shared how many bytes of files were not stored, because the version before or an earlier
 *     file has the same
 * @param version which one it is; empty if the pack is a file of its own
 * @param choices what was found best for the classes, and why
 * @param notes what was not understood in files
 */
public record PackReport(
    int files,
    long bytes,
    long stored,
    int frames,
    long shared,
    Optional<PackDirectory.Version> version,
    List<Choice> choices,
    List<FileNote> notes) {
  /** Takes copies. */
  public PackReport {
    choices = List.copyOf(choices);
    notes = List.copyOf(notes);
  }

  /** Something in a file that was not understood. */
  public record FileNote(PackName file, Hints.Note note) {}

  PackReport of(PackDirectory.Version made) {
    return new PackReport(files, bytes, stored, frames, shared, Optional.of(made), choices, notes);
  }

  /** How many times smaller the pack is. */
  public double ratio() {
    return (double) bytes / Math.max(1, stored);
  }
}
