// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.IntStream;
import org.cairn.container.BlockScan;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.progress.Progress;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.random.Thorough;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Whatever happens to the bytes of a container, a restart gives the state of a version, in every
 * byte, and tells what was lost, or says precisely why there is none. Nothing else: no wrong data,
 * no exception that explains nothing, no hang, no allocation out of proportion.
 *
 * <p>{@code -Dcairn.iterations=8} tries eight patterns on every byte instead of one on every third,
 * cuts the file at every byte, and leaves out none in long stretches of zeros.
 */
@Tag("slow")
@Thorough(times = 4)
class DamageTest {
  private static final int VERSIONS = 3;
  private static final String FILE = SampleState.FILE;
  private static final int[] MASKS = {0x01, 0x80, 0xFF, 0x10, 0x02, 0x40, 0x08, 0x20, 0x04, 0x55};

  /** What reading a file of some 20 KiB may allocate on the heap; one staging list takes most. */
  private static final long MOST_ALLOCATED = 16 << 20;

  /**
   * In longer stretches of zeros, padding mostly, one byte is as good as another; elsewhere one of
   * eleven neighbours is tried unless there is time.
   */
  private static final int STRETCH = 32;

  private static MemoryStore intact;
  private static int size;
  private static int[] places;

  /** How an attempt to restart ended. */
  enum Outcome {
    NEWEST,
    OLDER,
    REFUSED
  }

  /** No examination takes nearly as long. */
  @RegisterExtension final Progress progress = new Progress(Duration.ofMinutes(2));

  private final Map<Outcome, Integer> outcomes = new ConcurrentSkipListMap<>();

  @BeforeAll
  static void writeContainer() throws IOException {
    intact = new MemoryStore();
    SampleState.write(intact, VERSIONS);
    try (StoreFile file = intact.open(FILE, Store.Access.READ)) {
      size = Math.toIntExact(file.size());
    }
    byte[] bytes = bytes(intact);
    places = IntStream.range(0, size).filter(place -> isWorthwhile(bytes, place)).toArray();
  }

  private static boolean isWorthwhile(byte[] bytes, int place) {
    if (patterns() > 1 || place % STRETCH == 0) {
      return true;
    }
    if (place % 11 != 0) {
      return false;
    }
    int from = Math.max(0, place - STRETCH / 2);
    int to = Math.min(bytes.length, place + STRETCH / 2);
    return IntStream.range(from, to).anyMatch(i -> bytes[i] != 0);
  }

  @Test
  void anIntactContainerGivesTheNewestVersion() throws IOException {
    assertThat(restart(intact.copy(), "intact")).isEqualTo(Outcome.NEWEST);
    read(intact.copy(), "intact");
  }

  @Test
  void everyByteFlipped() {
    int patterns = patterns();
    everywhere(
        position -> {
          for (int i = 0; i < patterns; i++) {
            int mask = MASKS[(position + i) % MASKS.length];
            examine(flipped(position, mask), "byte " + position + " ^ " + mask);
          }
        });
    System.out.printf("%d bytes of %d flipped: restarts ended %s%n", places.length, size, outcomes);
    // A block that no version changed is shared by all: without it all are lost, and that is said.
    assertThat(outcomes).as("all branches reached").containsOnlyKeys(Outcome.values());
  }

  private interface Examination {
    void at(int position) throws IOException;
  }

  private static void everywhere(Examination examination) {
    at(places, examination);
  }

  private static void at(int[] positions, Examination examination) {
    Arrays.stream(positions)
        .parallel()
        .forEach(
            position -> {
              try {
                examination.at(position);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
  }

  private static int patterns() {
    return (int) Math.min(MASKS.length, Seeds.more("DamageTest", 1, 4).count());
  }

  @Test
  void everyTruncation() {
    int[] lengths = patterns() > 1 ? places : everyFourth(places);
    at(
        lengths,
        length -> {
          MemoryStore store = intact.copy();
          try (StoreFile file = store.open(FILE, Store.Access.WRITE)) {
            file.truncate(length);
          }
          examine(store, "cut to " + length);
        });
    System.out.printf(
        "cut to %d of 0..%d bytes: restarts ended %s%n", lengths.length, size - 1, outcomes);
    assertThat(outcomes).containsKeys(Outcome.OLDER, Outcome.REFUSED);
  }

  /** What is cut off is lost alike for neighbours; what is flipped is not. */
  private static int[] everyFourth(int[] all) {
    return IntStream.range(0, all.length).filter(i -> i % 4 == 0).map(i -> all[i]).toArray();
  }

  @SeededTest(seeds = 100)
  void garbageSomewhere(Random random) throws IOException {
    MemoryStore store = intact.copy();
    int pieces = 1 + random.nextInt(4);
    for (int i = 0; i < pieces; i++) {
      byte[] garbage = new byte[1 + random.nextInt(random.nextBoolean() ? 16 : 4096)];
      if (random.nextInt(4) > 0) {
        random.nextBytes(garbage);
      }
      overwrite(store, random.nextInt(size), garbage);
    }
    examine(store, pieces + " pieces of garbage");
  }

  /** As a file system may do it: whole sectors that were never written, or belong elsewhere. */
  @SeededTest(seeds = 60)
  void sectorsLostOrSwapped(Random random) throws IOException {
    MemoryStore store = intact.copy();
    byte[] bytes = bytes(intact);
    int sectors = size / 512;
    for (int i = 0; i <= random.nextInt(3); i++) {
      int from = random.nextInt(sectors) * 512;
      int to = random.nextInt(sectors) * 512;
      byte[] sector = new byte[512];
      if (random.nextBoolean()) {
        System.arraycopy(bytes, from, sector, 0, 512);
      }
      overwrite(store, to, sector);
    }
    examine(store, "sectors lost or swapped");
  }

  @SeededTest(seeds = 10)
  void bytesBehindTheEndDoNoHarm(Random random) throws IOException {
    MemoryStore store = intact.copy();
    byte[] more = new byte[1 + random.nextInt(100_000)];
    random.nextBytes(more);
    overwrite(store, size + (random.nextBoolean() ? 0 : random.nextInt(1 << 20)), more);
    assertThat(restart(store, "extended")).isEqualTo(Outcome.NEWEST);
    read(store, "extended");
  }

  @Test
  void aHugeSparseTailDoesNoHarm() throws IOException {
    MemoryStore store = intact.copy();
    overwrite(store, 1L << 42, new byte[] {1});
    assertThat(restart(store, "sparse")).isEqualTo(Outcome.NEWEST);
  }

  @Test
  void anOlderContainerInThePlaceOfANewerOneIsARestartFromThePast() throws IOException {
    MemoryStore store = new MemoryStore();
    SampleState.write(store, 2);
    SampleState state = new SampleState();
    state.restore(store);
    assertThat(state.number()).isEqualTo(2);
    assertThat(state.isWhole()).isTrue();
  }

  /** After damage was survived, the next checkpoints are good again. */
  @SeededTest(seeds = 50)
  void lifeGoesOnAfterDamage(Random random) throws IOException {
    int position = random.nextInt(size);
    MemoryStore store = flipped(position, 1 << random.nextInt(8));
    if (restart(store.copy(), "byte " + position) == Outcome.REFUSED) {
      return;
    }
    SampleState state = new SampleState();
    try (Checkpointer cairn = Checkpointer.open(store, SampleState.options())) {
      state.protect(cairn);
      cairn.restart();
      for (int n = 11; n <= 13; n++) {
        state.become(n);
        cairn.checkpoint();
      }
    }
    restoreAll(store, List.of(13L, 12L, 11L));
  }

  private static void restoreAll(MemoryStore store, List<Long> numbers) {
    try (Checkpointer cairn = Checkpointer.open(store, SampleState.options())) {
      SampleState state = new SampleState();
      state.protect(cairn);
      List<Long> found = new ArrayList<>();
      for (VersionInfo version : cairn.versions()) {
        cairn.restart(RestartRequest.newest().version(version.id()));
        assertThat(state.isWhole()).isTrue();
        found.add(state.number());
      }
      assertThat(found).isEqualTo(numbers);
    }
  }

  // ---------------------------------------------------------------- one examination

  private void examine(MemoryStore store, String what) throws IOException {
    read(store, what);
    outcomes.merge(restart(store, what), 1, Integer::sum);
    progress.made();
  }

  private static Outcome restart(MemoryStore store, String what) {
    long before = allocated();
    SampleState state = new SampleState();
    Outcome outcome;
    try {
      outcome = judge(state, state.restore(store), what);
    } catch (CheckpointUnavailableException | CheckpointDirectoryException e) {
      assertThat(e).as(what).hasMessageContaining(FILE);
      outcome = Outcome.REFUSED;
    } catch (Throwable e) {
      return fail(what + " ended in " + e, e);
    }
    assertThat(allocated() - before).as(what + ": heap allocated").isLessThan(MOST_ALLOCATED);
    return outcome;
  }

  private static Outcome judge(SampleState state, RestartReport report, String what) {
    assertThat(report.isRestored()).as(what + ": versions existed").isTrue();
    assertThat(state.isWhole()).as(what + ": state " + state.number()).isTrue();
    assertThat(state.number()).as(what).isBetween(1L, (long) VERSIONS);
    if (state.number() == VERSIONS) {
      return Outcome.NEWEST;
    }
    assertThat(report.problems()).as(what + ": what was lost and why").isNotEmpty();
    assertThat(String.join("\n", report.problems())).containsAnyOf(FILE, "superblock");
    return Outcome.OLDER;
  }

  private static long allocated() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }

  /** Reads every version as {@code show} and {@code verify} do; what comes out must be right. */
  private static void read(MemoryStore store, String what) {
    try (ContainerReader reader = ContainerReader.open(store, FILE);
        Workers alone = new Workers(1, "reader")) {
      for (VersionInfo version : reader.versions()) {
        readVersion(reader, version, alone, what);
      }
    } catch (CorruptContainerException | UnsupportedFormatException e) {
      assertThat(e).as(what).hasMessageContaining(FILE);
    } catch (Throwable e) {
      fail(what + " ended in " + e, e);
    }
  }

  private static void readVersion(
      ContainerReader reader, VersionInfo version, Workers alone, String what) throws IOException {
    VersionView view;
    try {
      view = reader.view(version.id());
    } catch (CorruptContainerException e) {
      assertThat(e).as(what).hasMessageContaining(FILE);
      return;
    }
    Map<String, Object> right = SampleState.arrays(version.id().sequence());
    List<String> wrong = new ArrayList<>();
    List<VersionSource.Damage> damages =
        BlockScan.run(
            view,
            view.datasets(),
            alone,
            (dataset, block, bytes) -> {
              if (!matches(right.get(dataset.name()), dataset, block, bytes)) {
                wrong.add(dataset.name() + " block " + block);
              }
            },
            false,
            done -> {});
    assertThat(wrong).as(what + ": blocks that pass verification but are wrong").isEmpty();
    for (VersionSource.Damage damage : damages) {
      assertThat(damage.what()).contains(FILE, damage.dataset());
    }
  }

  private static boolean matches(
      @Nullable Object array, DatasetEntry dataset, int block, MemorySegment bytes) {
    MemorySegment right =
        switch (array) {
          case long[] longs -> MemorySegment.ofArray(longs);
          case double[] doubles -> MemorySegment.ofArray(doubles);
          case int[] ints -> MemorySegment.ofArray(ints);
          case byte[] octets -> MemorySegment.ofArray(octets);
          case null, default -> throw new AssertionError(array);
        };
    long offset = (long) block * dataset.spec().blockSize();
    return right.asSlice(offset, dataset.blockLength(block)).mismatch(bytes) < 0;
  }

  // ---------------------------------------------------------------- making damage

  private static MemoryStore flipped(long position, int mask) throws IOException {
    MemoryStore store = intact.copy();
    try (StoreFile file = store.open(FILE, Store.Access.WRITE)) {
      byte[] one = new byte[1];
      file.read(position, MemorySegment.ofArray(one));
      one[0] ^= (byte) mask;
      file.write(position, MemorySegment.ofArray(one));
    }
    return store;
  }

  private static void overwrite(MemoryStore store, long position, byte[] bytes) throws IOException {
    try (StoreFile file = store.open(FILE, Store.Access.WRITE)) {
      file.write(position, MemorySegment.ofArray(bytes));
    }
  }

  private static byte[] bytes(MemoryStore store) throws IOException {
    try (StoreFile file = store.open(FILE, Store.Access.READ)) {
      byte[] all = new byte[Math.toIntExact(file.size())];
      file.read(0, MemorySegment.ofArray(all));
      return all;
    }
  }
}
