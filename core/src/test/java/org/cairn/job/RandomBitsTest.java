// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.Tiers;
import org.cairn.container.ContainerReader;
import org.cairn.store.Store;
import org.cairn.testkit.store.MemoryDirectories;
import org.cairn.tier.FileNames;
import org.junit.jupiter.api.Test;

/** What a simulation must control comes through a door: {@code Options.random}. */
class RandomBitsTest {
  private final MemoryDirectories directories = new MemoryDirectories();
  private final AtomicLong last = new AtomicLong(0x5eed_0000_0000L);
  private final Set<Long> drawn = ConcurrentHashMap.newKeySet();

  private long draw() {
    long bits = last.incrementAndGet();
    drawn.add(bits);
    return bits;
  }

  @Test
  void allContainersAreNamedFromOneSource() throws IOException {
    SmallJob job = new SmallJob(4, directories);
    job.options =
        rank -> SmallJob.OPTIONS.random(this::draw).tiers(Tiers.none().partner(1).erasure(1));
    job.steps(2);
    // One of the containers is made anew by a restart.
    directories.lose(2);
    assertThat(job.restoredStep()).isEqualTo(2);
    int containers = 0;
    for (String directory : directories.names()) {
      Store store = directories.open(directory);
      for (String name : store.list()) {
        if (FileNames.isContainer(name)) {
          containers++;
          try (ContainerReader reader = ContainerReader.open(store, name)) {
            UUID id = reader.id();
            assertThat(drawn)
                .as("%s/%s", directory, name)
                .contains(id.getMostSignificantBits(), id.getLeastSignificantBits());
          }
        }
      }
    }
    assertThat(containers).as("state, copy and parity of each rank").isEqualTo(12);
  }
}
