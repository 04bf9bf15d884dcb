// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.cairn.Codec;
import org.cairn.ElementType;
import org.cairn.HashAlgorithm;
import org.cairn.cli.Cli;
import org.cairn.cli.ContainerByHand;
import org.cairn.container.Commit;
import org.cairn.container.Container;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A file of some kilobytes that claims two petabytes of zeros: every command ends. */
@Timeout(300)
class ManyZerosTest {
  private static final int BLOCK = 1 << 20;
  private static final int MOST = Integer.MAX_VALUE - 1;

  @TempDir Path directory;

  private void write(int before, int after) throws IOException {
    try (Container container = ContainerByHand.open(directory)) {
      for (int blocks : new int[] {before, after}) {
        Commit commit = container.begin(Instant.EPOCH);
        DatasetEntry entry = commit.plan(spec(blocks)).entry();
        commit.storeZeros(entry, 0, blocks);
        commit.publish();
      }
    }
    assertThat(Files.size(directory.resolve("rank0.cairn"))).isLessThan(100_000);
  }

  private static DatasetSpec spec(int blocks) {
    long bytes = (long) blocks * BLOCK - 5;
    return new DatasetSpec(
        "u", ElementType.BYTE, List.of(bytes), bytes, BLOCK, HashAlgorithm.XXH3_128, Codec.NONE);
  }

  @Test
  void verifyShowAndDiffEnd() throws IOException {
    write(MOST - 3, MOST);
    assertThat(Cli.run("verify", directory).exitCode()).isZero();
    assertThat(Cli.run("show", directory).out()).contains("2,147,483,646");
    Cli.Result diff = Cli.run("diff", directory, "1.1", "1.2");
    assertThat(diff.exitCode()).isLessThanOrEqualTo(1);
    assertThat(diff.out()).contains("2147483642-2147483645");
  }

  @Test
  void exportMakesAFileOfHoles() throws IOException {
    int blocks = 1 << 16;
    write(blocks, blocks);
    Path file = directory.resolve("u.bin");
    Cli.Result result = Cli.run("export", directory, "--dataset", "u", "--file", file);
    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(Files.size(file)).isGreaterThanOrEqualTo((long) blocks * BLOCK - 5);
  }
}
