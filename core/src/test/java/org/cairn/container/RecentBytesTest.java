// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.cairn.Codec;
import org.cairn.CorruptContainerException;
import org.cairn.ElementType;
import org.cairn.HashAlgorithm;
import org.cairn.codec.BlockCodec;
import org.cairn.codec.BlockCodecs;
import org.cairn.hash.Hashers;
import org.cairn.record.Digest;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.store.CountingStore;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;
import org.cairn.version.Delta;
import org.cairn.version.VersionInfo;
import org.cairn.version.Zeros;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What still lies where it was staged is not read from the file. */
class RecentBytesTest {
  private static final int BLOCK = 512;
  private static final int BLOCKS = 40;

  private final CountingStore store = new CountingStore(new MemoryStore());
  private final Arena arena = Arena.ofShared();
  private final byte[] state = new byte[BLOCK * BLOCKS];
  private Container container;
  private int last;

  @BeforeEach
  void open() throws IOException {
    container = TestRun.open(store, "a.cairn", 6);
    container.rememberDeltas();
  }

  @AfterEach
  void close() throws IOException {
    container.close();
    arena.close();
  }

  private StagedBlocks kept() {
    return StagedBlocks.keptUntilCleared(arena.allocate(BLOCK * BLOCKS, 64));
  }

  /** Saves what has changed. */
  private VersionInfo save(StagedBlocks staged, Codec codec) throws IOException {
    Commit commit = container.begin(TestRun.id(1, ++last, 1), Instant.EPOCH);
    DatasetPlan plan =
        commit.plan(
            new DatasetSpec(
                "field",
                ElementType.BYTE,
                List.of((long) state.length),
                state.length,
                BLOCK,
                HashAlgorithm.XXH3_128,
                codec));
    staged.clear();
    try (BlockCodec coder = BlockCodecs.create(codec)) {
      for (int block = 0; block < BLOCKS; block++) {
        stage(plan, block, staged, codec, coder);
      }
    }
    commit.store(staged, 0);
    return commit.publish();
  }

  private void stage(
      DatasetPlan plan, int block, StagedBlocks staged, Codec codec, BlockCodec coder) {
    MemorySegment bytes = MemorySegment.ofArray(state).asSlice((long) block * BLOCK, BLOCK);
    long[] digest = new long[2];
    Hashers.of(HashAlgorithm.XXH3_128).hash(bytes, 0, BLOCK, BLOCK, digest, 0);
    if (plan.isComparable(block) && plan.isClean(block, digest[0], digest[1])) {
      return;
    }
    int slot = plan.entry().slotOf(block);
    if (Zeros.isZero(bytes, 0, BLOCK)) {
      staged.addZero(slot, BLOCK);
      return;
    }
    MemorySegment room = staged.memory();
    int coded =
        codec == Codec.NONE ? 0 : coder.compress(bytes, 0, BLOCK, room, staged.used(), BLOCK - 1);
    if (coded > 0) {
      staged.addCoded(slot, BLOCK, codec.id(), coded, digest[0], digest[1]);
    } else {
      MemorySegment.copy(bytes, 0, room, staged.used(), BLOCK);
      staged.addRaw(slot, BLOCK, digest[0], digest[1]);
    }
  }

  /** Changes some blocks, to zeros, to noise, or to something that becomes shorter. */
  private void change(Random random) {
    for (int i = random.nextInt(12); i >= 0; i--) {
      int from = random.nextInt(BLOCKS) * BLOCK;
      int kind = random.nextInt(3);
      for (int at = from; at < from + BLOCK; at++) {
        state[at] = (byte) (kind == 0 ? 0 : kind == 1 ? random.nextInt() : from / BLOCK + last);
      }
    }
  }

  private static Digest root(VersionInfo version) {
    return new Digest(version.digestLow(), version.digestHigh());
  }

  private Delta delta(VersionInfo base, VersionInfo version) {
    return container.delta(base.id(), root(base), version.id()).orElseThrow();
  }

  /** Reads what has changed, and compares it with the state; how many bytes that took. */
  private long read(Delta delta) throws IOException {
    try (ContainerReader fed = ContainerReader.open(store, "a.cairn").fedBy(container);
        ContainerReader file = ContainerReader.open(store, "a.cairn");
        BlockReader reader = new BlockReader(fed.changed(delta));
        BlockReader whole = new BlockReader(file.view(delta.version().id()))) {
      long before = store.bytesRead();
      long[] compared = new long[1];
      delta.forEachChanged(
          (dataset, block) -> {
            MemorySegment expected =
                MemorySegment.ofArray(state).asSlice((long) block * BLOCK, BLOCK);
            assertThat(reader.read(dataset, block).asSlice(0, BLOCK).mismatch(expected))
                .as("block %d", block)
                .isEqualTo(-1);
            long here = store.bytesRead();
            byte[] stored = bytes(reader.readStored(dataset, block));
            long between = store.bytesRead();
            assertThat(stored).isEqualTo(bytes(whole.readStored(dataset, block)));
            compared[0] += store.bytesRead() - between;
            assertThat(between).isGreaterThanOrEqualTo(here);
          });
      return store.bytesRead() - before - compared[0];
    }
  }

  private static byte[] bytes(BlockReader.Stored stored) {
    return stored.bytes().toArray(ValueLayout.JAVA_BYTE);
  }

  @SeededTest(seeds = 40)
  void whatIsInMemoryIsWhatIsInTheFile(Random random) throws IOException {
    Codec codec = random.nextBoolean() ? Codec.NONE : Codec.DEFLATE;
    List<StagedBlocks> buffers = List.of(kept(), kept());
    VersionInfo[] saved = new VersionInfo[31];
    saved[0] = save(buffers.get(0), codec);
    for (int i = 1; i < saved.length; i++) {
      change(random);
      if (random.nextInt(5) == 0) {
        container.begin(TestRun.id(1, ++last, 1), Instant.EPOCH).abort();
      }
      saved[i] = save(buffers.get(i % 2), codec);
      assertThat(read(delta(saved[i - 1], saved[i]))).as("bytes read").isZero();
      read(delta(saved[Math.max(0, i - 4)], saved[i]));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NONE", "DEFLATE"})
  void whatWasClearedIsRead(Codec codec) throws IOException {
    StagedBlocks first = kept();
    StagedBlocks second = kept();
    VersionInfo base = save(first, codec);
    change(Seeds.content(1));
    state[5] = 7;
    VersionInfo version = save(second, codec);
    assertThat(second.isRemembered()).isTrue();
    assertThat(read(delta(base, version))).isZero();
    first.clear();
    assertThat(read(delta(base, version))).isZero();
    second.clear();
    assertThat(second.isRemembered()).isFalse();
    second.memory().fill((byte) 99);
    assertThat(read(delta(base, version))).isPositive();
  }

  /** As a tier does that compares maps: with its first version, or after a start. */
  @Test
  void aWholeVersionIsTakenFromMemoryToo() throws IOException {
    new Random(3).nextBytes(state);
    VersionInfo version = save(kept(), Codec.NONE);
    try (ContainerReader fed = ContainerReader.open(store, "a.cairn").fedBy(container)) {
      VersionView view = fed.view(version.id());
      long before = store.bytesRead();
      SmallState.Content found =
          Objects.requireNonNull(SmallState.read(view).datasets.get("field"));
      assertThat(found.bytes()).isEqualTo(state);
      assertThat(store.bytesRead() - before).isZero();
    }
  }

  @Test
  void memoryThatNobodyPromisedToKeepIsNotReadFrom() throws IOException {
    StagedBlocks staged = new StagedBlocks(arena.allocate(BLOCK * BLOCKS, 64));
    VersionInfo base = save(staged, Codec.NONE);
    state[5] = 7;
    VersionInfo version = save(staged, Codec.NONE);
    assertThat(staged.isRemembered()).isFalse();
    staged.memory().fill((byte) 99);
    assertThat(read(delta(base, version))).isPositive();
  }

  @Test
  void whoWantsNoDeltasKeepsNoMemory() throws IOException {
    container.close();
    container = TestRun.open(store, "a.cairn", 6);
    StagedBlocks staged = kept();
    state[5] = 7;
    save(staged, Codec.NONE);
    assertThat(staged.isRemembered()).isFalse();
  }

  /** Memory still has what the file has lost; but only as long as it is that of the version. */
  @Test
  void damageOfTheFileIsFoundOnceMemoryIsGone() throws IOException {
    VersionInfo base = save(kept(), Codec.NONE);
    state[5] = 7;
    StagedBlocks staged = kept();
    VersionInfo version = save(staged, Codec.NONE);
    Delta delta = delta(base, version);
    damage(delta);
    try (ContainerReader file = ContainerReader.open(store, "a.cairn").fedBy(container);
        BlockReader reader = new BlockReader(file.changed(delta))) {
      DatasetEntry dataset = file.view(version.id()).find("field").orElseThrow();
      assertThat(reader.read(dataset, 0).asSlice(0, 6).toArray(ValueLayout.JAVA_BYTE))
          .endsWith((byte) 7);
      staged.clear();
      assertThatThrownBy(() -> reader.read(dataset, 0))
          .isInstanceOf(CorruptContainerException.class)
          .hasMessageContaining("digest");
    }
  }

  private void damage(Delta delta) throws IOException {
    try (ContainerReader reader = ContainerReader.open(store, "a.cairn");
        StoreFile file = store.open("a.cairn", Store.Access.WRITE)) {
      VersionView view = reader.view(delta.version().id());
      delta.forEachChanged(
          (dataset, block) ->
              file.write(view.place(dataset, block).offset(), MemorySegment.ofArray(new byte[9])));
    }
  }
}
