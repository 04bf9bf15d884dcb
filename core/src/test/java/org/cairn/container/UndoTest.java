// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.cairn.HashAlgorithm;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.store.ForwardingStore;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.JobId;
import org.cairn.version.Lineage;
import org.cairn.version.RunId;
import org.cairn.version.RunInfo;
import org.junit.jupiter.api.Test;

/** A commit is given up while memory runs out: what others make durable afterwards stays. */
class UndoTest {
  private static final String NAME = "a.cairn";

  /** Once there is no memory to cut a file. */
  private static final class Scarce extends ForwardingStore {
    private final AtomicBoolean full;

    Scarce(Store store, AtomicBoolean full) {
      super(store);
      this.full = full;
    }

    @Override
    public StoreFile open(String name, Access access) throws IOException {
      return new ForwardingFile(super.open(name, access)) {
        @Override
        public void truncate(long size) throws IOException {
          if (full.getAndSet(false)) {
            throw new OutOfMemoryError("no memory to cut a file");
          }
          super.truncate(size);
        }
      };
    }
  }

  private static Lineage another() {
    RunInfo run =
        RunInfo.of(
            new RunId(77), Instant.EPOCH, 1, Optional.empty(), false, List.of(), Optional.empty());
    return Lineage.beginning(new JobId(1, 2), "", run);
  }

  @Test
  void whatWasMadeDurableAfterACommitThatCouldNotBeUndoneStays() throws IOException {
    MemoryStore store = new MemoryStore();
    AtomicBoolean full = new AtomicBoolean();
    SmallState state = new SmallState();
    byte[] bytes = new byte[8 << 20];
    Seeds.content(1).nextBytes(bytes);
    SmallState.Content content =
        new SmallState.Content(new byte[1 << 20], 16384, HashAlgorithm.XXH3_128);
    try (Container container = TestRun.open(new Scarce(store, full), NAME, 2)) {
      state.datasets.put("a", content.withBytes(Arrays.copyOf(bytes, 64 << 10)));
      state.commit(container, TestRun.id(1, 1, 1));
      SmallState larger = new SmallState();
      larger.datasets.put("a", content.withBytes(Arrays.copyOfRange(bytes, 1 << 20, 4 << 20)));
      // Beyond what the file keeps as its tail.
      Commit commit = larger.begin(container, TestRun.id(1, 2, 1));
      full.set(true);
      assertThatThrownBy(commit::abort).isInstanceOf(OutOfMemoryError.class);
      Lineage next = another();
      assertThat(container.enter(next)).isTrue();
      container.begin(TestRun.id(1, 3, 1), Instant.EPOCH);
      // It dies here.
    }
    try (Container again = TestRun.open(store, NAME, 2)) {
      assertThat(again.problems()).isEmpty();
      assertThat(again.ownership().lineage()).isEqualTo(another());
      assertThat(SmallState.read(again.view(again.versions().getFirst()))).isEqualTo(state);
    }
  }
}
