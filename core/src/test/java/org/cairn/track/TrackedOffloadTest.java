// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.cairn.CheckpointFailedException;
import org.cairn.Checkpointer;
import org.cairn.DatasetStats;
import org.cairn.Options;
import org.cairn.Strategy;
import org.cairn.Tracking;
import org.cairn.device.Device;
import org.cairn.device.HostDevice;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Thorough;
import org.cairn.testkit.store.CrashingStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Memory that is registered with a device, which hashes it and writes to it past the page tables,
 * while its pages are tracked: which of them looks at what, and that nothing is missed.
 */
@Thorough(times = 8)
class TrackedOffloadTest {
  private static final int PAGE = 4 << 10;
  private static final int BLOCK = 16 << 10;

  /** More than is left to the crew in any case. */
  private static final long BYTES = (4L << 20) + 5 * PAGE;

  private static final int STEPS = 40;
  private static final String NAME = "field";

  private static final Options OPTIONS =
      Options.defaults().threads(1).strategy(Strategy.DIFFERENTIAL).offload(true);

  @AfterEach
  void nothingIsLeft() {
    SharedPages.use(null);
    HostDevice.ONLY.reset();
  }

  // ---------------------------------------------------------------- who looks at what

  private static DatasetStats take(Checkpointer cairn) {
    return cairn.checkpoint().stats().orElseThrow().datasets().getFirst();
  }

  /** Where pages tell what was written, the processor hashes that, and nothing goes to a device. */
  @Test
  void whatIsTrackedIsHashedByTheProcessor() {
    SharedPages.use(SharedPages.of(new CopyWatch(PAGE), new FirstWritePrice(0), PAGE));
    try (Arena arena = Arena.ofShared();
        Checkpointer cairn =
            Checkpointer.open(
                new CrashingStore(1), OPTIONS.tracking(Tracking.REQUIRED).verifyEvery(4))) {
      MemorySegment field = arena.allocate(BYTES, PAGE);
      try (var _ = HostDevice.ONLY.register(field)) {
        cairn.protect(NAME, field);
        cairn.checkpoint(); // all is new
        Checkpointer.mark(field.asSlice(0, 8));
        cairn.checkpoint(); // what was written before is not known
        HostDevice.ONLY.failAt(0, true);
        for (int i = 3; i < 9; i++) {
          field.set(JAVA_BYTE, 10L * BLOCK, (byte) i);
          DatasetStats seen = take(cairn);
          assertThat(seen.hashedBytes()).isEqualTo(i % 4 == 0 ? BYTES : BLOCK);
          assertThat(seen.changedBytes()).isEqualTo(BLOCK);
        }
        assertThat(HostDevice.ONLY.hasFailed()).as("anybody has asked the device").isFalse();
        HostDevice.ONLY.failAt(-1, false);
      }
    }
  }

  /** Where they do not, because nobody says when the device writes, the device hashes all of it. */
  @Test
  void whatIsNotMarkedIsHashedByTheDevice() {
    SharedPages.use(SharedPages.of(new CopyWatch(PAGE), new FirstWritePrice(0), PAGE));
    try (Arena arena = Arena.ofShared();
        Checkpointer cairn = Checkpointer.open(new CrashingStore(1), OPTIONS)) {
      MemorySegment field = arena.allocate(BYTES, PAGE);
      try (var _ = HostDevice.ONLY.register(field)) {
        cairn.protect(NAME, field);
        cairn.checkpoint(); // the crew is measured
        field.set(JAVA_BYTE, 10L * BLOCK, (byte) 1);
        DatasetStats seen = take(cairn);
        assertThat(HostDevice.ONLY.hostHashes()).isEqualTo(1);
        assertThat(seen.tracking()).contains("reaches it by itself");
        assertThat(seen.hashedBytes()).isEqualTo(BYTES);
        assertThat(seen.changedBytes()).isEqualTo(BLOCK);
      }
    }
  }

  @Test
  void whatADeviceHashesOfTheHostIsInTheFigures() {
    SharedPages.use(SharedPages.none("this test does without"));
    try (Arena arena = Arena.ofShared();
        Checkpointer cairn = Checkpointer.open(new CrashingStore(1), OPTIONS)) {
      MemorySegment field = arena.allocate(BYTES, PAGE);
      try (var _ = HostDevice.ONLY.register(field)) {
        cairn.protect(NAME, field);
        cairn.checkpoint();
        // Nothing has changed: nobody else hashes anything.
        assertThat(cairn.checkpoint().stats().orElseThrow().hashing()).isPositive();
        assertThat(HostDevice.ONLY.hostHashes()).isEqualTo(1);
      }
    }
  }

  /** Pages that are dear to track are not; then the device may hash, and so all is as before. */
  @Test
  void whatIsNotWorthTrackingIsHashedByTheDevice() {
    SharedPages.use(SharedPages.of(new CopyWatch(PAGE), new FirstWritePrice(1e7), PAGE));
    try (Arena arena = Arena.ofShared();
        Checkpointer cairn = Checkpointer.open(new CrashingStore(1), OPTIONS)) {
      MemorySegment field = arena.allocate(BYTES, PAGE);
      try (var _ = HostDevice.ONLY.register(field)) {
        cairn.protect(NAME, field);
        cairn.checkpoint();
        Checkpointer.mark(field.asSlice(0, 8));
        List<String> words = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          field.fill((byte) (i + 1));
          DatasetStats seen = take(cairn);
          assertThat(seen.changedBytes()).isEqualTo(BYTES);
          words.add(seen.tracking());
        }
        assertThat(words.getLast()).startsWith("not tracked for");
        assertThat(HostDevice.ONLY.hostHashes()).isPositive();
      }
    }
  }

  // ---------------------------------------------------------------- that nothing is missed

  @SeededTest(seeds = 5)
  void everyVersionHasTheBytesOfMemoryWithCopies(Random random) {
    run(random, new CopyWatch(PAGE), true);
  }

  @SeededTest(seeds = 5)
  void everyVersionHasTheBytesOfMemoryWithPages(Random random) {
    try (UserfaultWatch watch = UserfaultWatch.open()) {
      assumeTrue(watch.pageSize() == PAGE, "this test is for pages of 4 KiB");
      run(random, watch, true);
    } catch (UnwatchableException e) {
      assumeTrue(false, "pages cannot be tracked here: " + e.why());
    }
  }

  /** A device that writes and a program that does not say so would make both fail. */
  @Test
  void aProgramThatForgetsToMarkIsFound() {
    assertThatThrownBy(
            () -> {
              for (int seed = 0; seed < 20; seed++) {
                run(new Random(seed), new CopyWatch(PAGE), false);
              }
            })
        .satisfiesAnyOf(
            e -> assertThat(e).isInstanceOf(AssertionError.class),
            e -> assertThat(e).hasMessageContaining("no write to its pages was seen"));
  }

  private static void run(Random random, PageWatch watch, boolean honest) {
    ProcessorWatch pages = new ProcessorWatch(watch);
    SharedPages.use(
        SharedPages.of(pages, new FirstWritePrice(random.nextBoolean() ? 0 : 1e6), PAGE));
    HostDevice.ONLY.reset();
    try (Run run = new Run(random, pages, honest)) {
      for (int i = 0; i < STEPS; i++) {
        run.step();
      }
      run.checkpoint();
      run.restart();
    }
  }

  /** Sees what the processor writes, as page tables do; what a device writes it does not. */
  private static final class ProcessorWatch extends WatchAround {
    private final TreeSet<Long> unseen = new TreeSet<>();

    ProcessorWatch(PageWatch watch) {
      super(watch);
    }

    /** Other bytes, by a device. */
    void writeUnseen(MemorySegment target, byte value) {
      long from = target.address() / PAGE * PAGE;
      long end = target.address() + target.byteSize();
      for (long page = from; page < end; page += PAGE) {
        unseen.add(page);
      }
      target.fill(value);
    }

    /** All of these pages will be told, whoever wrote to them. */
    void see(MemorySegment target) {
      long from = target.address() / PAGE * PAGE;
      unseen.subSet(from, target.address() + target.byteSize()).clear();
    }

    @Override
    public void watch(long from, long to) throws UnwatchableException {
      unseen.subSet(from, to).clear();
      super.watch(from, to);
    }

    @Override
    public void scan(long from, long to, Written written) throws UnwatchableException {
      super.scan(
          from,
          to,
          (first, end) -> {
            for (long page = first; page < end; page += PAGE) {
              if (!unseen.contains(page)) {
                written.pages(page, page + PAGE);
              }
            }
          });
      unseen.subSet(from, to).clear();
    }
  }

  private static final class Run implements AutoCloseable {
    private final Random random;
    private final ProcessorWatch pages;

    /** Whether it keeps what it has promised. */
    private final boolean honest;

    private final CrashingStore store;
    private final Options options;
    private final Arena arena = Arena.ofShared();
    private Checkpointer cairn;
    private MemorySegment field;
    private Device.Registration registration = () -> {};
    private boolean registered;

    /** Whether the program says of this memory when the device has written to it. */
    private boolean marks;

    private byte[] saved = new byte[0];

    Run(Random random, ProcessorWatch pages, boolean honest) {
      this.random = random;
      this.pages = pages;
      this.honest = honest;
      this.store = new CrashingStore(random.nextLong());
      Strategy[] strategies = Strategy.values();
      this.options =
          OPTIONS
              .threads(1 + random.nextInt(2))
              .asynchronous(random.nextBoolean())
              .strategy(strategies[random.nextInt(strategies.length)])
              .blockSize(PAGE << random.nextInt(5))
              .verifyEvery(random.nextBoolean() ? 5 : 1_000)
              .tracking(random.nextBoolean() ? Tracking.AUTO : Tracking.REQUIRED);
      this.field = arena.allocate(BYTES, PAGE);
      this.cairn = Checkpointer.open(store, options);
      protect();
      checkpoint();
    }

    private void protect() {
      settle();
      cairn.protect(NAME, field);
    }

    /** What the program does with this memory. */
    private void settle() {
      marks = random.nextInt(3) > 0;
      if (!registered && random.nextInt(3) > 0) {
        register();
      }
    }

    private void register() {
      HostDevice.ONLY.failAt(-1, false); // the program would notice
      registration = HostDevice.ONLY.register(field);
      registered = true;
    }

    void step() {
      switch (random.nextInt(16)) {
        case 0, 1, 2 -> write();
        case 3, 4, 5, 6 -> writeByDevice();
        case 7 -> toggle();
        case 8 -> failToCheckpoint();
        case 9 -> cairn.begin().abort();
        case 10 -> replace();
        case 11 -> protectAnew();
        case 12 -> restart();
        case 13 -> spoilDevice();
        default -> checkpoint();
      }
    }

    /** Some bytes, of one page or of some. */
    private MemorySegment some() {
      long from = random.nextLong(BYTES);
      long most = random.nextBoolean() ? 16 : 10 * PAGE;
      return field.asSlice(from, 1 + random.nextLong(Math.min(most, BYTES - from)));
    }

    private void write() {
      MemorySegment target = some();
      pages.see(target);
      target.fill((byte) random.nextInt());
    }

    private void writeByDevice() {
      if (registered) {
        MemorySegment target = some();
        pages.writeUnseen(target, (byte) random.nextInt());
        if (marks && (honest || random.nextBoolean())) {
          Checkpointer.mark(target);
        }
      }
    }

    private void toggle() {
      if (registered) {
        // What a device wrote to memory that it no longer has must have been looked at, or marked.
        checkpoint();
        release();
      } else {
        register();
      }
    }

    private void release() {
      registration.close();
      registration = () -> {};
      registered = false;
    }

    private void replace() {
      checkpoint();
      release();
      MemorySegment next = arena.allocate(BYTES, PAGE).copyFrom(field);
      cairn.dataset(NAME).replace(next);
      field = next;
      settle();
    }

    /** As where memory is freed and allocated again at the same place. */
    private void protectAnew() {
      checkpoint();
      cairn.unprotect(NAME);
      protect();
    }

    private void spoilDevice() {
      if (random.nextBoolean()) {
        HostDevice.ONLY.lieFrom(random.nextInt(3));
      } else {
        HostDevice.ONLY.failAt(random.nextInt(3), random.nextBoolean());
      }
    }

    void checkpoint() {
      cairn.checkpoint().await();
      saved = field.toArray(JAVA_BYTE);
    }

    private void failToCheckpoint() {
      store.failAt(1 + random.nextInt(4));
      try {
        cairn.checkpoint().await();
      } catch (CheckpointFailedException e) {
        assertThat(e).hasMessageNotContaining("no write to its pages was seen");
      } finally {
        store.failAt(Long.MAX_VALUE);
      }
      checkpoint();
    }

    /** The program ends, and the next one goes on from the last version, in other memory. */
    void restart() {
      cairn.close();
      release();
      cairn = Checkpointer.open(store, options);
      field = arena.allocate(BYTES, PAGE);
      protect();
      assertThat(cairn.restart().isRestored()).isTrue();
      assertThat(field.mismatch(MemorySegment.ofArray(saved))).as("first difference").isEqualTo(-1);
    }

    @Override
    public void close() {
      cairn.close();
      release();
      arena.close();
    }
  }
}
