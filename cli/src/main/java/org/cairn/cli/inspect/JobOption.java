// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --job}, for commands that look at one life where there may be several. */
public final class JobOption {
  @Option(
      names = "--job",
      paramLabel = "ID",
      description = "Which job or life, by first digits of what cairn ls shows: 91c3aa02-5f0c91aa.")
  private @Nullable String id;

  /** What was asked for. */
  public @Nullable String id() {
    return id;
  }
}
