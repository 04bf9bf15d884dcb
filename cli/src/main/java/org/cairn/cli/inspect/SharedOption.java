// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --shared}, for commands that look at a whole job. */
public final class SharedOption {
  @Option(
      names = "--shared",
      paramLabel = "DIR",
      description = "The shared directory of a job, to look at what was flushed there.")
  private @Nullable Path directory;

  /** What was asked for. */
  public @Nullable Path directory() {
    return directory;
  }

  /** All that lies in a directory, and in the shared one if there is one. */
  Inventory inventory(Path path) throws IOException {
    return Inventory.of(path, directory);
  }
}
