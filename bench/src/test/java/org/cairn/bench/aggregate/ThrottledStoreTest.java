// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.store.BaseStoreTest;
import org.junit.jupiter.api.Test;

class ThrottledStoreTest extends BaseStoreTest {
  private static final double FAST = 1e12;

  @Override
  protected Store newStore() {
    return new ThrottledStore(new MemoryStore(), FAST);
  }

  /** Never sooner; how much later is up to the machine. */
  @Test
  void bytesTakeAtLeastTheirTimeBothWaysAndOneAfterTheOther() throws IOException {
    Store slow = new ThrottledStore(new MemoryStore(), 1e6);
    long start = System.nanoTime();
    try (StoreFile one = slow.open("one", Store.Access.CREATE);
        StoreFile other = slow.open("other", Store.Access.CREATE)) {
      one.write(0, buffer(10_000));
      other.write(0, buffer(10_000));
      assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(20_000_000);
      one.read(0, buffer(10_000));
      assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(30_000_000);
    }
  }
}
