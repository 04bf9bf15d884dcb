// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.NonWritableChannelException;
import org.cairn.testkit.store.BaseStoreTest;
import org.junit.jupiter.api.Test;

class VolatileStoreTest extends BaseStoreTest {
  private final MemoryStore disk = new MemoryStore();

  private static boolean isContainer(String name) {
    return name.endsWith(".cairn");
  }

  @Override
  protected Store newStore() throws IOException {
    return new VolatileStore(disk, VolatileStoreTest::isContainer);
  }

  @Test
  void containersAreInMemoryUntilTheyAreSaved() throws IOException {
    VolatileStore store = new VolatileStore(disk, VolatileStoreTest::isContainer);
    put(store, "rank0.cairn", "state");
    put(store, "events.jsonl", "events");
    assertThat(disk.list()).containsExactly("events.jsonl");

    store.save();

    assertThat(get(disk, "rank0.cairn")).isEqualTo("state");
    assertThat(get(new VolatileStore(disk, VolatileStoreTest::isContainer), "rank0.cairn"))
        .isEqualTo("state");
  }

  @Test
  void whatWasDeletedIsNotThereAfterSaving() throws IOException {
    put(disk, "rank0.cairn", "old");
    put(disk, "rank1.partner.cairn", "copy");
    VolatileStore store = new VolatileStore(disk, VolatileStoreTest::isContainer);
    assertThat(store.list()).containsExactly("rank0.cairn", "rank1.partner.cairn");
    store.delete("rank1.partner.cairn");
    assertThat(disk.exists("rank1.partner.cairn")).isTrue();

    store.save();

    assertThat(disk.list()).containsExactly("rank0.cairn");
  }

  @Test
  void nothingChangesAfterSaving() throws IOException {
    VolatileStore store = new VolatileStore(disk, VolatileStoreTest::isContainer);
    try (StoreFile file = store.open("rank0.cairn", Store.Access.CREATE)) {
      file.write(0, bytes("one"));
      store.save();
      assertThatThrownBy(() -> file.write(0, bytes("two")))
          .isInstanceOf(NonWritableChannelException.class);
    }
    assertThat(get(disk, "rank0.cairn")).isEqualTo("one");
  }

  @Test
  void aFileMayLeaveMemory() throws IOException {
    VolatileStore store = new VolatileStore(disk, VolatileStoreTest::isContainer);
    put(store, "rank0.cairn", "state");

    store.rename("rank0.cairn", "rank0.cairn.damaged1");

    assertThat(store.list()).containsExactly("rank0.cairn.damaged1");
    assertThat(get(disk, "rank0.cairn.damaged1")).isEqualTo("state");
  }
}
