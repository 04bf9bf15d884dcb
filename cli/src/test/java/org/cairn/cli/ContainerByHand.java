// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.container.Container;
import org.cairn.container.Retention;
import org.cairn.store.DirectoryStore;
import org.cairn.version.JobId;
import org.cairn.version.Lineage;
import org.cairn.version.Ownership;
import org.cairn.version.RunId;
import org.cairn.version.RunInfo;

/** A container that a test fills block by block, with what no program could protect. */
public final class ContainerByHand {
  private ContainerByHand() {}

  /** Creates the container of a single rank in a directory. */
  public static Container open(Path directory) throws IOException {
    return Container.open(
        DirectoryStore.open(directory, true),
        "rank0.cairn",
        Retention.newest(2),
        new Ownership(lineage(), Ownership.STATE, 0, 1),
        new AtomicLong(1)::getAndIncrement);
  }

  private static Lineage lineage() {
    RunInfo run =
        RunInfo.of(
            new RunId(1), Instant.EPOCH, 1, Optional.empty(), false, List.of(), Optional.empty());
    return Lineage.beginning(new JobId(1, 2), "", run);
  }
}
