// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.cairn.Checkpointer;
import org.cairn.Codec;
import org.cairn.CorruptContainerException;
import org.cairn.Options;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.ForwardingStore;
import org.cairn.version.DatasetEntry;
import org.cairn.version.RootDigest;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;
import org.junit.jupiter.api.Timeout;

/** What came only to be read is read as from the container that it came from. */
@Timeout(60)
class SpoolTest {
  private static final String FILE = "rank0.cairn";
  private static final String SPOOL = "rank0.spool";
  private static final int STAGE = 256 << 10;

  /** A block of a version. */
  private record Block(DatasetEntry dataset, int number) {}

  // ---------------------------------------------------------------- a state, and its spool

  private static MemoryStore save(Random random) throws IOException {
    MemoryStore store = new MemoryStore();
    Options options = Options.defaults().threads(1).retain(1);
    int[] sizes = {128, 256, 4096, 16 << 10, 65_536};
    try (Checkpointer cairn = Checkpointer.open(store, options)) {
      int datasets = 1 + random.nextInt(5);
      for (int i = 0; i < datasets; i++) {
        byte[] bytes = new byte[random.nextInt(random.nextBoolean() ? 400 : 300_000)];
        if (random.nextInt(4) > 0) {
          random.nextBytes(bytes);
          int from = random.nextInt(bytes.length + 1);
          Arrays.fill(bytes, from, from + random.nextInt(bytes.length - from + 1), (byte) 7);
        }
        cairn
            .protect("d" + i, bytes)
            .blockSize(sizes[random.nextInt(sizes.length)])
            .codec(random.nextInt(3) == 0 ? Codec.DEFLATE : Codec.NONE);
      }
      cairn.restart();
      cairn.checkpoint();
    }
    return store;
  }

  private static ContainerReader open(Store store) throws IOException {
    return ContainerReader.open(store, FILE);
  }

  private static List<Block> blocks(VersionView view, Random random) {
    List<Block> blocks = new ArrayList<>();
    for (DatasetEntry dataset : view.datasets()) {
      for (int block = 0; block < dataset.blocks(); block++) {
        blocks.add(new Block(dataset, block));
      }
    }
    Collections.shuffle(blocks, random);
    return blocks;
  }

  /** Stores blocks as they are stored there, as many at once as fit. */
  private static void store(VersionView view, List<Block> blocks, Incoming target)
      throws IOException {
    try (Arena arena = Arena.ofConfined();
        BlockReader reader = new BlockReader(view)) {
      StagedBlocks staged = new StagedBlocks(arena.allocate(STAGE, 64));
      for (Block block : blocks) {
        if (staged.room() < block.dataset.spec().blockSize()) {
          target.store(staged);
          staged.clear();
        }
        stage(view, block, reader, staged);
      }
      target.store(staged);
    }
  }

  private static void stage(VersionView view, Block block, BlockReader reader, StagedBlocks staged)
      throws IOException {
    DatasetEntry dataset = block.dataset;
    int slot = dataset.slotOf(block.number);
    int length = dataset.blockLength(block.number);
    if (view.isZero(dataset, block.number)) {
      staged.addZero(slot, length);
      return;
    }
    BlockReader.Stored stored = reader.readStored(dataset, block.number);
    int bytes = (int) stored.bytes().byteSize();
    MemorySegment.copy(stored.bytes(), 0, staged.memory(), staged.used(), bytes);
    long low = view.low(dataset, block.number);
    long high = view.high(dataset, block.number);
    if (stored.codec() == 0) {
      staged.addRaw(slot, length, low, high);
    } else {
      staged.addCoded(slot, length, stored.codec(), bytes, low, high);
    }
  }

  private static Spool spool(Store store, VersionView view) throws IOException {
    return Spool.inFile(store, SPOOL, view.info(), view.datasets());
  }

  // ---------------------------------------------------------------- reading

  private record Read(Map<Integer, ByteBuffer> blocks, List<VersionSource.Damage> damages) {}

  private static Read read(VersionSource source, VersionSource.Range range) throws IOException {
    Map<Integer, ByteBuffer> blocks = new ConcurrentHashMap<>();
    try (Workers workers = new Workers(2, "reader")) {
      List<VersionSource.Damage> damages =
          source.scan(
              List.of(range),
              workers,
              (_, block, bytes) ->
                  blocks.put(block, ByteBuffer.wrap(bytes.toArray(ValueLayout.JAVA_BYTE))),
              _ -> {});
      return new Read(blocks, damages);
    }
  }

  private static VersionSource.Range anyRange(DatasetEntry dataset, Random random) {
    long length = dataset.spec().byteLength();
    long from = random.nextLong(length + 1);
    return new VersionSource.Range(dataset, from, from + random.nextLong(length - from + 1));
  }

  @SeededTest(seeds = 40)
  void anyRangeIsThatOfTheContainer(Random random) throws IOException {
    MemoryStore saved = save(random);
    MemoryStore scratch = new MemoryStore();
    try (ContainerReader reader = open(saved)) {
      VersionView view = reader.view(reader.versions().getFirst().id());
      try (Spool spool =
          random.nextBoolean()
              ? spool(scratch, view)
              : Spool.inMemory(view.info(), view.datasets())) {
        store(view, blocks(view, random), spool);
        spool.publish();
        assertThat(scratch.list()).isEmpty();
        VersionSource source = spool.source();
        assertThat(RootDigest.of(source).isOf(view.info())).isTrue();
        for (DatasetEntry dataset : source.datasets()) {
          DatasetEntry theirs = view.find(dataset.name()).orElseThrow();
          assertThat(read(source, VersionSource.Range.all(dataset)))
              .isEqualTo(read(view, VersionSource.Range.all(theirs)));
          VersionSource.Range range = anyRange(dataset, random);
          assertThat(read(source, range))
              .isEqualTo(read(view, new VersionSource.Range(theirs, range.from(), range.to())));
        }
      }
    }
  }

  // ---------------------------------------------------------------- damage

  /** A store that gives one byte of what is read otherwise than it was written. */
  private static final class Rotten extends ForwardingStore {
    private long at = -1;

    Rotten(Store store) {
      super(store);
    }

    @Override
    public StoreFile open(String name, Access access) throws IOException {
      return new ForwardingFile(super.open(name, access)) {
        @Override
        public long read(long position, MemorySegment target) throws IOException {
          long count = super.read(position, target);
          if (at >= position && at < position + count) {
            byte found = target.get(ValueLayout.JAVA_BYTE, at - position);
            target.set(ValueLayout.JAVA_BYTE, at - position, (byte) (found ^ 0x10));
          }
          return count;
        }
      };
    }
  }

  @SeededTest(seeds = 20)
  void aDamagedBlockIsNamed(Random random) throws IOException {
    Rotten scratch = new Rotten(new MemoryStore());
    try (ContainerReader reader = open(save(random))) {
      VersionView view = reader.view(reader.versions().getFirst().id());
      try (Spool spool = spool(scratch, view)) {
        List<Block> order = blocks(view, random);
        store(view, order, spool);
        spool.publish();
        List<Block> stored =
            order.stream().filter(one -> !view.isZero(one.dataset, one.number)).toList();
        if (stored.isEmpty()) {
          return;
        }
        Block bad = stored.get(random.nextInt(stored.size()));
        for (Block one : stored.subList(0, stored.indexOf(bad))) {
          scratch.at += view.place(one.dataset, one.number).storedLength();
        }
        scratch.at += 1 + random.nextInt(view.place(bad.dataset, bad.number).storedLength());
        DatasetEntry dataset = spool.source().find(bad.dataset.name()).orElseThrow();
        assertThat(read(spool.source(), VersionSource.Range.all(dataset)).damages)
            .singleElement()
            .satisfies(
                damage -> {
                  assertThat(damage.dataset()).isEqualTo(dataset.name());
                  assertThat(damage.block()).isEqualTo(bad.number);
                  assertThat(damage.what()).contains(SPOOL);
                });
      }
    }
  }

  @SeededTest(seeds = 10)
  void aBlockThatDidNotComeIsMissed(Random random) throws IOException {
    try (ContainerReader reader = open(save(random))) {
      VersionView view = reader.view(reader.versions().getFirst().id());
      List<Block> order = blocks(view, random);
      if (order.isEmpty()) {
        return;
      }
      Block missing = order.removeLast();
      try (Spool spool = spool(new MemoryStore(), view)) {
        store(view, order, spool);
        assertThatThrownBy(spool::publish)
            .isInstanceOf(CorruptContainerException.class)
            .hasMessageContaining(
                "block %d of \"%s\" did not come"
                    .formatted(missing.number, missing.dataset.name()));
        assertThatThrownBy(spool::source).isInstanceOf(IllegalStateException.class);
      }
    }
  }

  /** A block of another version has its own digest, and is verified by it. */
  @SeededTest(seeds = 1)
  void aBlockOfAnotherVersionMakesItAnother(Random random) throws IOException {
    MemoryStore store = new MemoryStore();
    try (Checkpointer cairn = Checkpointer.open(store, Options.defaults().threads(1).retain(2))) {
      byte[] bytes = new byte[10_000];
      random.nextBytes(bytes);
      cairn.protect("d", bytes).blockSize(4096);
      cairn.restart();
      cairn.checkpoint();
      bytes[5000] ^= 1;
      cairn.checkpoint();
    }
    try (ContainerReader reader = open(store)) {
      VersionView now = reader.view(reader.versions().getFirst().id());
      VersionView before = reader.view(reader.versions().getLast().id());
      try (Spool spool = spool(new MemoryStore(), now)) {
        store(before, blocks(before, random), spool);
        assertThatThrownBy(spool::publish)
            .isInstanceOf(CorruptContainerException.class)
            .hasMessageContaining("root digest");
      }
    }
  }

  // ---------------------------------------------------------------- what is left

  /** Killed at any call of the store: nothing is there but, perhaps, a name without bytes. */
  @SeededTest(seeds = 1)
  void nothingIsLeftWhateverHappens(Random random) throws IOException {
    MemoryStore scratch = new MemoryStore();
    try (ContainerReader reader = open(save(random))) {
      VersionView view = reader.view(reader.versions().getFirst().id());
      Store undeletable =
          new ForwardingStore(scratch) {
            private int deleted;

            @Override
            public void delete(String name) throws IOException {
              if (++deleted == 2) {
                throw new IOException("killed");
              }
              super.delete(name);
            }
          };
      assertThatThrownBy(() -> spool(undeletable, view)).hasMessage("killed");
      assertThat(scratch.list()).containsExactly(SPOOL);
      try (StoreFile left = scratch.open(SPOOL, Store.Access.READ)) {
        assertThat(left.size()).isZero();
      }
      try (Spool spool = spool(scratch, view)) {
        store(view, blocks(view, random), spool);
        spool.publish();
        assertThat(scratch.list()).isEmpty();
      }
    }
  }
}
