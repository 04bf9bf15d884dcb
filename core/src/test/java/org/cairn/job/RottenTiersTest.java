// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.cairn.Scrubbing;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.container.BlockScan;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.store.MemoryDirectories;
import org.cairn.testkit.store.RottingStore;
import org.cairn.testkit.store.RottingStore.Kind;
import org.cairn.tier.FileNames;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Copies and parity rot, too; who has the bytes brings them again with the next version. */
@Timeout(180)
@Tag("slow")
class RottenTiersTest {
  private static final int RANKS = 3;

  private final MemoryDirectories directories = new MemoryDirectories();
  private final List<RottingStore> disks = new ArrayList<>();

  @BeforeEach
  void makeDisks() {
    for (int rank = 0; rank < RANKS; rank++) {
      disks.add(RottingStore.over(new MemoryStore()));
      directories.put("rank" + rank, disks.get(rank));
    }
  }

  private SmallJob job(Tiers tiers) {
    SmallJob job = new SmallJob(RANKS, directories);
    job.options =
        rank -> SmallJob.OPTIONS.tiers(tiers).scrub(Scrubbing.everyCheckpoints(1).atMost(1));
    return job;
  }

  private static List<String> events(Store store, String kind) throws IOException {
    try (StoreFile file = store.open("events.jsonl", Store.Access.READ);
        Arena arena = Arena.ofConfined()) {
      MemorySegment all = arena.allocate(file.size());
      file.read(0, all);
      return new String(all.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.contains("\"event\":\"" + kind + "\""))
          .toList();
    }
  }

  /** A step with a checkpoint that reaches the tier, and a round of scrubbing after it. */
  private void step(SmallJob.Rank rank, TierKind tier) throws Exception {
    RottingStore disk = disks.get(rank.number());
    int rounds = events(disk, "scrub").size();
    rank.advance();
    rank.cairn().checkpoint().await(tier);
    while (events(disk, "scrub").size() == rounds) {
      Thread.sleep(5); // one round is due with every checkpoint
    }
  }

  /** Rots a block that the newest version of a file has, one that changes as late as possible. */
  private static String rot(RottingStore disk, String file, String dataset) throws IOException {
    try (ContainerReader reader = ContainerReader.open(disk, file)) {
      VersionView view = reader.view(reader.versions().getFirst().id());
      DatasetEntry entry = view.find(dataset).orElseThrow();
      int step = (int) reader.versions().getFirst().id().sequence();
      int block = step % 8 + 8; // it was just written, and stays for eight steps
      while (view.isZero(entry, block % entry.blocks())) {
        block++;
      }
      block %= entry.blocks();
      disk.rot(file, view.place(entry, block).offset() + 1, 5, Kind.FLIPPED);
      return "block %d of".formatted(block);
    }
  }

  private static void checkSound(RottingStore disk, String file) throws IOException {
    try (ContainerReader reader = ContainerReader.open(disk, file);
        Workers workers = new Workers(1, "check")) {
      for (VersionInfo version : reader.versions()) {
        VersionView view = reader.view(version.id());
        VersionSource.Sink nowhere = (dataset, block, bytes) -> {};
        assertThat(BlockScan.run(view, view.datasets(), workers, nowhere, false, done -> {}))
            .isEmpty();
      }
    }
  }

  @Test
  void aBlockThatACopyLostIsAskedForAgain() throws IOException {
    RottingStore holder = disks.get(1);
    String[] bad = {""};
    SmallJob job = job(Tiers.none().partner(1));
    job.run(
        rank -> {
          step(rank, TierKind.PARTNER);
          step(rank, TierKind.PARTNER);
          if (rank.number() == 1) {
            bad[0] = rot(holder, FileNames.partner(0), "u");
          }
          for (int i = 0; i < 4; i++) {
            step(rank, TierKind.PARTNER);
          }
        });
    assertThat(job.failures).containsOnlyNulls();
    assertThat(events(holder, "scrubFound").toString()).contains(bad[0]);
    assertThat(events(holder, "scrubMended").toString()).contains(bad[0]);
    checkSound(holder, FileNames.partner(0));
    directories.lose(0);
    assertThat(job(Tiers.none().partner(1)).restoredStep()).isEqualTo(6);
  }

  @Test
  void aCopyWhoseMapIsLostIsTakenWhole() throws IOException {
    RottingStore holder = disks.get(1);
    SmallJob job = job(Tiers.none().partner(1));
    job.run(
        rank -> {
          step(rank, TierKind.PARTNER);
          step(rank, TierKind.PARTNER);
          if (rank.number() == 1) {
            rotTail(holder, FileNames.partner(0));
          }
          for (int i = 0; i < 4; i++) {
            step(rank, TierKind.PARTNER);
          }
        });
    assertThat(job.failures).containsOnlyNulls();
    assertThat(events(holder, "scrubFound").toString()).contains("map");
    checkSound(holder, FileNames.partner(0));
    directories.lose(0);
    assertThat(job(Tiers.none().partner(1)).restoredStep()).isEqualTo(6);
  }

  /** All that lies behind the last block: records. */
  private static void rotTail(RottingStore disk, String file) throws IOException {
    try (ContainerReader reader = ContainerReader.open(disk, file)) {
      VersionView view = reader.view(reader.versions().getFirst().id());
      long end = 0;
      for (DatasetEntry entry : view.datasets()) {
        for (int block = 0; block < entry.blocks(); block++) {
          VersionView.BlockPlace place = view.place(entry, block);
          end = Math.max(end, place.isZero() ? 0 : place.offset() + place.storedLength());
        }
      }
      disk.rot(file, end + 30, 1, Kind.FLIPPED);
    }
  }

  @Test
  void parityThatIsLostIsEncodedAnew() throws IOException {
    RottingStore holder = disks.get(1);
    SmallJob job = job(Tiers.none().erasure(1).group(3, 1));
    job.run(
        rank -> {
          step(rank, TierKind.ERASURE);
          step(rank, TierKind.ERASURE);
          if (rank.number() == 1) {
            rot(holder, FileNames.parity(1), "parity");
          }
          for (int i = 0; i < 4; i++) {
            step(rank, TierKind.ERASURE);
          }
        });
    assertThat(job.failures).containsOnlyNulls();
    assertThat(events(holder, "scrubFound").toString()).contains("parity");
    checkSound(holder, FileNames.parity(1));
    directories.lose(2);
    assertThat(job(Tiers.none().erasure(1).group(3, 1)).restoredStep()).isEqualTo(6);
  }
}
