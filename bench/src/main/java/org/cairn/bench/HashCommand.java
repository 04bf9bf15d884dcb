// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.util.concurrent.Callable;
import org.cairn.bench.hash.HashBandwidth;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code cairn bench hash}. */
@Command(
    name = "hash",
    description = "Measures how fast blocks are hashed, against a plain sum of the same memory.",
    footer = {
      "",
      "Examples:",
      "  cairn bench hash                               all algorithms, on one and two threads",
      "  cairn bench hash --threads 2 --rounds 31 --algorithms xxh3-128,crc32c",
      "",
      "cairn hash rates measures by size of blocks, and says what follows for the storage."
    })
final class HashCommand implements Callable<Integer> {
  @Option(
      names = "--threads",
      paramLabel = "N,...",
      defaultValue = "1,2",
      description = "Numbers of threads to measure with (default: ${DEFAULT-VALUE}).")
  private String threads = "1,2";

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "15",
      description = "How often each is measured (default: ${DEFAULT-VALUE}).")
  private int rounds = 15;

  @Option(
      names = "--algorithms",
      paramLabel = "NAME,...",
      defaultValue = "",
      description = "Which to measure (default: all).")
  private String algorithms = "";

  @Override
  public Integer call() throws InterruptedException {
    String[] arguments =
        algorithms.isEmpty()
            ? new String[] {threads, String.valueOf(rounds)}
            : new String[] {threads, String.valueOf(rounds), algorithms};
    HashBandwidth.main(arguments);
    return 0;
  }
}
