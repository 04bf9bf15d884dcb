// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Random;
import java.util.stream.Collectors;
import org.cairn.CheckpointStats;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.store.RecordingStore;
import org.cairn.testkit.store.StoreOperation.Kind;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.DatasetEntry;
import org.junit.jupiter.api.Test;

/**
 * How long a file becomes for what is in it, and what a commit writes and reads beside blocks:
 * small states, states of changing sizes, arrays that grow in turns, a thousand versions.
 */
class FileSizeTest {
  private static final String NAME = "rank0.cairn";

  /** Pages that are not full: some for each commit whose records are needed. */
  private static final long PAGES = 64 << 10;

  /** What is promised is relative to the largest of as many commits. */
  private static final int REMEMBERED = 32;

  private final RecordingStore store = new RecordingStore(new MemoryStore());

  /** As it is unless a program says otherwise. */
  private static final int BLOCK = 16 << 10;

  /** A program with two arrays. */
  private static final class Program {
    byte[] x = new byte[0];
    byte[] y = new byte[0];

    void protect(Checkpointer cairn) {
      cairn.protect("x", byte[].class, () -> x, n -> x = new byte[Math.toIntExact(n)]);
      cairn.protect("y", byte[].class, () -> y, n -> y = new byte[Math.toIntExact(n)]);
      cairn.restart();
    }
  }

  private record Size(long file, long live, long written) {
    static Size of(Store store) throws IOException {
      try (ContainerReader reader = ContainerReader.open(store, NAME)) {
        long written = reader.versions().getFirst().bytesWritten();
        return new Size(reader.fileBytes(), reader.liveBytes(), written);
      }
    }

    /** The larger one of each. */
    Size or(Size other) {
      return new Size(
          Math.max(file, other.file), Math.max(live, other.live), Math.max(written, other.written));
    }
  }

  @SeededTest(seeds = 12)
  void staysWithinTwiceTheLiveDataOfTheLastCommits(Random random) throws IOException {
    Program program = new Program();
    int most = 1 << (12 + random.nextInt(9));
    int change = random.nextInt(4);
    Options options = Options.defaults().blockSize(128 << random.nextInt(8));
    Deque<Long> live = new ArrayDeque<>();
    try (Checkpointer cairn = Checkpointer.open(store, options)) {
      program.protect(cairn);
      program.x = randomBytes(most, random);
      program.y = randomBytes(most / 4, random);
      for (int i = 0; i < 60; i++) {
        change(program, change, most, random);
        cairn.checkpoint();
        Size size = Size.of(store);
        live.add(size.live);
        if (live.size() > REMEMBERED) {
          live.removeFirst();
        }
        long largest = live.stream().mapToLong(one -> one).max().orElseThrow();
        assertThat(size.file)
            .as("%s, largest %d, %s, commit %d", size, largest, options.blockSize(), i)
            .isLessThanOrEqualTo(2 * largest + size.written + PAGES);
      }
    }
  }

  private static void change(Program program, int how, int most, Random random) {
    switch (how) {
      case 0 -> touch(program.x, 1, random);
      case 1 -> touch(program.x, 1 + program.x.length / 50_000, random);
      case 2 -> {
        program.x = Arrays.copyOf(program.x, 1 + most / 2 + random.nextInt(most));
        touch(program.x, 4, random);
      }
      default -> program.x = randomBytes(1 + most / 4 + random.nextInt(most), random);
    }
  }

  private static void touch(byte[] bytes, int times, Random random) {
    for (int i = 0; i < times; i++) {
      bytes[random.nextInt(bytes.length)]++;
    }
  }

  /** So many blocks, and not fewer because one was hit twice. */
  private static void touchBlocks(byte[] bytes, int blocks, Random random) {
    random
        .ints(0, bytes.length / BLOCK)
        .distinct()
        .limit(blocks)
        .forEach(block -> bytes[block * BLOCK + random.nextInt(BLOCK)]++);
  }

  private static byte[] randomBytes(int length, Random random) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /**
   * What is left of a large state may lie anywhere in the file, and what was written while it was
   * large at the end. Nobody dirties that any more; it is brought ahead all the same. Where blocks
   * are smaller than pages much is moved at a time, and old versions have it too: so here as well
   * the largest of the last commits counts.
   */
  @SeededTest(seeds = 12)
  void followsAStateThatShrank(Random random) throws IOException {
    Program program = new Program();
    Options options =
        Options.defaults()
            .blockSize(256 << random.nextInt(6))
            .retain(1 + random.nextInt(3))
            .threads(1);
    try (Checkpointer cairn = Checkpointer.open(store, options)) {
      program.protect(cairn);
      for (int i = random.nextInt(4); i >= 0; i--) {
        program.x = randomBytes(2 << 20, random);
        cairn.checkpoint();
      }
      program.x = Arrays.copyOf(program.x, (64 << 10) + random.nextInt(128 << 10));
      boolean onlyTheLast = random.nextBoolean();
      Size largest = new Size(0, 0, 0);
      for (int i = 0; i < 5 * REMEMBERED; i++) {
        if (onlyTheLast) {
          program.x[program.x.length - 1]++;
        } else {
          touch(program.x, 1, random);
        }
        cairn.checkpoint();
        largest = i < 4 * REMEMBERED ? largest : largest.or(Size.of(store));
      }
      assertThat(Size.of(store).file)
          .as("%s, %d, %d versions", largest, options.blockSize(), options.retain())
          .isLessThanOrEqualTo(2 * largest.live + largest.written + PAGES);
    }
  }

  /**
   * Where there is no room ahead for a whole map it is not written again and again, only because
   * there is some for a delta.
   */
  @Test
  void aMapIsNotWrittenWithEachCommitBecauseTheFileIsLong() {
    Random random = Seeds.content(2);
    Program program = new Program();
    Options options = Options.defaults().blockSize(512).retain(3).threads(1);
    long written = 0;
    long changed = 0;
    try (Checkpointer cairn = Checkpointer.open(store, options)) {
      program.protect(cairn);
      program.x = randomBytes(16 << 20, random);
      cairn.checkpoint();
      for (int i = 0; i < 40; i++) {
        touch(program.x, program.x.length / 512 / 5, random);
        cairn.checkpoint();
      }
      program.x = Arrays.copyOf(program.x, 6 << 20);
      for (int i = 0; i < 300; i++) {
        touch(program.x, 200, random);
        CheckpointStats stats = cairn.checkpoint().stats().orElseThrow();
        if (i >= 100) {
          written += stats.bytesWritten();
          changed += stats.dirtyBlocks() * 512L;
        }
      }
    }
    assertThat((double) written / changed).isLessThan(2.5);
  }

  /** How large a state is, and how much of it changes. */
  enum Small {
    KIB_16(16, 1),
    KIB_64(64, 1),
    KIB_64_MORE(64, 4),
    KIB_256(256, 3),
    MIB_1(1024, 6),
    MIB_1_MUCH(1024, 64),
    MIB_2(2048, 12);

    private final int kib;
    private final int dirtyBlocks;

    Small(int kib, int dirtyBlocks) {
      this.kib = kib;
      this.dirtyBlocks = dirtyBlocks;
    }
  }

  /** With changes of one size the live data of now are meant, however small the state. */
  @SeededTest(seeds = 1)
  void smallStatesStayWithinTwiceTheLiveData(Small small, Random random) throws IOException {
    Program program = new Program();
    double worst = 0;
    try (Checkpointer cairn = Checkpointer.open(store, Options.defaults())) {
      program.protect(cairn);
      program.x = randomBytes(small.kib << 10, random);
      for (int i = 0; i < 60; i++) {
        touchBlocks(program.x, small.dirtyBlocks, random);
        cairn.checkpoint();
        Size size = Size.of(store);
        worst = Math.max(worst, (double) size.file / size.live);
        assertThat(size.file)
            .as("%s, commit %d", size, i)
            .isLessThanOrEqualTo(2 * size.live + size.written);
      }
    }
    show(
        "%d KiB, %d blocks changed: file at most %.2f times the live data",
        small.kib, small.dirtyBlocks, worst);
  }

  /** Whoever changes much again soon finds the file as long as it was; memory is given back. */
  @Test
  void aTailIsKeptOnADiskAndNotInMemory() throws IOException {
    assertThat(lengthAfterShrinking(new MemoryStore())).isGreaterThan(2 << 20);
    assertThat(lengthAfterShrinking(MemoryStore.scarce())).isLessThan(1 << 20);
  }

  private static long lengthAfterShrinking(Store store) throws IOException {
    Program program = new Program();
    try (Checkpointer cairn = Checkpointer.open(store, Options.defaults())) {
      program.protect(cairn);
      for (int i = 1; i < 8; i++) {
        program.x = new byte[i < 4 ? 1 << 20 : 1 << 10];
        Arrays.fill(program.x, (byte) i);
        cairn.checkpoint();
      }
    }
    return Size.of(store).file();
  }

  private static void show(String format, Object... figures) {
    if (Boolean.getBoolean("cairn.show")) {
      System.out.println(format.formatted(figures));
    }
  }

  @SeededTest(seeds = 1)
  void manyVersionsCostLittleEach(Random random) throws IOException {
    int versions = 1000;
    Program program = new Program();
    Options options = Options.defaults().retain(versions).blockSize(4096);
    try (Checkpointer cairn = Checkpointer.open(store, options)) {
      program.protect(cairn);
      program.x = randomBytes(256 << 10, random);
      for (int i = 0; i < versions + 20; i++) {
        touch(program.x, 1, random);
        cairn.checkpoint();
      }
      store.clear();
      touch(program.x, 1, random);
      cairn.checkpoint();
      assertThat(store.bytes(Kind.WRITE)).as("bytes written").isLessThan(12_000 + 260 * versions);
      assertThat(store.operations(Kind.READ)).isEmpty();
    }
    Size size = Size.of(store);
    assertThat(size.file).as("%s", size).isLessThan(2 * size.live);
    show("%d versions: %s, %.2f times", versions, size, (double) size.file / size.live);
    store.clear();
    Container.open(store, NAME, Retention.newest(versions)).close();
    assertThat(store.bytes(Kind.READ)).as("bytes read by opening").isLessThan(2000L * versions);
  }

  /** Each drops a version that has older ones before it, so that all is counted anew. */
  @SeededTest(seeds = 1)
  void versionsThatAreDroppedInBetweenDoNotCostAllMaps(Random random) throws IOException {
    SmallState state = new SmallState();
    int[] count = {0};
    Retention everyFifth =
        all -> {
          count[0] = all.size();
          return all.stream().filter(id -> id.sequence() % 5 == 0).collect(Collectors.toSet());
        };
    try (Container container = TestRun.open(store, NAME, everyFifth)) {
      state.change(random);
      for (int i = 1; i <= 500; i++) {
        state.change(random);
        state.commit(container, TestRun.id(1, i, 1));
      }
      store.clear();
      for (int i = 501; i <= 505; i++) {
        state.commit(container, TestRun.id(1, i, 1));
      }
      long records = container.versions().size() * 5L * 2000;
      assertThat(store.bytes(Kind.READ)).isLessThan(5 * records);
    }
    assertThat(count[0]).isGreaterThan(100);
  }

  @SeededTest(seeds = 1)
  void arraysThatGrowInTurnsHaveFewSlotRuns(Random random) throws IOException {
    Program program = new Program();
    Options options = Options.defaults().blockSize(128);
    for (int life = 0; life < 3; life++) {
      try (Checkpointer cairn = Checkpointer.open(store, options)) {
        program.protect(cairn);
        for (int i = 0; i < 100; i++) {
          program.x = Arrays.copyOf(program.x, program.x.length + 300);
          program.y = Arrays.copyOf(program.y, program.y.length + 300);
          touch(program.x, 1, random);
          cairn.checkpoint();
        }
      }
    }
    try (ContainerReader reader = ContainerReader.open(store, NAME)) {
      VersionView view = reader.view(reader.versions().getFirst().id());
      for (DatasetEntry dataset : view.datasets()) {
        assertThat(dataset.blocks()).isGreaterThan(600);
        assertThat(dataset.slots().runs()).as("runs of %s", dataset).isLessThan(12);
      }
    }
  }
}
