// SPDX-License-Identifier: Apache-2.0
package org.cairn.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.cairn.CheckpointBuilder;
import org.cairn.Checkpointer;
import org.cairn.Dataset;
import org.cairn.ElementType;
import org.cairn.Options;
import org.cairn.container.ContainerReader;
import org.cairn.hash.WeakHash;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.Seeds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file that is too long, memory of a device that the host hashes, and steps. */
class DeviceInLongFileTest {
  private static final int BLOCK = 1024;
  private static final int BYTES = 200 * BLOCK;
  private final HostDevice device = HostDevice.ONLY;
  private final MemoryStore store = new MemoryStore();

  @AfterEach
  void reset() {
    device.reset();
  }

  @ParameterizedTest
  @ValueSource(ints = {20, 150, 400})
  void stepsOfWhichOneIsOnADevice(int hostBlocks) throws Exception {
    Random random = Seeds.content(1);
    byte[] content = new byte[BYTES];
    random.nextBytes(content);
    long pointer = device.allocate(BYTES).pointer();
    MemorySegment.copy(MemorySegment.ofArray(content), 0, device.at(pointer, BYTES), 0, BYTES);
    byte[][] big = {new byte[16 << 20]};
    random.nextBytes(big[0]);
    byte[] x = new byte[hostBlocks * BLOCK];
    random.nextBytes(x);
    Options options = Options.defaults().blockSize(BLOCK).threads(1).hash(WeakHash.CRC32C);
    int moved = 0;
    try (Checkpointer cairn = Checkpointer.open(store, options)) {
      cairn.protect("big", byte[].class, () -> big[0], n -> big[0] = new byte[(int) n]);
      Dataset d = cairn.protectDevice("d", pointer, BYTES, ElementType.BYTE);
      Dataset host = cairn.protect("x", x);
      cairn.checkpoint();
      random.nextBytes(big[0]);
      cairn.checkpoint();
      big[0] = new byte[8];
      for (int i = 0; i < 60; i++) {
        for (int k = 0; k < 5; k++) {
          x[random.nextInt(x.length)]++;
        }
        try (CheckpointBuilder checkpoint = cairn.begin()) {
          checkpoint.add(d);
          checkpoint.add(host);
          checkpoint.add(cairn.dataset("big"));
          moved += (int) checkpoint.commit().stats().orElseThrow().movedBlocks();
        }
        try (ContainerReader reader = ContainerReader.open(store, "rank0.cairn")) {
          // Or it has not the root digest that it says.
          reader.view(reader.versions().getFirst().id());
        }
      }
    }
    assertThat(moved).isPositive();
  }
}
