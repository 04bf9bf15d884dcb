// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.cairn.Checkpointer;
import org.cairn.DatasetStats;
import org.cairn.Tracking;
import org.cairn.testkit.random.OnlyThorough;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The same with the watch of the kernel, where there is one, and what only that can do. */
class UserfaultTrackingTest extends TrackingTest {
  private static final AtomicInteger WITH_PAGES = new AtomicInteger();
  private static final int PAGE = 4 << 10;
  private static final long BYTES = 1 << 20;

  @Override
  PageWatch watch() {
    try {
      UserfaultWatch watch = UserfaultWatch.open();
      assumeTrue(watch.pageSize() == PAGE, "these tests are for pages of 4 KiB");
      WITH_PAGES.incrementAndGet();
      return watch;
    } catch (UnwatchableException e) {
      assumeTrue(false, "pages cannot be tracked here: " + e.why());
      throw new AssertionError(e);
    }
  }

  @AfterAll
  static void tellHowMany() {
    System.out.println("tracking: " + WITH_PAGES + " tests ran with pages of the kernel");
  }

  @Test
  void pagesGivenBackToTheKernelAreSeen() throws Throwable {
    try (Checkpointer cairn = open(options())) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      grid.fill((byte) 1);
      cairn.checkpoint();
      KernelWrites.madvise(grid.asSlice(20 * PAGE, PAGE), KernelWrites.GIVE_BACK); // now zeros
      assertThat(grid.get(JAVA_BYTE, 20 * PAGE)).isZero();
      assertThat(take(cairn, "grid").changedBytes()).isEqualTo(16 << 10);
    }
  }

  /** The same address, other memory: what was watched of it is not. */
  @Test
  void memoryMappedAnewCountsAsWrittenAndIsWatchedAgain() throws Throwable {
    LinuxCalls system = LinuxCalls.find();
    MemorySegment grid = system.map(BYTES);
    try (Checkpointer cairn = open(options())) {
      grid.fill((byte) 1);
      cairn.protect("grid", grid);
      cairn.checkpoint();
      KernelWrites.mapAnew(grid.asSlice(20 * PAGE, PAGE));
      DatasetStats seen = take(cairn, "grid");
      assertThat(seen.hashedBytes()).isEqualTo(BYTES);
      assertThat(seen.changedBytes()).isEqualTo(16 << 10);
      assertThat(take(cairn, "grid").hashedBytes()).as("from nothing").isEqualTo(BYTES);
      write(grid, 20, 40);
      assertThat(take(cairn, "grid").hashedBytes()).isEqualTo(2 * (16 << 10));
    } finally {
      system.unmap(grid);
    }
  }

  /** A huge page is told as a whole, or page by page: more is hashed then, and nothing is lost. */
  @Test
  void writesToHugePagesAreSeen() throws Throwable {
    int huge = 2 << 20;
    try (Checkpointer cairn = open(options());
        Arena arena = Arena.ofShared()) {
      MemorySegment grid = arena.allocate(2 * huge, huge);
      KernelWrites.madvise(grid, KernelWrites.HUGE_PAGES);
      grid.fill((byte) 1);
      cairn.protect("grid", grid);
      cairn.checkpoint();
      assertThat(take(cairn, "grid").hashedBytes()).isZero();
      write(grid, 700);
      DatasetStats seen = take(cairn, "grid");
      assertThat(seen.changedBytes()).isEqualTo(16 << 10);
      assertThat(seen.writtenBytes()).isBetween((long) PAGE, (long) huge);
      assertThat(seen.hashedBytes()).isBetween(16L << 10, (long) huge);
    }
  }

  /** What is watched apart from all else takes two mappings, and the JVM needs some, too. */
  @Test
  void aQuarterOfTheMappingsIsLeftToOthers() throws Exception {
    Path limit = Path.of("/proc/sys/vm/max_map_count");
    long most = Long.parseLong(Files.readAllLines(limit).getFirst());
    try (UserfaultWatch watch = UserfaultWatch.open()) {
      assertThat((long) watch.room()).isBetween(most / 4, most * 3 / 8);
    }
  }

  /** Whoever is started from here neither has the descriptors nor watches anything. */
  @Test
  void descriptorsAreClosedForOtherPrograms() throws Exception {
    List<Path> open;
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      open = all.filter(UserfaultTrackingTest::isOfWatch).toList();
    }
    assertThat(open).hasSizeGreaterThanOrEqualTo(2);
    for (Path one : open) {
      String flags =
          Files.readAllLines(Path.of("/proc/self/fdinfo").resolve(one.getFileName())).stream()
              .filter(line -> line.startsWith("flags:"))
              .findFirst()
              .orElseThrow()
              .substring("flags:".length())
              .strip();
      assertThat(Long.parseLong(flags, 8) & 02000000).as("%s: close on exec", one).isPositive();
    }
  }

  private static boolean isOfWatch(Path descriptor) {
    try {
      String file = Files.readSymbolicLink(descriptor).toString();
      return file.contains("userfaultfd") || file.endsWith("/pagemap");
    } catch (IOException e) {
      return false; // that of the list
    }
  }

  /** Another number would be another call. */
  @Test
  void theNumberOfTheCallIsKnownOrNotGuessed() throws UnwatchableException {
    assertThat(UserfaultWatch.number("amd64")).isEqualTo(323);
    assertThat(UserfaultWatch.number("aarch64")).isEqualTo(282);
    assertThatThrownBy(() -> UserfaultWatch.number("riscv64"))
        .isInstanceOf(UnwatchableException.class)
        .hasMessageContaining("the number of the call userfaultfd is not known on riscv64");
  }

  @Test
  void aMappedFileIsHashedAndSaysWhy() throws IOException {
    Path file = directory.resolve("mapped");
    try (FileChannel channel =
            FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        Checkpointer cairn = open(options().tracking(Tracking.AUTO))) {
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, Arena.ofAuto());
      cairn.protect("mapped", mapped);
      cairn.checkpoint();
      DatasetStats seen = take(cairn, "mapped");
      assertThat(seen.hashedBytes()).isEqualTo(BYTES);
      assertThat(seen.tracking()).contains("mapped file");
    }
    try (Checkpointer cairn =
            Checkpointer.open(
                directory.resolve("required"), options().tracking(Tracking.REQUIRED));
        FileChannel channel =
            FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, Arena.ofAuto());
      assertThatThrownBy(() -> cairn.protect("mapped", mapped))
          .hasMessageContaining("\"mapped\"")
          .hasMessageContaining("mapped file");
    }
  }

  @Test
  void memoryThatSomebodyElseWatchesIsHashed() throws UnwatchableException {
    try (UserfaultWatch somebody = UserfaultWatch.open();
        Checkpointer cairn = open(options().tracking(Tracking.AUTO))) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      somebody.watch(grid.address(), grid.address() + BYTES);
      cairn.checkpoint();
      DatasetStats seen = take(cairn, "grid");
      assertThat(seen.hashedBytes()).isEqualTo(BYTES);
      assertThat(seen.tracking()).contains("somebody else");
    }
  }

  /** More stretches than one call of the kernel tells of. */
  @Test
  void scatteredPagesAreToldInSeveralCalls() throws UnwatchableException {
    try (UserfaultWatch watch = UserfaultWatch.open();
        Arena arena = Arena.ofConfined()) {
      int pages = 40_000;
      MemorySegment memory = arena.allocate((long) pages * PAGE, PAGE);
      long end = memory.address() + memory.byteSize();
      watch.watch(memory.address(), end);
      watch.scan(memory.address(), end, (from, to) -> {});
      for (int i = 0; i < pages; i += 2) {
        memory.set(JAVA_BYTE, (long) i * PAGE, (byte) 1);
      }
      AtomicInteger told = new AtomicInteger();
      watch.scan(memory.address(), end, (from, to) -> told.addAndGet((int) ((to - from) / PAGE)));
      assertThat(told.get()).isEqualTo(pages / 2);
      watch.scan(memory.address(), end, (from, to) -> told.incrementAndGet());
      assertThat(told.get()).isEqualTo(pages / 2);
    }
  }

  /** What the first way of older kernels overlooks the second one tells, and protects again. */
  @Test
  void onOlderKernelsPagesAreAskedForInBothWays() throws UnwatchableException {
    assertThat(List.of("6.7.12", "6.8.0-31-generic", "of its own"))
        .allMatch(UserfaultWatch::misreadsPages);
    assertThat(List.of("6.9.0", "6.12", "6.18.44-fc-v595", "7.0.1"))
        .noneMatch(UserfaultWatch::misreadsPages);
    try (UserfaultWatch watch = UserfaultWatch.open("6.8.0-31-generic");
        Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(BYTES, PAGE);
      long end = memory.address() + memory.byteSize();
      watch.watch(memory.address(), end);
      watch.scan(memory.address(), end, (from, to) -> {});
      List<Long> told = new ArrayList<>();
      PageWatch.Written note = (from, to) -> told.add((from - memory.address()) / PAGE);
      write(memory, 3, 70);
      watch.scanAnywhere(memory.address(), end, note);
      assertThat(told).containsExactly(3L, 70L);
      watch.scan(memory.address(), end, note);
      assertThat(told).hasSize(2);
      write(memory, 5);
      watch.scan(memory.address(), end, note);
      assertThat(told).containsExactly(3L, 70L, 5L);
    }
  }

  /** Sparse: of pages that nobody wrote to there is one in the machine. */
  @Test
  @OnlyThorough
  void aSegmentOf3GiBIsTrackedToItsEnd() throws UnwatchableException {
    long bytes = 3L << 30;
    LinuxCalls system = LinuxCalls.find();
    MemorySegment grid = system.map(bytes);
    long[] written = {0, (2L << 30) - 1, 2L << 30, (5L << 29) + 12_345, bytes - 1};
    try {
      try (Checkpointer cairn = open(options())) {
        cairn.protect("grid", grid);
        cairn.checkpoint();
        for (long at : written) {
          grid.set(JAVA_BYTE, at, (byte) 9);
        }
        DatasetStats seen = take(cairn, "grid");
        assertThat(seen.writtenBytes()).isEqualTo(written.length * (long) PAGE);
        assertThat(seen.hashedBytes()).isEqualTo(written.length * (16L << 10));
        assertThat(seen.changedBytes()).isEqualTo(written.length * (16L << 10));
      }
      for (long at : written) {
        grid.set(JAVA_BYTE, at, (byte) 0);
      }
      try (Checkpointer cairn = open(options())) {
        cairn.protect("grid", grid);
        cairn.restart();
        for (long at : written) {
          assertThat(grid.get(JAVA_BYTE, at)).as("byte %d", at).isEqualTo((byte) 9);
        }
      }
    } finally {
      system.unmap(grid);
    }
  }

  @Test
  void memoryThatIsNotWatchedFailsAScan() throws UnwatchableException {
    try (UserfaultWatch watch = UserfaultWatch.open();
        Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(BYTES, PAGE);
      long end = memory.address() + memory.byteSize();
      watch.watch(memory.address(), end);
      watch.unwatch(memory.address() + PAGE, memory.address() + 2 * PAGE);
      assertThatThrownBy(() -> watch.scan(memory.address(), end, (from, to) -> {}))
          .isInstanceOf(UnwatchableException.class);
    }
  }

  @Test
  void mappingsAreReadAsTheKernelWritesThem() {
    Mappings mappings =
        Mappings.parse(
            List.of(
                "1000-3000 rw-p 00000000 00:00 0 ",
                "3000-4000 rw-p 00000000 00:00 0                          [heap]",
                "4000-5000 r--p 00000000 00:00 0 ",
                "5000-6000 rw-p 00000000 08:01 1234                       /lib/some lib.so",
                "6000-7000 rw-s 00000000 00:01 0                          /dev/zero (deleted)",
                "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0  [vsyscall]"));
    assertThat(mappings.refusal(0x1000, 0x4000)).isEmpty();
    assertThat(mappings.refusal(0x3000, 0x5000).orElseThrow()).contains("cannot be read");
    assertThat(mappings.refusal(0x5000, 0x6000).orElseThrow()).contains("mapped file");
    assertThat(mappings.refusal(0x6000, 0x7000).orElseThrow()).contains("shared");
    assertThat(mappings.refusal(0x6000, 0x8000)).isPresent();
    assertThat(mappings.refusal(0x8000, 0x9000).orElseThrow()).contains("not mapped");
  }
}
