// SPDX-License-Identifier: Apache-2.0
package org.cairn.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.cairn.Checkpointer;
import org.cairn.container.BlockScan;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.store.Store;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.testkit.store.StoreOperation;
import org.cairn.testkit.store.StoreOperation.Kind;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;

/** Looks at containers from outside. */
final class Containers {
  static final String NAME = Checkpointer.containerName(0);

  /** What a torn superblock is reported as. */
  static final Pattern TORN = Pattern.compile("superblock .: its checksum does not hold");

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

  /** How far a commit came. */
  enum Publication {
    /** Its superblock has not been written: it cannot be found by anybody. */
    NOT_BEGUN,
    /** Its superblock may be on the disk, whole or torn. */
    BEGUN,
    /** Its superblock was forced. */
    ENDED
  }

  /** How far the only commit of a crashed store since {@code before} operations has come. */
  static Publication publication(CrashingStore store, long before) {
    List<StoreOperation> trace = store.trace();
    int at = Math.toIntExact(before);
    while (at < trace.size() && !isSuperblockWrite(trace.get(at))) {
      at++;
    }
    if (at == trace.size()) {
      return Publication.NOT_BEGUN;
    }
    if (at + 2 >= trace.size()) {
      return Publication.BEGUN;
    }
    assertThat(trace.get(at + 1)).matches(Containers::isForce);
    return Publication.ENDED;
  }

  /** Reads every block of every version and compares it with what was saved; newest first. */
  static List<VersionInfo> verify(Store store, Function<VersionId, Snapshot> states)
      throws IOException {
    try (ContainerReader reader = ContainerReader.open(store, NAME)) {
      // A write that failed or was cut short may have torn a superblock, and nothing else.
      assertThat(reader.problems()).hasSizeLessThanOrEqualTo(1).allMatch(TORN.asMatchPredicate());
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
    VersionSource.Sink compare =
        (dataset, block, bytes) -> compare(view, state, dataset, block, bytes);
    assertThat(BlockScan.run(view, view.datasets(), ALONE, compare, false, done -> {}))
        .as("damages of version %s", view.info().id())
        .isEmpty();
    for (DatasetEntry dataset : view.datasets()) {
      assertThat(dataset.spec().byteLength())
          .isEqualTo(state.content(dataset.name()).bytes().length);
    }
  }

  static void compare(
      VersionView view, Snapshot state, DatasetEntry dataset, int block, MemorySegment bytes) {
    MemorySegment saved = MemorySegment.ofArray(state.content(dataset.name()).bytes());
    long from = (long) block * dataset.spec().blockSize();
    assertThat(bytes.mismatch(saved.asSlice(from, bytes.byteSize())))
        .as("block %d of \"%s\" in version %s", block, dataset.name(), view.info().id())
        .isEqualTo(-1);
  }
}
