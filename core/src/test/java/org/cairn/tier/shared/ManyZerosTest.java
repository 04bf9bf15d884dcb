// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.cairn.container.Commit;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.HostileContainers;
import org.cairn.record.RecordReader;
import org.cairn.record.Specimen;
import org.cairn.store.DirectoryStore;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionHead;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An index of some 50 bytes that claims 2 PiB of zeros: looked through, and put into a container.
 */
class ManyZerosTest {
  private static final int BLOCKS = Integer.MAX_VALUE;

  @TempDir Path directory;

  private record Zeros(DatasetEntry dataset, int first, int count) {}

  /** What visits blocks: notes runs of zeros, and expects no others. */
  private record Noting(List<Zeros> runs) implements MemberState.Visitor {
    @Override
    public void block(DatasetEntry dataset, int block, BlockEntry entry) {
      throw new AssertionError("block " + block + " is not zero: " + entry);
    }

    @Override
    public void zeros(DatasetEntry dataset, int first, int count) {
      runs.add(new Zeros(dataset, first, count));
    }
  }

  @Test
  void takeOneStepAndLittleMemory() throws IOException {
    VersionHead head = head();
    long before = allocated();
    List<Zeros> runs = new ArrayList<>();
    new MemberState(head, index()).forEach(new Noting(runs));
    assertThat(runs).containsExactly(new Zeros(head.datasets().iterator().next(), 0, BLOCKS));
    try (Container container = TestRun.open(new MemoryStore(), "rank0.cairn", 2)) {
      Commit commit = container.begin(head.info().id(), head.info().takenAt());
      commit.copy(head.datasets(), head.info());
      for (Zeros run : runs) {
        commit.storeZeros(run.dataset, run.first, run.count);
      }
      assertThat(commit.publish().blocks()).isEqualTo(BLOCKS);
      assertThat(container.usage().fileBytes()).isLessThan(100_000);
      commit = container.begin(TestRun.id(9, 9, 1), head.info().takenAt());
      assertThat(commit.publish().blocks()).as("all released at once").isZero();
    }
    assertThat(allocated() - before).as("bytes allocated").isLessThan(8 << 20);
  }

  private static long allocated() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getCurrentThreadAllocatedBytes();
  }

  private VersionHead head() throws IOException {
    HostileContainers.write(
        directory.resolve("rank0.cairn"),
        Objects.requireNonNull(HostileContainers.all().get("2 PiB of zeros")));
    try (ContainerReader reader =
            ContainerReader.open(DirectoryStore.open(directory, false), "rank0.cairn");
        Arena arena = Arena.ofConfined()) {
      return VersionHead.read(
          VersionHead.write(reader.view(reader.versions().getFirst().id()), arena), "forged");
    }
  }

  /** As a file would have it. */
  private static MemberIndex index() throws IOException {
    byte[] record =
        Specimen.write(
            out -> {
              out.putInt(SegmentFormat.INDEX_TAG);
              long body = out.begin();
              out.putIntField(1, 0);
              out.putShort(2).putInt(0);
              out.putShort(3).putInt(0);
              out.putIntField(4, BLOCKS);
              long field = out.beginField(5);
              out.putByte(SegmentFormat.RUN_ZERO).putVarint(BLOCKS).putVarint(1 << 20);
              out.putLong(1).putLong(2).end(field);
              field = out.beginField(6);
              out.putLong(0).putLong(0).end(field);
              out.putLongField(7, 0).end(body);
            });
    return MemberIndex.read(RecordReader.of(record, "forged"));
  }
}
