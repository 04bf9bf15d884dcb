// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.cairn.testkit.store.BaseStoreTest;
import org.junit.jupiter.api.Test;

class MemoryStoreTest extends BaseStoreTest {

  @Override
  protected Store newStore() {
    return new MemoryStore();
  }

  @Test
  void aCopyIsIndependent() throws IOException {
    MemoryStore original = new MemoryStore();
    put(original, "a", "before");
    MemoryStore copy = original.copy();
    put(original, "a", "after");
    put(copy, "b", "only here");
    assertThat(get(copy, "a")).isEqualTo("before");
    assertThat(original.list()).containsExactly("a");
  }

  @Test
  void aCopyHasNoLocks() throws IOException {
    MemoryStore original = new MemoryStore();
    try (StoreLock held = original.lock("lock");
        StoreLock copied = original.copy().lock("lock")) {
      assertThat(held.isHeld()).isTrue();
      assertThat(copied.isHeld()).isTrue();
    }
  }
}
