// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.schedule.Simulation;
import org.cairn.testkit.schedule.Trace;
import org.junit.jupiter.api.Test;

/** A simulation may change threads at every tile. */
class TilesTest {
  @Test
  void tilesAreSteps() throws Exception {
    Trace trace =
        new Simulation(1)
            .run(
                () -> {
                  try (Checkpointer cairn =
                      Checkpointer.open(new MemoryStore(), Options.defaults())) {
                    cairn.protect("u", new double[100_000]);
                    cairn.checkpoint();
                  }
                });
    assertThat(trace.lines().stream().filter(line -> line.endsWith(" tile")))
        .as("800 kB in tiles of 256 KiB")
        .hasSize(4);
  }
}
