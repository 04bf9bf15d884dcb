// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.store.ForwardingStore;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who opens a container while a program writes to it does not take what is replaced for damage. */
class ReaderBesideWriterTest {
  private static final int READS = 6;
  private static final int CHECKPOINTS = 8;

  /** Lets something happen before one of the reads of a file. */
  private static final class Interrupted extends ForwardingStore {
    private final Runnable meanwhile;
    private int left;

    Interrupted(Store store, int reads, Runnable meanwhile) {
      super(store);
      this.left = reads;
      this.meanwhile = meanwhile;
    }

    @Override
    public StoreFile open(String name, Access access) throws IOException {
      return new ForwardingFile(super.open(name, access)) {
        @Override
        public long read(long position, MemorySegment target) throws IOException {
          if (left-- == 0) {
            meanwhile.run();
          }
          return super.read(position, target);
        }
      };
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void whatAWriterReplacesMeanwhileIsNoDamage(int before) throws IOException {
    for (int meanwhile = 1; meanwhile <= CHECKPOINTS; meanwhile++) {
      for (int read = 2; read < READS; read++) {
        interrupt(before, meanwhile, read);
      }
    }
  }

  private static void interrupt(int before, int meanwhile, int read) throws IOException {
    MemoryStore store = new MemoryStore();
    try (Checkpointer cairn = Checkpointer.open(store, Options.defaults().blockSize(512))) {
      double[] u = new double[1 << 14];
      cairn.protect("u", u);
      take(cairn, u, before);
      Store interrupted = new Interrupted(store, read, () -> take(cairn, u, meanwhile));
      try (ContainerReader reader =
          ContainerReader.open(interrupted, Checkpointer.containerName(0))) {
        assertThat(reader.problems())
            .as("%d checkpoints before read %d", meanwhile, read)
            .isEmpty();
      }
    }
  }

  private static void take(Checkpointer cairn, double[] u, int checkpoints) {
    for (int i = 0; i < checkpoints; i++) {
      for (int k = 0; k < 8; k++) {
        u[(i * 997 + k * 4001) % u.length]++;
      }
      cairn.checkpoint();
    }
  }
}
