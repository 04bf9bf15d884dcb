// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.cairn.restart.CheckpointUnavailableException;
import org.cairn.store.Directories;

/** Checkpoints of a job with another number of ranks must not be taken for no checkpoints. */
public final class OtherSizes {
  private OtherSizes() {}

  /**
   * For a program of one rank, whose state is not in a subdirectory: refuses if there are
   * subdirectories with the state of many.
   */
  public static void refuse(Directories directories) throws IOException {
    Set<Integer> sizes = FragmentScan.sizes(directories);
    if (!sizes.isEmpty()) {
      throw refusal(directories.location(), sizes, 1, List.of());
    }
  }

  static CheckpointUnavailableException refusal(
      String location, Set<Integer> saved, int ranks, List<String> answers) {
    return new CheckpointUnavailableException(
        ("the checkpoints in %s were taken by %s ranks, and this job has %d;"
                + " start it with as many ranks, or give it another directory")
            .formatted(
                location,
                saved.stream().map(String::valueOf).collect(Collectors.joining(" or ")),
                ranks),
        answers);
  }
}
