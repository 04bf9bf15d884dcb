// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.cairn.CheckpointBuilder;
import org.cairn.CheckpointFailedException;
import org.cairn.CheckpointStats;
import org.cairn.Checkpointer;
import org.cairn.Checkpoints;
import org.cairn.Dataset;
import org.cairn.DatasetStats;
import org.cairn.ElementType;
import org.cairn.Options;
import org.cairn.RestartRequest;
import org.cairn.SavedVersion;
import org.cairn.Tracking;
import org.cairn.comm.Ranks;
import org.cairn.device.HostDevice;
import org.cairn.job.LogLines;
import org.cairn.supply.UnseenWrites;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.testkit.store.MemoryDirectories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a program sees of tracking; each kind of watch inherits this. Pages are 4 KiB and blocks 16
 * KiB here unless said otherwise.
 */
abstract class TrackingTest {
  private static final int BLOCK = 16 << 10;
  private static final int PAGE = 4 << 10;
  private static final long BYTES = 1 << 20;

  @TempDir Path directory;

  private PageWatch watch;

  /** Opened for each test. */
  abstract PageWatch watch() throws UnwatchableException;

  @BeforeEach
  void useTheWatch() throws UnwatchableException {
    watch = watch();
    SharedPages.use(SharedPages.of(watch, new FirstWritePrice(0), PAGE));
  }

  @AfterEach
  void useTheWatchOfTheProcess() {
    SharedPages.use(null);
    watch.close();
  }

  static Options options() {
    return Options.defaults().threads(1).verifyEvery(1_000).tracking(Tracking.REQUIRED);
  }

  Checkpointer open(Options options) {
    return Checkpointer.open(directory.resolve("checkpoints"), options);
  }

  static DatasetStats seen(CheckpointStats stats, String name) {
    return stats.datasets().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  static DatasetStats take(Checkpointer cairn, String name) {
    return seen(cairn.checkpoint().stats().orElseThrow(), name);
  }

  /** Writes a byte to each of some pages. */
  static void write(MemorySegment memory, int... pages) {
    for (int page : pages) {
      long at = (long) page * PAGE + 7;
      memory.set(JAVA_BYTE, at, (byte) (memory.get(JAVA_BYTE, at) + 1));
    }
  }

  @Test
  void onlyBlocksOnWrittenPagesAreHashed() {
    try (Checkpointer cairn = open(options())) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      assertThat(take(cairn, "grid").hashedBytes()).isEqualTo(BYTES);
      DatasetStats nothing = take(cairn, "grid");
      assertThat(nothing.writtenBytes()).isZero();
      assertThat(nothing.hashedBytes()).isZero();
      write(grid, 3, 17);
      DatasetStats some = take(cairn, "grid");
      assertThat(some.writtenBytes()).isEqualTo(2 * PAGE);
      assertThat(some.hashedBytes()).isEqualTo(2 * BLOCK);
      assertThat(some.changedBytes()).isEqualTo(2 * BLOCK);
      assertThat(some.tracking()).startsWith("tracked");
    }
  }

  @Test
  void blocksMayBeSmallerThanPagesAndLarger() {
    try (Checkpointer cairn = open(options())) {
      MemorySegment small = cairn.allocate("small", BYTES);
      cairn.dataset("small").blockSize(512);
      MemorySegment large = cairn.allocate("large", BYTES);
      cairn.dataset("large").blockSize(256 << 10);
      cairn.checkpoint();
      write(small, 1);
      write(large, 1);
      CheckpointStats stats = cairn.checkpoint().stats().orElseThrow();
      assertThat(seen(stats, "small").hashedBytes()).isEqualTo(PAGE);
      assertThat(seen(stats, "small").changedBytes()).isEqualTo(512);
      assertThat(seen(stats, "large").hashedBytes()).isEqualTo(256 << 10);
    }
  }

  @Test
  void theFirstCheckpointAfterARestartIsDifferentialAndTracked() {
    try (Checkpointer cairn = open(options())) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      write(grid, 5);
      cairn.checkpoint();
    }
    try (Checkpointer cairn = open(options())) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      assertThat(cairn.restart().isRestored()).isTrue();
      write(grid, 40);
      DatasetStats first = take(cairn, "grid");
      assertThat(first.hashedBytes()).isEqualTo(BLOCK);
      assertThat(first.changedBytes()).isEqualTo(BLOCK);
    }
  }

  /** It may have the bytes of either, and then it has not those that the version has of both. */
  @Test
  void memoryThatTwoDatasetsHaveIsHashedAfterARestart() {
    int leftEnds = (int) BYTES * 3 / 4;
    int rightBegins = (int) BYTES / 4;
    MemorySegment both = Arena.ofAuto().allocate(BYTES, PAGE);
    try (Checkpointer cairn = open(options())) {
      Dataset left = cairn.protect("left", both.asSlice(0, leftEnds));
      cairn.protect("right", both.asSlice(rightBegins));
      try (CheckpointBuilder checkpoint = cairn.begin()) {
        checkpoint.add(left);
        both.fill((byte) 1);
        checkpoint.commit();
      }
    }
    try (Checkpointer cairn = open(options())) {
      cairn.protect("left", both.asSlice(0, leftEnds));
      cairn.protect("right", both.asSlice(rightBegins));
      cairn.restart();
      cairn.checkpoint();
    }
    try (Checkpoints saved = Checkpoints.open(directory.resolve("checkpoints"))) {
      SavedVersion newest = saved.newest();
      byte[] now = both.toArray(JAVA_BYTE);
      assertThat(newest.read("left").bytes()).isEqualTo(Arrays.copyOf(now, leftEnds));
      assertThat(newest.read("right").bytes())
          .isEqualTo(Arrays.copyOfRange(now, rightBegins, now.length));
    }
  }

  @Test
  void whatIsProtectedAfterTheRestartIsTrackedToo() {
    try (Checkpointer cairn = open(options())) {
      cairn.allocate("grid", BYTES);
      cairn.checkpoint();
    }
    try (Checkpointer cairn = open(options())) {
      cairn.protect("step", 1L);
      cairn.restart();
      MemorySegment grid = cairn.allocate("grid", BYTES);
      write(grid, 9);
      assertThat(take(cairn, "grid").hashedBytes()).isEqualTo(BLOCK);
    }
  }

  @Test
  void peekingSaysNothingOfWhatTheProgramDoesAfterwards() {
    try (Checkpointer cairn = open(options())) {
      write(cairn.allocate("grid", BYTES), 1);
      cairn.checkpoint();
    }
    try (Checkpointer cairn = open(options())) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      cairn.peek(RestartRequest.newest(), "grid");
      write(grid, 2);
      cairn.protect("other", 1L);
      cairn.restart(RestartRequest.newest().only("other"));
      assertThat(take(cairn, "grid").hashedBytes()).isEqualTo(BYTES);
    }
  }

  @Test
  void anOlderVersionIsAnotherBase() {
    try (Checkpointer cairn = open(options().retain(3))) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      var first = cairn.checkpoint().version();
      write(grid, 2);
      cairn.checkpoint();
      cairn.restart(RestartRequest.newest().version(first));
      assertThat(grid.get(JAVA_BYTE, 2 * PAGE + 7)).isZero();
      write(grid, 8);
      DatasetStats next = take(cairn, "grid");
      assertThat(next.changedBytes()).isEqualTo(BLOCK);
      assertThat(next.hashedBytes()).isEqualTo(BLOCK);
    }
  }

  @Test
  void whatAFailedCheckpointFoundIsNotForgotten() {
    CrashingStore store = new CrashingStore(1);
    try (Checkpointer cairn = Checkpointer.open(store, options())) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      cairn.checkpoint();
      write(grid, 3);
      store.failAt(1);
      assertThatThrownBy(cairn::checkpoint).isInstanceOf(CheckpointFailedException.class);
      store.failAt(Long.MAX_VALUE);
      write(grid, 33);
      cairn.begin().abort();
      DatasetStats next = take(cairn, "grid");
      assertThat(next.changedBytes()).isEqualTo(2 * BLOCK);
    }
  }

  @Test
  void twoDatasetsMayHaveTheSameMemory() {
    try (Checkpointer cairn = open(options());
        Checkpointer other = Checkpointer.open(directory.resolve("others"), options())) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      cairn.protect("half", grid.asSlice(BYTES / 2));
      other.protect("grid", grid, ElementType.DOUBLE);
      cairn.checkpoint();
      other.checkpoint();
      write(grid, 200);
      CheckpointStats stats = cairn.checkpoint().stats().orElseThrow();
      assertThat(seen(stats, "grid").changedBytes()).isEqualTo(BLOCK);
      assertThat(seen(stats, "half").changedBytes()).isEqualTo(BLOCK);
      cairn.unprotect("grid");
      write(grid, 201);
      assertThat(take(cairn, "half").changedBytes()).isEqualTo(BLOCK);
      assertThat(take(other, "grid").changedBytes()).isEqualTo(BLOCK);
    }
  }

  /** Of pages that it shares with others it is not known whose writes they saw. */
  @Test
  void twoDatasetsMayMeetInTheMiddleOfAPage() {
    try (Checkpointer cairn = open(options())) {
      MemorySegment both = Arena.ofAuto().allocate(BYTES, PAGE);
      long middle = BYTES / 2 + 8;
      cairn.protect("left", both.asSlice(0, middle));
      cairn.protect("right", both.asSlice(middle));
      cairn.checkpoint();
      both.set(JAVA_LONG, middle - 8, 1);
      CheckpointStats stats = cairn.checkpoint().stats().orElseThrow();
      assertThat(seen(stats, "left").changedBytes()).isEqualTo(8);
      assertThat(seen(stats, "right").changedBytes()).isZero();
      both.set(JAVA_LONG, middle, 1);
      stats = cairn.checkpoint().stats().orElseThrow();
      assertThat(seen(stats, "left").changedBytes()).isZero();
      assertThat(seen(stats, "right").changedBytes()).isEqualTo(BLOCK);
    }
  }

  @Test
  void otherMemoryIsLookedAtAsAWhole() {
    try (Checkpointer cairn = open(options())) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      cairn.checkpoint();
      MemorySegment next = Arena.ofAuto().allocate(BYTES + BLOCK, PAGE).copyFrom(grid);
      write(next, 1);
      cairn.dataset("grid").replace(next);
      DatasetStats seen = take(cairn, "grid");
      assertThat(seen.hashedBytes()).isEqualTo(BYTES + BLOCK);
      assertThat(seen.changedBytes()).isEqualTo(2 * BLOCK);
      write(next, 2);
      assertThat(take(cairn, "grid").hashedBytes()).isEqualTo(BLOCK);
    }
  }

  @Test
  void aDatasetThatShrinksIsLookedAtAsAWholeOnce() {
    try (Checkpointer cairn = open(options())) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      cairn.checkpoint();
      MemorySegment half = grid.asSlice(0, BYTES / 2 + 100);
      cairn.dataset("grid").replace(half);
      assertThat(take(cairn, "grid").hashedBytes()).isEqualTo(BYTES / 2 + 100);
      write(half, 5);
      DatasetStats next = take(cairn, "grid");
      assertThat(next.changedBytes()).isEqualTo(BLOCK);
      assertThat(next.hashedBytes()).as("the last page is shared").isEqualTo(BLOCK + 100);
    }
  }

  @Test
  void anotherBlockSizeOrHashIsAnotherBase() {
    try (Checkpointer cairn = open(options())) {
      cairn.allocate("grid", BYTES);
      cairn.checkpoint();
      cairn.dataset("grid").blockSize(8 << 10);
      assertThat(take(cairn, "grid").changedBytes()).isEqualTo(BYTES);
      assertThat(take(cairn, "grid").hashedBytes()).isZero();
    }
  }

  @Test
  void whatWasMarkedIsHashed() {
    try (Checkpointer cairn = open(options())) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      cairn.checkpoint();
      Checkpointer.mark(grid.asSlice(5 * PAGE + 1, 1));
      assertThat(take(cairn, "grid").hashedBytes()).isEqualTo(BLOCK);
      assertThat(take(cairn, "grid").hashedBytes()).isZero();
    }
  }

  /** A segment without known bounds ends where no address can be rounded up any more. */
  @Test
  void allThereIsCanBeMarked() {
    try (Checkpointer cairn = open(options())) {
      cairn.allocate("grid", BYTES);
      cairn.checkpoint();
      Checkpointer.mark(MemorySegment.NULL.reinterpret(Long.MAX_VALUE));
      assertThat(take(cairn, "grid").hashedBytes()).isEqualTo(BYTES);
      Checkpointer.mark(MemorySegment.ofAddress(PAGE).reinterpret(Long.MAX_VALUE));
      assertThat(take(cairn, "grid").hashedBytes()).isEqualTo(BYTES);
    } finally {
      UnseenWrites.unmark(0, Long.MAX_VALUE);
    }
  }

  @Test
  void whatIsOnItsWayCountsAsWritten() {
    try (Checkpointer cairn = open(options())) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      cairn.checkpoint();
      try (var _ = UnseenWrites.expect(grid.asSlice(0, 8))) {
        assertThat(take(cairn, "grid").hashedBytes()).isEqualTo(BLOCK);
        assertThat(take(cairn, "grid").hashedBytes()).isEqualTo(BLOCK);
      }
      assertThat(take(cairn, "grid").hashedBytes()).isEqualTo(BLOCK);
      assertThat(take(cairn, "grid").hashedBytes()).isZero();
    }
  }

  /** Tells nobody of anything, while it keeps silent. */
  private static final class SilentWatch extends WatchAround {
    private boolean isSilent;

    SilentWatch(PageWatch watch) {
      super(watch);
    }

    @Override
    public void scan(long from, long to, Written written) throws UnwatchableException {
      super.scan(from, to, isSilent ? (first, end) -> {} : written);
    }
  }

  /** What wrote past the page tables is found when everything is hashed, and costs the version. */
  @Test
  void aCleanPageThatChangedFailsTheVersionByNameAndEndsTracking() {
    SilentWatch silent = new SilentWatch(watch);
    SharedPages.use(SharedPages.of(silent, new FirstWritePrice(0), PAGE));
    String what = "block 3 of dataset \"grid\" changed, and no write to its pages was seen";
    try (Checkpointer cairn = open(options().verifyEvery(4))) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      cairn.checkpoint();
      cairn.checkpoint();
      silent.isSilent = true;
      write(grid, 13);
      assertThat(take(cairn, "grid").hashedBytes()).as("nobody knows").isZero();
      silent.isSilent = false;
      assertThatThrownBy(cairn::checkpoint)
          .isInstanceOf(CheckpointFailedException.class)
          .hasMessageContaining(what)
          .hasMessageContaining("Checkpointer.mark")
          .hasMessageContaining("Tracking.OFF");
      DatasetStats next = take(cairn, "grid");
      assertThat(next.hashedBytes()).isEqualTo(BYTES);
      assertThat(next.changedBytes()).isEqualTo(BLOCK);
      assertThat(next.tracking()).contains("not tracked", what);
    }
    try (Checkpointer cairn = open(options())) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      cairn.restart();
      assertThat(grid.get(JAVA_BYTE, 13 * PAGE + 7)).isEqualTo((byte) 1);
    }
  }

  /** A version that another rank did not get is no version: nothing written before it is lost. */
  @Test
  void aVersionThatFailedElsewhereLosesNothing() {
    CrashingStore[] stores = {new CrashingStore(1), new CrashingStore(2)};
    MemoryDirectories places = new MemoryDirectories();
    places.put("rank0", stores[0]);
    places.put("rank1", stores[1]);
    Ranks.run(
        2,
        rank -> {
          try (Checkpointer cairn = Checkpointer.open(places, rank, options())) {
            MemorySegment grid = cairn.allocate("grid", BYTES);
            cairn.checkpoint();
            write(grid, 3);
            if (rank.rank() == 1) {
              stores[1].failAt(1);
            }
            assertThatThrownBy(cairn::checkpoint).isInstanceOf(CheckpointFailedException.class);
            stores[rank.rank()].failAt(Long.MAX_VALUE);
            write(grid, 33);
            assertThat(take(cairn, "grid").changedBytes()).isGreaterThanOrEqualTo(BLOCK);
            assertThat(take(cairn, "grid").hashedBytes()).isZero();
          }
          try (Checkpointer cairn = Checkpointer.open(places, rank, options())) {
            MemorySegment grid = cairn.allocate("grid", BYTES);
            assertThat(cairn.restart().isRestored()).isTrue();
            assertThat(grid.get(JAVA_BYTE, 3 * PAGE + 7)).isEqualTo((byte) 1);
            assertThat(grid.get(JAVA_BYTE, 33 * PAGE + 7)).isEqualTo((byte) 1);
          }
        });
  }

  @Test
  void everyFewCheckpointsEverythingIsHashed() {
    try (Checkpointer cairn = open(options().verifyEvery(3))) {
      cairn.allocate("grid", BYTES);
      List<Long> hashed = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        hashed.add(take(cairn, "grid").hashedBytes());
      }
      assertThat(hashed).containsExactly(BYTES, 0L, BYTES, 0L, 0L, BYTES);
    }
  }

  @Test
  void switchedOffItHashesEverything() {
    try (Checkpointer cairn = open(options().tracking(Tracking.OFF))) {
      cairn.allocate("grid", BYTES);
      cairn.checkpoint();
      DatasetStats seen = take(cairn, "grid");
      assertThat(seen.hashedBytes()).isEqualTo(BYTES);
      assertThat(seen.writtenBytes()).isEqualTo(-1);
      assertThat(seen.tracking()).contains("as configured");
    }
  }

  /** What costs more than it saves is stopped, and tried again with a few pages. */
  @Test
  void whatDoesNotPayIsStopped() {
    SharedPages.use(SharedPages.of(watch, new FirstWritePrice(1e6), PAGE));
    try (Checkpointer cairn = open(options().tracking(Tracking.AUTO))) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      List<String> decisions = new ArrayList<>();
      for (int i = 0; i < 14; i++) {
        write(grid, IntStream.range(0, (int) BYTES / PAGE).toArray());
        DatasetStats seen = take(cairn, "grid");
        decisions.add(seen.tracking().split(":", 2)[0]);
        assertThat(seen.changedBytes()).isPositive();
      }
      assertThat(decisions)
          .startsWith("tracked", "not tracked for 8 checkpoints")
          .contains("not tracked") // but for a sample
          .endsWith("not tracked for 16 checkpoints");
    }
  }

  /** The first scans of a process are slow, and those that follow are not. */
  private static final class ColdWatch extends WatchAround {
    private int scans;

    ColdWatch(PageWatch watch) {
      super(watch);
    }

    @Override
    public void scan(long from, long to, Written written) throws UnwatchableException {
      super.scan(from, to, written);
      if (scans++ < 3) {
        sleep(50);
      }
    }
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void codeThatIsNewToTheProcessDoesNotDecide() {
    SharedPages.use(SharedPages.of(new ColdWatch(watch), new FirstWritePrice(0), PAGE));
    try (Checkpointer cairn = open(options().tracking(Tracking.AUTO))) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      cairn.checkpoint();
      for (int i = 0; i < 3; i++) {
        write(grid, i);
        assertThat(take(cairn, "grid").tracking()).startsWith("tracked");
      }
    }
  }

  /** A checkpoint that hashes everything to verify says nothing of what tracking costs. */
  @Test
  void whatIsVerifiedDoesNotDecide() {
    try (Checkpointer cairn = open(options().tracking(Tracking.AUTO).verifyEvery(1))) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      for (int i = 0; i < 12; i++) {
        write(grid, i);
        DatasetStats seen = take(cairn, "grid");
        assertThat(seen.hashedBytes()).isEqualTo(BYTES);
        assertThat(seen.tracking()).startsWith("tracked");
      }
    }
  }

  /**
   * The first checkpoint may have hashed with code that was never compiled. Where that decides, one
   * more hashes everything, and no other one. The rate is this machine's, so all prices are tried.
   */
  @Test
  void whatIsDoubtfulIsMeasuredOnceMore() {
    int measured = 0;
    for (double nanos = 10; nanos < 1e6; nanos *= 1.3) {
      SharedPages.use(SharedPages.of(watch, new FirstWritePrice(nanos), PAGE));
      Path place = directory.resolve("price-" + (long) nanos);
      try (Checkpointer cairn = Checkpointer.open(place, options().tracking(Tracking.AUTO))) {
        MemorySegment grid = cairn.allocate("grid", BYTES);
        cairn.checkpoint();
        int whole = 0;
        for (int i = 0; i < 6; i++) {
          write(grid, IntStream.range(0, 64).toArray());
          DatasetStats seen = take(cairn, "grid");
          boolean known = i > 0 && seen.writtenBytes() >= 0; // of the first nothing was watched yet
          whole += known && seen.hashedBytes() == BYTES ? 1 : 0;
        }
        assertThat(whole).isLessThanOrEqualTo(1);
        measured += whole;
      }
    }
    assertThat(measured).isPositive();
  }

  /** Two arrays that take turns are other memory at every checkpoint. */
  @Test
  void memoryThatMovesEachTimeIsHashed() {
    MemorySegment[] both = {
      Arena.ofAuto().allocate(BYTES, PAGE), Arena.ofAuto().allocate(BYTES, PAGE)
    };
    int[] turn = {0};
    try (Checkpointer cairn = open(options().tracking(Tracking.AUTO))) {
      cairn.protect(
          "grid", MemorySegment.class, () -> both[turn[0] % 2], bytes -> both[turn[0] % 2]);
      List<String> decisions = new ArrayList<>();
      for (; turn[0] < 5; turn[0]++) {
        write(both[turn[0] % 2], 3 * turn[0]);
        DatasetStats seen = take(cairn, "grid");
        assertThat(seen.hashedBytes()).isEqualTo(BYTES);
        decisions.add(seen.tracking());
      }
      assertThat(decisions.getFirst()).startsWith("tracked");
      assertThat(decisions.getLast()).contains("other memory each time");
    }
  }

  @Test
  void memoryThatADeviceReachesIsHashedUnlessItIsMarked() {
    try (Checkpointer cairn = open(options())) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      cairn.checkpoint();
      write(grid, 1);
      assertThat(take(cairn, "grid").hashedBytes()).isEqualTo(BLOCK);
      try (var _ = HostDevice.ONLY.register(grid)) {
        DatasetStats reached = take(cairn, "grid");
        assertThat(reached.hashedBytes()).isEqualTo(BYTES);
        assertThat(reached.tracking()).contains("reaches it by itself", "Checkpointer.mark");
        Checkpointer.mark(grid.asSlice(0, 1));
        assertThat(take(cairn, "grid").hashedBytes())
            .isEqualTo(BYTES); // what was before is unknown
        Checkpointer.mark(grid.asSlice(40 * PAGE, 8));
        assertThat(take(cairn, "grid").hashedBytes()).isEqualTo(BLOCK);
      }
    }
  }

  /** What was marked of memory counts for who has it, and for nobody who has it afterwards. */
  @Test
  void whatWasMarkedSaysNothingOfThoseWhoHaveTheMemoryLater() {
    try (Checkpointer cairn = open(options())) {
      MemorySegment grid = Arena.ofAuto().allocate(BYTES, PAGE);
      MemorySegment next = Arena.ofAuto().allocate(BYTES, PAGE);
      try (var _ = HostDevice.ONLY.register(grid);
          var _ = HostDevice.ONLY.register(next)) {
        expectMarked(cairn, "grid", grid);
        cairn.unprotect("grid");
        expectUnmarked(cairn, "other", grid);

        cairn.unprotect("other");
        expectMarked(cairn, "grid", grid);
        cairn.dataset("grid").replace(next);
        assertThat(take(cairn, "grid").tracking()).contains("reaches it by itself");
        expectUnmarked(cairn, "other", grid);

        // Of memory at which no checkpoint has looked meanwhile.
        cairn.unprotect("other");
        cairn.protect("other", grid);
        Checkpointer.mark(grid.asSlice(0, 1));
        cairn.unprotect("other");
        expectUnmarked(cairn, "third", grid);
      }
    }
  }

  private static void expectMarked(Checkpointer cairn, String name, MemorySegment memory) {
    cairn.protect(name, memory);
    cairn.checkpoint();
    Checkpointer.mark(memory.asSlice(0, 1));
    cairn.checkpoint();
    write(memory, 3);
    assertThat(take(cairn, name).hashedBytes()).isEqualTo(BLOCK);
  }

  private static void expectUnmarked(Checkpointer cairn, String name, MemorySegment memory) {
    cairn.protect(name, memory);
    cairn.checkpoint();
    write(memory, 3);
    DatasetStats seen = take(cairn, name);
    assertThat(seen.hashedBytes()).isEqualTo(BYTES);
    assertThat(seen.tracking()).contains("reaches it by itself");
  }

  @Test
  void whatADeviceReachedUntilNowIsHashedOnceMore() {
    try (Checkpointer cairn = open(options())) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      cairn.checkpoint();
      try (var _ = HostDevice.ONLY.register(grid)) {
        cairn.checkpoint();
      }
      assertThat(take(cairn, "grid").hashedBytes()).isEqualTo(BYTES);
      assertThat(take(cairn, "grid").hashedBytes()).isZero();
    }
  }

  @Test
  void heapMemoryIsRefusedWhereTrackingIsRequired() {
    try (Checkpointer cairn = open(options().tracking(Tracking.REQUIRED))) {
      cairn.protect("step", 0L); // less than a page costs nothing to hash
      assertThatThrownBy(() -> cairn.protect("u", new double[1 << 20]))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("\"u\"")
          .hasMessageContaining("heap")
          .hasMessageContaining("allocate");
      assertThatThrownBy(() -> cairn.protect("s", MemorySegment.ofArray(new long[1 << 20])))
          .hasMessageContaining("heap");
      MemorySegment grid = cairn.allocate("grid", BYTES);
      cairn.checkpoint();
      write(grid, 1);
      assertThat(take(cairn, "grid").hashedBytes()).isEqualTo(BLOCK);
    }
  }

  @Test
  void heapMemoryInThePlaceOfTrackedMemoryIsHashedAndTheLogWarns() {
    try (Checkpointer cairn = open(options());
        LogLines log = new LogLines(Trackers.class)) {
      cairn.allocate("grid", BYTES);
      cairn.checkpoint();
      cairn.dataset("grid").replace(MemorySegment.ofArray(new byte[(int) BYTES]));
      assertThat(take(cairn, "grid").hashedBytes()).isEqualTo(BYTES);
      cairn.checkpoint();
      assertThat(log.with("\"grid\" is not tracked, which is required")).hasSize(1);
    }
  }

  @Test
  void aMachineThatCannotIsNamedWhereTrackingIsRequired() {
    SharedPages.use(SharedPages.none("the kernel is too old"));
    assertThatThrownBy(() -> open(options().tracking(Tracking.REQUIRED)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the kernel is too old")
        .hasMessageContaining("Tracking.AUTO");
    try (Checkpointer cairn = open(options().tracking(Tracking.AUTO))) {
      cairn.allocate("grid", BYTES);
      cairn.checkpoint();
      DatasetStats seen = take(cairn, "grid");
      assertThat(seen.hashedBytes()).isEqualTo(BYTES);
      assertThat(seen.tracking()).contains("the kernel is too old");
    }
  }

  @Test
  void anArenaClosedEarlyIsNamedAndNothingIsLost() {
    try (Checkpointer cairn = open(options())) {
      Arena arena = Arena.ofShared();
      cairn.protect("grid", arena.allocate(BYTES, PAGE));
      cairn.checkpoint();
      arena.close();
      assertThatThrownBy(cairn::checkpoint).hasMessageContaining("grid");
      cairn.unprotect("grid");
      cairn.allocate("other", BYTES);
      cairn.checkpoint();
      assertThat(cairn.versions()).hasSize(2);
    }
  }

  @Test
  void manySmallDatasetsAreHashed() {
    SharedPages.use(SharedPages.of(watch, new FirstWritePrice(0), 256 << 10));
    try (Checkpointer cairn = open(options().tracking(Tracking.AUTO))) {
      MemorySegment all = Arena.ofAuto().allocate(2_000 * 64, PAGE);
      for (int i = 0; i < 2_000; i++) {
        cairn.protect("d" + i, all.asSlice(i * 64L, 64));
      }
      cairn.checkpoint();
      all.set(JAVA_BYTE, 64, (byte) 1);
      CheckpointStats stats = cairn.checkpoint().stats().orElseThrow();
      assertThat(stats.dirtyBlocks()).isEqualTo(1);
      assertThat(seen(stats, "d1").tracking()).contains("small");
    }
  }

  /** Has room for so many ranges, however many are watched when it is asked. */
  private static final class NarrowWatch extends WatchAround {
    private int room = 2;

    NarrowWatch(PageWatch watch) {
      super(watch);
    }

    @Override
    public int room() {
      int left = room;
      room = 0;
      return left;
    }
  }

  /** A JVM that gets no mapping any more ends, in the middle of whatever it does. */
  @Test
  void mappingsAreLeftToTheJvm() {
    SharedPages.use(SharedPages.of(new NarrowWatch(watch), new FirstWritePrice(0), PAGE));
    try (Checkpointer cairn = open(options())) {
      List.of("a", "b", "c", "d").forEach(name -> cairn.allocate(name, BYTES));
      List<DatasetStats> all = cairn.checkpoint().stats().orElseThrow().datasets();
      assertThat(all.subList(0, 2)).allMatch(one -> one.tracking().equals("tracked"));
      cairn.checkpoint();
      assertThat(take(cairn, "b").hashedBytes()).isZero();
      DatasetStats hashed = take(cairn, "c");
      assertThat(hashed.hashedBytes()).isEqualTo(BYTES);
      assertThat(hashed.tracking()).contains("vm.max_map_count");
      cairn.unprotect("a");
      cairn.allocate("e", BYTES);
      assertThat(take(cairn, "e").tracking()).isEqualTo("tracked");
    }
  }

  @Test
  void versionsAreByteForByteWhatHashingEverythingSaves() throws IOException {
    Path file = Files.createFile(directory.resolve("input"));
    byte[] input = new byte[3 * PAGE];
    java.util.Arrays.fill(input, (byte) 7);
    Files.write(file, input);
    try (Checkpointer cairn = open(options())) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      cairn.checkpoint();
      // The kernel writes here, not Java.
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
        channel.read(grid.asSlice(10 * PAGE, 3 * PAGE).asByteBuffer());
      }
      assertThat(take(cairn, "grid").changedBytes()).isEqualTo(2 * BLOCK);
    }
    try (Checkpointer cairn = open(options())) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      cairn.restart();
      assertThat(grid.asSlice(10 * PAGE, 3 * PAGE).toArray(JAVA_BYTE)).isEqualTo(input);
    }
  }
}
