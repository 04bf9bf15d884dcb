// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.store.DirectoryStore;
import org.cairn.testkit.store.RecordingStore;
import org.cairn.testkit.store.StoreOperation;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What it takes to open, count and verify a file is in proportion to the file, not to what it
 * claims: bytes read, bytes allocated and steps are counted, no clock is asked.
 */
class HostileWorkTest {
  private static final String NAME = "rank0.cairn";

  /** A reader, its buffers and tables, whatever the file. */
  private static final long FIXED_BYTES = 16 << 20;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "honest",
        "72 KB of misaligned runs of zeros",
        "1 MB of misaligned runs of zeros",
        "2 PiB of zeros",
        "2 PiB of zeros in every second slot run",
        "4000 versions of 2 PiB of zeros",
        "32 TiB of zeros"
      })
  void isInProportionToTheFile(String what) throws IOException {
    Path path = directory.resolve(NAME);
    HostileContainers.write(path, Objects.requireNonNull(HostileContainers.all().get(what)));
    long length = Files.size(path);
    RecordingStore store = new RecordingStore(DirectoryStore.open(directory, true));
    long before = allocated();
    AtomicLong steps = new AtomicLong();
    try (ContainerReader reader = ContainerReader.open(store, NAME)) {
      VersionView view = reader.view(reader.versions().getFirst().id());
      verify(view, steps);
      reader.liveBytes();
    }
    TestRun.open(store, NAME, 2).close();
    assertThat(allocated() - before).as("bytes allocated").isLessThan(FIXED_BYTES + 200 * length);
    assertThat(store.bytes(StoreOperation.Kind.READ)).as("bytes read").isLessThan(10 * length);
    assertThat(steps.get()).as("steps").isLessThan(2_100 + length / 16);
  }

  private static long allocated() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getCurrentThreadAllocatedBytes();
  }

  private static void verify(VersionView view, AtomicLong steps) throws IOException {
    VersionSource.Sink counting =
        new VersionSource.Sink() {
          @Override
          public void block(DatasetEntry dataset, int block, MemorySegment bytes) {
            steps.incrementAndGet();
          }

          @Override
          public void zeros(DatasetEntry dataset, int first, int count) {
            steps.incrementAndGet();
          }
        };
    try (Workers workers = new Workers(1, "verify")) {
      assertThat(BlockScan.run(view, view.datasets(), workers, counting, false, done -> {}))
          .isEmpty();
    }
  }
}
