// SPDX-License-Identifier: Apache-2.0
package org.cairn.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.cairn.CheckpointBuilder;
import org.cairn.Checkpointer;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.RestartReport;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.junit.jupiter.api.Test;

/** A version that turns out damaged must leave no trace in what an older one restores. */
class FallbackTest {
  private static final String FILE = Checkpointer.containerName(0);
  private final MemoryStore store = new MemoryStore();

  /** Version 1.1 has u alone, 1.2 has step too, and another u. */
  private void saveTwoVersions() {
    try (Checkpointer cairn = Checkpointer.open(store, Options.defaults().blockSize(1024))) {
      double[] u = new double[1000];
      Arrays.fill(u, 1);
      cairn.protect("u", u);
      cairn.checkpoint();
      Arrays.fill(u, 2);
      cairn.protect("step", 42L);
      cairn.checkpoint();
    }
  }

  /** Spoils the last block of u in the newest version. */
  private void damageNewest() throws IOException {
    long place;
    try (ContainerReader reader = ContainerReader.open(store, FILE)) {
      VersionView view = reader.view(reader.versions().getFirst().id());
      var u = view.find("u").orElseThrow();
      place = view.place(u, u.blocks() - 1).offset();
    }
    try (StoreFile file = store.open(FILE, Store.Access.WRITE)) {
      file.write(place + 3, MemorySegment.ofArray(new byte[] {99}));
    }
  }

  @Test
  void whatTheOlderVersionLacksKeepsTheValueOfTheProgram() throws IOException {
    saveTwoVersions();
    damageNewest();
    try (Checkpointer cairn = Checkpointer.open(store, Options.defaults())) {
      LongCell step = cairn.protect("step", 777L);
      double[] u = new double[1000];
      cairn.protect("u", u);
      RestartReport report = cairn.restart();
      assertThat(report.version().orElseThrow()).hasToString("1.1");
      assertThat(report.absent()).containsExactly("step");
      assertThat(report.problems()).anyMatch(problem -> problem.contains("version 1.2 is lost"));
      assertThat(step.get()).as("not 42, which only the lost version had").isEqualTo(777);
      assertThat(u).containsOnly(1);
    }
  }

  @Test
  void aMismatchBehindALostVersionTellsBoth() throws IOException {
    saveTwoVersions();
    damageNewest();
    try (Checkpointer cairn = Checkpointer.open(store, Options.defaults())) {
      cairn.protect("step", 0L);
      cairn.protect("u", new double[999]);
      assertThatThrownBy(cairn::restart)
          .isInstanceOf(RuntimeException.class)
          .hasMessageContaining("double[1000]")
          .hasMessageContaining("double[999]");
    }
  }

  @Test
  void whatCouldNotBeLookedAtIsNotTakenForSaved() {
    double[][] array = {new double[3]};
    try (Checkpointer cairn = Checkpointer.open(store, Options.defaults())) {
      cairn.protect("u", double[].class, () -> array[0], n -> array[0] = new double[(int) n]);
      try (CheckpointBuilder checkpoint = cairn.begin()) {
        array[0] = null;
        assertThatThrownBy(() -> checkpoint.add("u")).hasMessageContaining("\"u\"");
        array[0] = new double[] {1, 2, 3};
        checkpoint.commit();
      }
    }
    try (Checkpointer cairn = Checkpointer.open(store, Options.defaults())) {
      array[0] = new double[0];
      cairn.protect("u", double[].class, () -> array[0], n -> array[0] = new double[(int) n]);
      cairn.restart();
      assertThat(array[0]).containsExactly(1, 2, 3);
    }
  }
}
