// SPDX-License-Identifier: Apache-2.0
package org.cairn.crash;

import java.io.IOException;
import java.util.Random;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Thorough;
import org.junit.jupiter.api.Tag;

/**
 * Random sequences of protect, change, grow, shrink, replace, unprotect, checkpoint, abort, failing
 * operations, crash, reopen, restart and close, against a map of names to bytes for each version.
 * After every step every block of every retained version is compared with the model.
 */
@Tag("slow")
@Tag("models")
@Thorough(times = 8)
class CheckpointModelTest {
  private static final int STEPS = 60;

  @SeededTest(seeds = 8)
  void behavesLikeAMapOfVersions(Random random) throws IOException {
    try (ModelRun run = new ModelRun(random)) {
      run.run(STEPS);
      run.calmDown();
    }
  }
}
