// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.Retention;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.store.RottingStore;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.VersionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A job that begins again goes on with its old container, unless that can be written on no more.
 */
@Timeout(120)
class NewContainerTest {
  private static final int STEP = 128;
  private static final String NAME = Checkpointer.containerName(0);

  private final MemoryStore disk = new MemoryStore();

  private void save(int versions) {
    double[] u = new double[100];
    try (Checkpointer cairn = Checkpointer.open(disk, Options.defaults().retain(2))) {
      cairn.protect("u", u);
      for (int i = 0; i < versions; i++) {
        u[i]++;
        cairn.checkpoint();
      }
    }
  }

  private static boolean canBeContinued(Store store) {
    return NewContainer.canBeContinued(0, store, NAME);
  }

  @Test
  void oneWithoutVersionsCan() throws IOException {
    TestRun.open(disk, NAME, 1).close();
    assertThat(canBeContinued(disk)).isTrue();
  }

  @Test
  void whatIsNoContainerCannotAndItIsSaid() throws IOException {
    try (StoreFile file = disk.open(NAME, Store.Access.CREATE)) {
      file.write(0, MemorySegment.ofArray(new byte[100_000]));
    }
    try (LogLines log = new LogLines(Job.class)) {
      assertThat(canBeContinued(disk)).isFalse();
      assertThat(log.with("rank 0 leaves ")).hasSize(1);
    }
  }

  /** Wherever the damage is, the answer is whether a version can be committed after it. */
  @Test
  void oneThatIsDamagedCanIfAVersionCanFollow() throws IOException {
    save(2);
    Set<Integer> readable = new TreeSet<>();
    for (long at = 0; at < size(); at += STEP) {
      RottingStore rotting = RottingStore.over(disk.copy());
      rotting.rot(NAME, at, STEP, RottingStore.Kind.FLIPPED);
      readable.add(readableVersions(rotting));
      assertThat(canBeContinued(rotting))
          .as("%d bytes at %d are bad", STEP, at)
          .isEqualTo(takesAVersion(rotting));
    }
    assertThat(readable).as("maps that were readable").containsExactly(0, 1, 2);
  }

  private long size() throws IOException {
    try (StoreFile file = disk.open(NAME, Store.Access.READ)) {
      return file.size();
    }
  }

  private static int readableVersions(Store store) throws IOException {
    int readable = 0;
    try (ContainerReader reader = ContainerReader.open(store, NAME)) {
      for (VersionInfo version : reader.versions()) {
        readable += isReadable(reader, version) ? 1 : 0;
      }
    }
    return readable;
  }

  private static boolean isReadable(ContainerReader reader, VersionInfo version) {
    try {
      reader.view(version.id());
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean takesAVersion(Store store) {
    try (Container container = Container.open(store, NAME, Retention.newest(2))) {
      container.begin(Instant.EPOCH).publish();
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
