// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.cairn.CheckpointUnavailableException;
import org.cairn.store.Directories;

/** Checkpoints of a job with another number of ranks must not be taken for no checkpoints. */
final class OtherSizes {
  private OtherSizes() {}

  /**
   * For a program of one rank, whose state is not in a subdirectory: refuses if there are
   * subdirectories with the state of many.
   *
   * @param job the name of the job
   */
  static void refuse(Directories directories, String job) throws IOException {
    Set<Integer> sizes = FragmentScan.sizes(directories, job);
    if (!sizes.isEmpty()) {
      throw new CheckpointUnavailableException(
          message(directories.location(), sizes, 1), List.of());
    }
  }

  static String message(String location, Set<Integer> saved, int ranks) {
    return ("the checkpoints in %s were taken by %s ranks, and this job has %d;"
            + " start it with as many ranks, or give it another directory")
        .formatted(
            location,
            saved.stream().map(String::valueOf).collect(Collectors.joining(" or ")),
            ranks);
  }
}
