// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --rank}, for commands that look at one container of a job of many ranks. */
public final class RankOption {
  @Option(
      names = "--rank",
      paramLabel = "R",
      description = "The rank to look at, where DIR is that of a job of many.")
  private @Nullable Integer rank;

  /** The rank that was asked for. */
  @Nullable Integer rank() {
    return rank;
  }

  /** The container that a path and this option name. */
  public ContainerPath containerOf(Path path) throws IOException {
    return ContainerPath.one(path, rank);
  }
}
