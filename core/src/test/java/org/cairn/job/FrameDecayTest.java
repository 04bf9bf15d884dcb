// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.cairn.Checkpointer;
import org.cairn.Compression;
import org.cairn.Options;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.random.Thorough;
import org.cairn.testkit.store.CountingStore;
import org.cairn.testkit.store.MemoryDirectories;
import org.cairn.tier.shared.Manifest;
import org.cairn.tier.shared.SegmentReader;
import org.cairn.tier.shared.SegmentSource;
import org.cairn.tier.shared.SharedDirectory;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionId;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * After many flushes of few random blocks frames are half full at least: a restart reads at most
 * twice, and the directory holds at most two and a half times what is needed. Data are noise, so
 * that a frame is as large as what is in it.
 */
@Thorough
class FrameDecayTest {
  private static final int RANKS = 2;
  private static final int BLOCK = 4096;
  private static final int BLOCKS = 256;
  private static final int CHANGED = 8; // 3 %
  private static final int FLUSHES = Boolean.getBoolean(Thorough.PROPERTY) ? 1000 : 60;

  private final MemoryStore shared = new MemoryStore();

  /** Large variables are framed by each rank, small ones together. */
  @ParameterizedTest
  @ValueSource(ints = {64 << 10, 4 << 20})
  void framesStayHalfFull(int frame) {
    MemoryDirectories directories = new MemoryDirectories();
    Tiers tiers =
        Tiers.none()
            .shared(shared, 1)
            .sharedGroup(RANKS)
            .compression(Compression.fast())
            .frame(frame);
    Options options = Options.defaults().blockSize(BLOCK).threads(1).tiers(tiers);
    Ranks.run(
        RANKS,
        rank -> "node" + rank,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(directories, comm, options)) {
            byte[] state = new byte[BLOCKS * BLOCK];
            Random random = Seeds.content(comm.rank());
            random.nextBytes(state);
            cairn.protect("state", state);
            cairn.restart();
            for (int i = 1; i <= FLUSHES; i++) {
              change(state, random);
              cairn.checkpoint().await(TierKind.SHARED);
              if (i % 50 == 0) {
                measure(comm, i);
              }
            }
          }
        });
  }

  private static void change(byte[] state, Random random) {
    for (int i = 0; i < CHANGED; i++) {
      byte[] block = new byte[BLOCK];
      random.nextBytes(block);
      System.arraycopy(block, 0, state, random.nextInt(BLOCKS) * BLOCK, BLOCK);
    }
  }

  private void measure(Communicator comm, int flushes) throws IOException {
    comm.barrier();
    if (comm.rank() == 0) {
      long live = (long) RANKS * BLOCKS * BLOCK;
      assertThat(stored()).as("bytes stored after %d flushes", flushes).isLessThan(live * 5 / 2);
      VersionId newest = new SharedDirectory(shared).list().versions().getFirst().version();
      assertThat(readOf(newest)).as("bytes read after %d flushes", flushes).isLessThan(2 * live);
    }
    comm.barrier();
  }

  private long stored() throws IOException {
    long bytes = 0;
    for (String name : shared.list()) {
      try (StoreFile file = shared.open(name, Store.Access.READ)) {
        bytes += file.size();
      }
    }
    return bytes;
  }

  /** All ranks of the group are read at once. */
  private long readOf(VersionId version) throws IOException {
    CountingStore counting = new CountingStore(shared);
    Manifest manifest = new SharedDirectory(shared).find(version);
    List<SegmentSource.Wanted> wanted = new ArrayList<>();
    try (SegmentReader segment = SegmentReader.open(counting, manifest.groupOf(0).segment());
        Workers workers = new Workers(1, "reader")) {
      Map<Integer, SegmentSource> all =
          SegmentSource.openAll(counting, segment, (rank, e) -> fail("rank " + rank, e));
      for (SegmentSource source : all.values()) {
        List<VersionSource.Range> ranges =
            source.datasets().stream()
                .map(one -> new VersionSource.Range(one, 0, one.spec().byteLength()))
                .toList();
        wanted.add(new SegmentSource.Wanted(source, ranges, new Ignore()));
      }
      assertThat(SegmentSource.scan(wanted, workers, _ -> {})).isEmpty();
      wanted.getFirst().source().close();
    }
    return counting.bytesRead();
  }

  private static final class Ignore implements VersionSource.Sink {
    @Override
    public void block(DatasetEntry dataset, int block, MemorySegment bytes) {}

    @Override
    public void zeros(DatasetEntry dataset, int first, int count) {}
  }
}
