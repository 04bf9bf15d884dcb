// SPDX-License-Identifier: Apache-2.0
package org.cairn.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.io.TempDir;

/** The kernels, as plain functions made of the same source, give the digests that Java gives. */
class TwinTest {
  private static final Path SOURCE = Path.of("src/main/cuda/cairn.cu");

  @TempDir Path directory;

  @SeededTest(seeds = 1)
  void digestsAndCopiesAreThoseOfJava(Random random) throws IOException {
    Path library = directory.resolve("twin.so");
    Optional<String> problem = Twin.compile(SOURCE, library);
    assumeTrue(problem.isEmpty(), () -> "the twin of the kernels is not tested: " + problem);
    try (Arena arena = Arena.ofShared()) {
      KernelChecks checks = new KernelChecks(arena, random);
      Twin twin = new Twin(library, arena, checks.bytes());
      checks.everyLength(twin, 4096, 5);
      checks.everyBlockSize(twin, 2);
      checks.gathers(twin, 4);
      assertThat(checks.compared()).isGreaterThan(50_000);
    }
  }
}
