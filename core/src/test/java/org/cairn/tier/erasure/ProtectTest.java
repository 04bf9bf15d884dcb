// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.comm.Killed;
import org.cairn.testkit.comm.LossyCommunicator;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.CountingStore;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.testkit.version.TestRun;
import org.cairn.tier.Deltas;
import org.cairn.tier.FileNames;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What keeping parity costs, and what it does when something goes wrong. */
@Tag("slow")
class ProtectTest {
  private static final int BLOCK = 16 << 10;

  private static byte[] noise(int bytes, long seed) {
    byte[] noise = new byte[bytes];
    new Random(seed).nextBytes(noise);
    return noise;
  }

  private static Team team(int size, int parity, int bytes) {
    Team team = new Team(size, parity);
    team.members.forEach(member -> member.put("field", noise(bytes, member.rank), BLOCK));
    return team;
  }

  private static void dirty(Member member, int blocks, Random random) {
    byte[] field = member.state.values().iterator().next().bytes();
    for (int i = 0; i < blocks; i++) {
      field[random.nextInt(field.length / BLOCK) * BLOCK + random.nextInt(BLOCK)]++;
    }
  }

  @SeededTest(seeds = 1)
  void onlyWhatChangedTravels(Random random) throws IOException {
    int parity = 2;
    Team team = team(8, parity, 8 << 20);
    long[] first = team.protect(team.checkpoint());
    team.members.forEach(member -> dirty(member, 15, random));
    VersionId id = team.checkpoint();
    long[] sent = new long[8];
    long[] metered = new long[8];
    Ranks.run(
        8,
        ranks -> {
          LossyCommunicator lossy = new LossyCommunicator(ranks, 1);
          team.with(
              lossy,
              (tier, member, same) -> {
                sent[member.rank] = tier.protect(id, Deltas.UNKNOWN);
                metered[member.rank] = lossy.meter().bytes();
              });
        });
    for (Member member : team.members) {
      long dirty = member.dirtyBytes;
      long maps = (long) parity * 512 * 17 * 3 / 100 + 30_000;
      assertThat(dirty).isBetween(10L * BLOCK, 15L * BLOCK);
      assertThat(metered[member.rank]).isLessThanOrEqualTo(parity * dirty * 11 / 10 + maps);
      assertThat(sent[member.rank]).isLessThanOrEqualTo(metered[member.rank]);
      assertThat(first[member.rank]).isGreaterThan(parity * (8L << 20));
    }
    team.stable = id;
    assertThat(Arrays.stream(team.protect(id)).max().orElse(0)).isLessThan(20_000);
  }

  @SeededTest(seeds = 1)
  void theFileStaysBounded(long seed) throws IOException {
    Team team = team(4, 2, 1 << 20);
    int updates = 80;
    team.all(
        (tier, member, ranks) -> {
          Random random = new Random(seed + member.rank);
          for (int i = 1; i <= updates; i++) {
            VersionId id = TestRun.id(1, i, 4);
            member.checkpoint(id);
            ranks.barrier();
            tier.protect(id, Deltas.UNKNOWN);
            ranks.barrier();
            tier.nowStable(id);
            dirty(member, 4, random);
            if (i % 20 == 0) {
              assertBounded(member);
            }
          }
        });
    BitSet lost = BitSet.valueOf(new long[] {0b0101});
    team.without(lost).rebuild(TestRun.id(1, updates, 4), lost);
  }

  /** Twice what is live, and a region of 64 KiB for each of the 32 records of the map's log. */
  private static void assertBounded(Member member) throws IOException {
    try (ContainerReader reader =
        ContainerReader.open(member.store, FileNames.parity(member.rank))) {
      assertThat(reader.liveBytes()).isBetween(1L << 20, 2L << 20);
      assertThat(reader.fileBytes()).isLessThan(2 * reader.liveBytes() + 32 * (64L << 10));
    }
  }

  /** Destroys all stored blocks of a dataset of a version. */
  static void damage(Store store, String file, VersionId id, String name) throws IOException {
    try (ContainerReader reader = ContainerReader.open(store, file)) {
      VersionView view = reader.view(id);
      DatasetEntry dataset = view.find(name).orElseThrow();
      try (StoreFile bytes = store.open(file, Store.Access.WRITE)) {
        for (int block = 0; block < dataset.blocks(); block++) {
          VersionView.BlockPlace place = view.place(dataset, block);
          if (!place.isZero()) {
            bytes.write(place.offset() + 5, MemorySegment.ofArray(new byte[] {1, 2, 3, 4, 5}));
          }
        }
      }
    }
  }

  @Test
  void aDamagedOldVersionIsDoneWithout() throws IOException {
    Team team = team(4, 2, 300_000);
    VersionId old = team.checkpoint();
    team.protect(old);
    // All blocks change, so that damage to the old ones leaves the new ones alone.
    team.members.forEach(member -> member.put("field", noise(300_000, 50 + member.rank), BLOCK));
    VersionId id = team.checkpoint();
    damage(team.members.get(1).store, FileNames.local(1), old, "field");
    damage(team.members.get(2).store, FileNames.parity(2), old, "parity");
    team.protect(id);
    for (BitSet lost : team.losses(2)) {
      team.without(lost).rebuild(id, lost);
    }
  }

  /** How many bytes each member reads while something is done. */
  private static long[] readDuring(Team team, Runnable deed) {
    List<Store> plain = team.members.stream().map(member -> member.store).toList();
    List<CountingStore> counting = plain.stream().map(CountingStore::new).toList();
    team.members.forEach(member -> member.store = counting.get(member.rank));
    deed.run();
    team.members.forEach(member -> member.store = plain.get(member.rank));
    return counting.stream().mapToLong(CountingStore::bytesRead).toArray();
  }

  /** Neither old bytes nor old parity are read. */
  @Test
  void whatChangedAsAWholeIsMadeAnew() throws IOException {
    int bytes = 2 << 20;
    Team team = team(4, 2, bytes);
    team.protect(team.checkpoint());
    team.members.forEach(member -> member.put("field", noise(bytes, 50 + member.rank), BLOCK));
    VersionId id = team.checkpoint();
    long[] read = readDuring(team, () -> team.protect(id));
    assertThat(Arrays.stream(read).max().orElseThrow()).isLessThan(bytes * 5 / 4);
    for (BitSet lost : team.losses(2)) {
      team.without(lost).rebuild(id, lost);
    }
  }

  /** Two units for each one that is lost, and what is rebuilt is read by the test; then maps. */
  @Test
  void aRebuildReadsWhatItNeeds() throws IOException {
    int bytes = 2 << 20;
    Team team = team(4, 2, bytes);
    VersionId id = team.checkpoint();
    team.protect(id);
    BitSet lost = BitSet.valueOf(new long[] {0b0010});
    Team rest = team.without(lost);
    long[] read = readDuring(rest, () -> rest.rebuild(id, lost));
    assertThat(Arrays.stream(read).sum()).isBetween(3L * bytes, 3L * bytes + bytes / 4);
  }

  @Test
  void aDamagedNewVersionFailsForAll() throws IOException {
    Team team = team(3, 1, 300_000);
    VersionId old = team.checkpoint();
    team.protect(old);
    team.members.forEach(member -> member.put("field", noise(300_000, 50 + member.rank), BLOCK));
    VersionId id = team.checkpoint();
    damage(team.members.get(1).store, FileNames.local(1), id, "field");
    AtomicInteger failures = new AtomicInteger();
    team.all(
        (tier, member, ranks) -> {
          assertThatThrownBy(() -> tier.protect(id, Deltas.UNKNOWN))
              .isInstanceOf(IOException.class)
              .hasMessageContaining("rank 1: ")
              .hasMessageContaining("digest");
          failures.incrementAndGet();
        });
    assertThat(failures).hasValue(3);
    BitSet lost = BitSet.valueOf(new long[] {1});
    team.without(lost).rebuild(old, lost);
  }

  @Test
  void damagedSourcesOfARebuildAreDoneWithout() throws IOException {
    Team team = team(5, 2, 300_000);
    VersionId id = team.checkpoint();
    team.protect(id);
    BitSet lost = BitSet.valueOf(new long[] {0b00001});
    Team rest = team.without(lost);
    damage(rest.members.get(2).store, FileNames.local(2), id, "field");
    BitSet both = BitSet.valueOf(new long[] {0b00101});
    rest.rebuild(id, both);
    Team other = team.without(lost);
    damage(other.members.get(3).store, FileNames.parity(3), id, "parity");
    other.rebuild(id, lost);
  }

  @SeededTest(seeds = 1)
  void redundancyIsRestoredAfterALoss(Random random) throws IOException {
    Team team = team(5, 2, 300_000);
    VersionId id = team.checkpoint();
    team.protect(id);
    for (BitSet lost :
        List.of(BitSet.valueOf(new long[] {3}), BitSet.valueOf(new long[] {0b10100}))) {
      Team rest = team.without(lost);
      rest.stable = id;
      rest.rebuild(id, lost);
      rest.protect(id);
      for (BitSet again : team.losses(2)) {
        rest.without(again).rebuild(id, again);
      }
      // And the next version is a difference again, also for those who came back.
      for (Member member : rest.members) {
        member.put("field", member.saved(id, "field").clone(), BLOCK);
        dirty(member, 2, random);
      }
      VersionId next = TestRun.id(2, 100, 5);
      for (Member member : rest.members) {
        member.checkpoint(next);
      }
      assertThat(Arrays.stream(rest.protect(next)).max().orElse(0)).isLessThan(120_000);
      for (BitSet again : team.losses(2)) {
        rest.without(again).rebuild(next, again);
      }
    }
  }

  @SeededTest(seeds = 1)
  void theDeathOfARankLeavesTheOldVersion(Random random) throws IOException {
    Team team = team(4, 2, 400_000);
    VersionId old = team.checkpoint();
    team.protect(old);
    team.members.forEach(member -> dirty(member, 5, random));
    VersionId id = team.checkpoint();
    int died = 0;
    for (int at = 1; at < 200; at += 7) {
      BitSet none = new BitSet();
      Team copy = team.without(none);
      copy.stable = old;
      int kill = at;
      boolean killed = false;
      try {
        Ranks.run(
            4,
            ranks -> {
              LossyCommunicator lossy = new LossyCommunicator(ranks, kill);
              if (ranks.rank() == kill % 4) {
                lossy.killAt(kill);
              }
              copy.with(lossy, (tier, member, same) -> tier.protect(id, Deltas.UNKNOWN));
            });
      } catch (org.cairn.comm.RankFailedException e) {
        assertThat(e.getCause()).isInstanceOf(Killed.class);
        killed = true;
        died++;
      }
      BitSet lost = BitSet.valueOf(new long[] {0b11L << random.nextInt(3)});
      copy.without(lost).rebuild(killed ? old : id, lost);
      copy.protect(id);
      copy.without(lost).rebuild(id, lost);
    }
    assertThat(died).isGreaterThan(5);
  }

  @SeededTest(seeds = 1)
  void theCrashOfAHolderLeavesTheOldVersion(long seed) throws IOException {
    for (int at = 1; at < 20; at++) {
      Team team = new Team(4, 2, rank -> rank == 1 ? new CrashingStore(seed) : new MemoryStore());
      team.members.forEach(member -> member.put("field", noise(300_000, member.rank), BLOCK));
      VersionId old = team.checkpoint();
      team.protect(old);
      team.members.forEach(member -> dirty(member, 5, new Random(seed + member.rank)));
      VersionId id = team.checkpoint();
      CrashingStore crashing = (CrashingStore) team.members.get(1).store;
      crashing.crashAt(at);
      boolean crashed = false;
      try {
        team.all((tier, member, ranks) -> tier.protect(id, Deltas.UNKNOWN));
      } catch (org.cairn.comm.RankFailedException e) {
        crashed = true;
      }
      team.members.get(1).store = crashing.survivor(seed + at);
      BitSet lost = BitSet.valueOf(new long[] {0b0101});
      for (int member = 0; member < 4; member++) {
        if (lost.get(member)) {
          team.members.get(member).store = new MemoryStore();
        }
      }
      team.stable = old;
      team.rebuild(crashed ? old : id, lost);
      if (!crashed) {
        return;
      }
    }
  }

  @SeededTest(seeds = 1)
  void aFullDiskOfOneIsTheFailureOfAll(long seed) throws IOException {
    int failed = 0;
    for (int at = 1; at < 16; at++) {
      Team team = new Team(4, 2, rank -> rank == 1 ? new CrashingStore(seed) : new MemoryStore());
      team.members.forEach(member -> member.put("field", noise(300_000, member.rank), BLOCK));
      VersionId old = team.checkpoint();
      team.protect(old);
      team.members.forEach(member -> dirty(member, 5, new Random(seed + member.rank)));
      VersionId id = team.checkpoint();
      int operation = at;
      AtomicInteger failures = new AtomicInteger();
      team.all(
          (tier, member, ranks) -> {
            if (member.store instanceof CrashingStore store) {
              store.failAt(operation);
            }
            try {
              tier.protect(id, Deltas.UNKNOWN);
            } catch (IOException e) {
              assertThat(e).hasMessageContaining("rank 1: ");
              failures.incrementAndGet();
            }
            ranks.barrier();
            // The disk works again, and so does the next attempt, wherever the first one ended.
            tier.protect(id, Deltas.UNKNOWN);
          });
      assertThat(failures.get()).isIn(0, 4);
      failed += failures.get() / 4;
      BitSet lost = BitSet.valueOf(new long[] {0b1001});
      for (int member = lost.nextSetBit(0); member >= 0; member = lost.nextSetBit(member + 1)) {
        team.members.get(member).store = new MemoryStore();
      }
      team.stable = id;
      team.rebuild(id, lost);
    }
    assertThat(failed).isGreaterThan(3);
  }

  @SeededTest(seeds = 1)
  void groupsKeepToThemselves(Random random) throws IOException {
    Team team = new Team(9, 1, rank -> new MemoryStore(), 4);
    assertThat(team.groups.groups()).hasSize(3);
    team.members.forEach(member -> Team.add(member, random));
    team.protect(team.checkpoint());
    team.change(random);
    VersionId id = team.checkpoint();
    team.protect(id);
    BitSet lost = new BitSet();
    team.groups.groups().forEach(group -> lost.set(group.getLast()));
    Team rest = team.without(lost);
    rest.rebuild(id, lost);
    Member first = rest.members.getFirst();
    try (ContainerReader reader = ContainerReader.open(first.store, FileNames.parity(0))) {
      ParityInfo info = ParityInfo.read(reader, id);
      assertThat(info.members()).isEqualTo(team.groups.groups().getFirst());
      assertThat(info.index()).isZero();
      assertThat(info.parity()).isEqualTo(1);
      assertThat(info.fits(info)).isTrue();
      assertThat(
              ParityInfo.canRebuild(
                  info.members().size(),
                  info.parity(),
                  BitSet.valueOf(new long[] {0b110}),
                  BitSet.valueOf(new long[] {7})))
          .isTrue();
      assertThat(
              ParityInfo.canRebuild(
                  info.members().size(),
                  info.parity(),
                  BitSet.valueOf(new long[] {0b100}),
                  BitSet.valueOf(new long[] {7})))
          .isFalse();
    }
  }

  /** The containers of a group are found by ranks that were not its members. */
  @Test
  void othersCanRebuildToo() throws IOException {
    Team team = team(3, 1, 200_000);
    VersionId id = team.checkpoint();
    team.protect(id);
    Ranks.run(
        3,
        ranks -> {
          int index = (ranks.rank() + 1) % 3;
          Member member = team.members.get(index);
          boolean there = index != 2;
          try (Communicator group = ranks.split(0, index);
              Container target = TestRun.open(member.store, FileNames.rebuilt(index, ""), 1)) {
            boolean rebuilt =
                ErasureTier.rebuild(
                    group,
                    id,
                    new ErasureTier.Sources(
                        there
                            ? () -> ContainerReader.open(member.store, FileNames.local(index))
                            : null,
                        () -> ContainerReader.open(member.store, FileNames.parity(index))),
                    () -> target);
            assertThat(rebuilt).isEqualTo(!there);
          }
          if (!there) {
            member.verify(FileNames.rebuilt(index, ""), id);
          }
        });
  }
}
