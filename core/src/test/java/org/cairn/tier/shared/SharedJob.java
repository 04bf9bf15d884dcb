// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.cairn.Codec;
import org.cairn.ElementType;
import org.cairn.HashAlgorithm;
import org.cairn.Label;
import org.cairn.Tiers;
import org.cairn.clock.Clock;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.container.BlockReader;
import org.cairn.container.Commit;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.DatasetPlan;
import org.cairn.container.Retention;
import org.cairn.container.StagedBlocks;
import org.cairn.hash.Hashers;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.tier.Deltas;
import org.cairn.tier.FileNames;
import org.cairn.tier.Home;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;
import org.cairn.version.JobId;
import org.cairn.version.Lineage;
import org.cairn.version.Ownership;
import org.cairn.version.RunId;
import org.cairn.version.RunInfo;
import org.cairn.version.VersionId;

/** A run of a job that flushes to a shared directory, without all that is around it. */
final class SharedJob {
  static final int BLOCK = 256;

  /** Blocks that change, of 101; the others stay in the segment that had them first. */
  static final int CHANGING = 30;

  private static final AtomicLong RANDOM = new AtomicLong(1);

  final Lineage lineage;
  final int ranks;
  final ShiftedClock clock = new ShiftedClock();
  final List<ScrubReport> scrubs = Collections.synchronizedList(new ArrayList<>());
  Tiers tiers =
      Tiers.none()
          .sharedGroup(2)
          .sharedRetain(2)
          .leaseRest(Duration.ofMillis(300))
          .visibility(Duration.ofMillis(30));
  IntFunction<Store> shared;
  private final List<Store> homes = new ArrayList<>();
  private final Map<VersionId, byte[][]> history = new HashMap<>();
  private final byte[][] state;
  private long sequence;

  /** The clock of the machine, but later. */
  static final class ShiftedClock implements Clock {
    private volatile Duration shift = Duration.ZERO;

    @Override
    public Instant now() {
      return Instant.now().plus(shift);
    }

    @Override
    public long nanos() {
      return System.nanoTime();
    }

    void pass(Duration time) {
      shift = shift.plus(time);
    }
  }

  SharedJob(Store shared, int ranks, Lineage lineage) {
    this.shared = _ -> shared;
    this.ranks = ranks;
    this.lineage = lineage;
    this.state = new byte[ranks][100 * BLOCK + 10];
    for (int rank = 0; rank < ranks; rank++) {
      homes.add(new MemoryStore());
      new Random(rank + lineage.job().low()).nextBytes(state[rank]);
    }
  }

  static Lineage job(long number, int ranks) {
    RunInfo run =
        RunInfo.of(
            new RunId(number * 16 + 1),
            Instant.EPOCH,
            ranks,
            Optional.empty(),
            false,
            List.of(),
            Optional.empty());
    return Lineage.beginning(new JobId(0, number), "job" + number, run);
  }

  /** Another run of the same job that goes on from a version. */
  SharedJob continued(VersionId from, long run) {
    RunInfo next =
        RunInfo.of(
            new RunId(run),
            Instant.EPOCH,
            ranks,
            Optional.of(from),
            false,
            List.of(),
            Optional.of(from.run()));
    SharedJob job = new SharedJob(shared.apply(0), ranks, lineage.continuedBy(next, List.of()));
    job.shared = shared;
    job.tiers = tiers;
    job.sequence = from.sequence();
    byte[][] then = Objects.requireNonNull(history.get(from));
    for (int rank = 0; rank < ranks; rank++) {
      System.arraycopy(then[rank], 0, job.state[rank], 0, then[rank].length);
    }
    return job;
  }

  private int epoch() {
    return lineage.runs().size();
  }

  /** Changes some blocks, and takes a checkpoint of all ranks. */
  VersionId checkpoint() throws IOException {
    long next = sequence + 1;
    return checkpoint(
        bytes -> {
          for (int i = 0; i < 5; i++) {
            bytes[(int) ((next * 5 + i) % CHANGING) * BLOCK] ^= (byte) 0x5A;
          }
        },
        Label.none());
  }

  /** Changes the state of every rank, and takes a checkpoint of which somebody says something. */
  VersionId checkpoint(Consumer<byte[]> change, Label label) throws IOException {
    VersionId id = new VersionId(lineage.job(), lineage.run().id(), epoch(), ++sequence, ranks);
    byte[][] copy = new byte[ranks][];
    for (int rank = 0; rank < ranks; rank++) {
      change.accept(state[rank]);
      copy[rank] = state[rank].clone();
      save(rank, id, label);
    }
    history.put(id, copy);
    return id;
  }

  private void save(int rank, VersionId id, Label label) throws IOException {
    Ownership owner = new Ownership(lineage, Ownership.STATE, rank, ranks);
    try (Container container =
            Container.open(
                homes.get(rank),
                FileNames.local(rank),
                Retention.newest(3),
                owner,
                RANDOM::getAndIncrement);
        Arena arena = Arena.ofConfined()) {
      Commit commit = container.begin(id, clock.now());
      commit.label(label);
      long length = state[rank].length;
      DatasetPlan plan =
          commit.plan(
              new DatasetSpec(
                  "field",
                  ElementType.BYTE,
                  List.of(length),
                  length,
                  BLOCK,
                  HashAlgorithm.XXH3_128,
                  Codec.NONE));
      MemorySegment bytes = MemorySegment.ofArray(state[rank]);
      StagedBlocks staged = new StagedBlocks(arena.allocate(2 * length, 64));
      DatasetEntry entry = plan.entry();
      long[] digest = new long[2];
      for (int block = 0; block < entry.blocks(); block++) {
        int size = entry.blockLength(block);
        long at = (long) block * BLOCK;
        Hashers.of(HashAlgorithm.XXH3_128).hash(bytes, at, size, size, digest, 0);
        if (plan.isComparable(block) && plan.isClean(block, digest[0], digest[1])) {
          continue;
        }
        MemorySegment.copy(bytes, at, staged.memory(), staged.used(), size);
        staged.addRaw(entry.slotOf(block), size, digest[0], digest[1]);
      }
      commit.store(staged, 0);
      commit.publish();
    }
  }

  /** What a rank does with its tier. */
  interface Deed {
    void run(SharedTier tier, Communicator comm) throws Exception;
  }

  /** Opens the tier on all ranks, and closes it. */
  void all(Deed deed) {
    Ranks.run(
        ranks,
        rank -> "node" + rank,
        comm -> {
          try (SharedTier tier = open(comm)) {
            deed.run(tier, comm);
          }
        });
  }

  SharedTier open(Communicator comm) throws IOException {
    Home home = new Home(homes.get(comm.rank()), comm.rank(), ranks, RANDOM::getAndIncrement);
    home.enter(lineage, FileNames.local(comm.rank()));
    Tiers mine = tiers.shared(shared.apply(comm.rank()), 1);
    SharedTier tier = SharedTier.open(comm, home, mine, clock);
    tier.onScrub(scrubs::add);
    return tier;
  }

  /** Takes the lease as the one who runs on this host, in this place. */
  void acquire(SharedTier tier, Communicator comm, String place) throws IOException {
    if (comm.rank() == 0) {
      tier.acquire(lineage.job(), "node0", place);
    }
    comm.barrier();
  }

  /** Takes a checkpoint and flushes it, from opening the tier to closing it. */
  VersionId flush() throws IOException {
    VersionId id = checkpoint();
    all(
        (tier, comm) -> {
          tier.protect(id, Deltas.UNKNOWN);
          comm.barrier();
          tier.nowStable(id);
        });
    return id;
  }

  /** What a rank has in a version, through all links. */
  static MemberIndex index(Store shared, VersionId version, int rank) throws IOException {
    Manifest manifest = new SharedDirectory(shared).find(version);
    try (OpenSegments segments = new OpenSegments(shared, manifest.references())) {
      String own = manifest.groupOf(rank).segment();
      return MemberChain.read(segments, own, rank, manifest.rootOf(rank)).state().index();
    }
  }

  /** The files with the indices of a rank, that of the version itself first. */
  static List<String> chain(Store shared, VersionId version, int rank) throws IOException {
    Manifest manifest = new SharedDirectory(shared).find(version);
    List<String> found = new ArrayList<>(List.of(manifest.groupOf(rank).segment()));
    while (true) {
      try (SegmentReader segment = SegmentReader.open(shared, found.getLast())) {
        MemberIndex index = segment.member(rank);
        if (index.link().isEmpty()) {
          return found;
        }
        found.add(index.link().get().segment());
      }
    }
  }

  /** Brings a version back from the shared directory alone, and compares it. */
  void verify(VersionId id) throws IOException {
    MemoryStore target = new MemoryStore();
    for (int rank = 0; rank < ranks; rank++) {
      Ownership owner = new Ownership(lineage, Ownership.STATE, rank, ranks);
      String name = FileNames.local(rank);
      try (Container container =
          Container.open(target, name, Retention.newest(2), owner, RANDOM::getAndIncrement)) {
        SharedTier.rebuild(shared.apply(rank), id, rank, container);
      }
      verify(target, rank, id);
    }
  }

  void verify(Store target, int rank, VersionId id) throws IOException {
    byte[] expected = Objects.requireNonNull(history.get(id))[rank];
    byte[] found = new byte[expected.length];
    try (ContainerReader reader = ContainerReader.open(target, FileNames.local(rank));
        BlockReader blocks = new BlockReader(reader.view(id))) {
      DatasetEntry dataset = reader.view(id).datasets().iterator().next();
      for (int block = 0; block < dataset.blocks(); block++) {
        MemorySegment.copy(
            blocks.read(dataset, block),
            ValueLayout.JAVA_BYTE,
            0,
            found,
            block * BLOCK,
            dataset.blockLength(block));
      }
    }
    assertThat(found).as("rank %d of %s", rank, id.exact()).isEqualTo(expected);
  }
}
