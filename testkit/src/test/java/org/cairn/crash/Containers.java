// SPDX-License-Identifier: Apache-2.0
package org.cairn.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;
import org.cairn.Checkpointer;
import org.cairn.container.BlockScan;
import org.cairn.container.ContainerReader;
import org.cairn.container.DatasetEntry;
import org.cairn.container.VersionId;
import org.cairn.container.VersionInfo;
import org.cairn.container.VersionView;
import org.cairn.store.Store;
import org.cairn.testkit.store.StoreOperation;
import org.cairn.testkit.store.StoreOperation.Kind;
import org.cairn.work.Workers;

/** Looks at containers from outside. */
final class Containers {
  static final String NAME = Checkpointer.containerName(0);

  private static final long FIRST_EXTENT = 8192;
  private static final Workers ALONE = new Workers(1, "verify");

  private Containers() {}

  static boolean isSuperblockWrite(StoreOperation operation) {
    return operation.kind() == Kind.WRITE
        && operation.name().equals(NAME)
        && operation.position() < FIRST_EXTENT;
  }

  static boolean isForce(StoreOperation operation) {
    return operation.kind() == Kind.FORCE && operation.name().equals(NAME);
  }

  /** Reads every block of every version and compares it with what was saved; newest first. */
  static List<VersionInfo> verify(Store store, Function<VersionId, Snapshot> states)
      throws IOException {
    try (ContainerReader reader = ContainerReader.open(store, NAME)) {
      assertThat(reader.problems()).isEmpty();
      for (VersionInfo version : reader.versions()) {
        verify(reader.view(version.id()), states.apply(version.id()));
      }
      return reader.versions();
    }
  }

  private static void verify(VersionView view, Snapshot state) throws IOException {
    TreeSet<String> names = new TreeSet<>();
    view.datasets().forEach(dataset -> names.add(dataset.name()));
    assertThat(names).as("datasets of version %s", view.info().id()).isEqualTo(state.names());
    BlockScan.Sink compare = (dataset, block, bytes) -> compare(view, state, dataset, block, bytes);
    assertThat(BlockScan.run(view, view.datasets(), ALONE, compare, false, done -> {}))
        .as("damages of version %s", view.info().id())
        .isEmpty();
    for (DatasetEntry dataset : view.datasets()) {
      assertThat(dataset.spec().byteLength())
          .isEqualTo(state.content(dataset.name()).bytes().length);
    }
  }

  private static void compare(
      VersionView view, Snapshot state, DatasetEntry dataset, int block, MemorySegment bytes) {
    MemorySegment saved = MemorySegment.ofArray(state.content(dataset.name()).bytes());
    long from = (long) block * dataset.spec().blockSize();
    assertThat(bytes.mismatch(saved.asSlice(from, bytes.byteSize())))
        .as("block %d of \"%s\" in version %s", block, dataset.name(), view.info().id())
        .isEqualTo(-1);
  }
}
