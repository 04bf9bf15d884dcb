// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.cairn.Checkpoint;
import org.cairn.CheckpointFailedException;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.Tracking;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Thorough;
import org.cairn.testkit.store.CrashingStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs whose memory is written in every way there is: by Java, by the kernel for files and
 * messages, by giving pages back or mapping them anew; which put other memory in its place, free
 * it, and whose checkpoints fail or are given up. Every version has the bytes that memory had.
 */
@Thorough(times = 8)
class TrackedWritesTest {
  private static final int PAGE = 4 << 10;
  private static final int STEPS = 60;
  private static final String[] NAMES = {"left", "middle", "right"};

  @TempDir Path directory;

  @AfterEach
  void useTheWatchOfTheProcess() {
    SharedPages.use(null);
  }

  @SeededTest(seeds = 5)
  void everyVersionHasTheBytesOfMemory(Random random) throws Throwable {
    Path file = directory.resolve("input");
    byte[] input = new byte[64 * PAGE];
    random.nextBytes(input);
    Files.write(file, input);
    try (UserfaultWatch watch = UserfaultWatch.open();
        FileChannel channel = FileChannel.open(file)) {
      assumeTrue(watch.pageSize() == PAGE, "this test is for pages of 4 KiB");
      double price = random.nextBoolean() ? 0 : 20_000;
      SharedPages.use(SharedPages.of(watch, new FirstWritePrice(price), PAGE));
      try (Run run = new Run(random, channel)) {
        for (int i = 0; i < STEPS; i++) {
          run.step();
        }
        run.checkpoint();
        run.restart();
      }
    } catch (UnwatchableException e) {
      assumeTrue(false, "pages cannot be tracked here: " + e.why());
    }
  }

  /** Memory of a dataset, which begins and ends within pages. */
  private record Mapped(MemorySegment all, MemorySegment bytes) {}

  private static final class Run implements AutoCloseable {
    private final LinuxCalls system = LinuxCalls.find();
    private final Random random;
    private final FileChannel input;
    private final CrashingStore store;
    private final Options options;
    private final Map<String, Mapped> memory = new TreeMap<>();
    private final Map<String, byte[]> saved = new TreeMap<>();
    private Checkpointer cairn;

    Run(Random random, FileChannel input) throws UnwatchableException {
      this.random = random;
      this.input = input;
      this.store = new CrashingStore(random.nextLong());
      this.options =
          Options.defaults()
              .threads(1 + random.nextInt(2))
              .blockSize(512 << random.nextInt(7))
              .verifyEvery(random.nextBoolean() ? 5 : 1_000)
              .tracking(random.nextBoolean() ? Tracking.AUTO : Tracking.REQUIRED);
      this.cairn = Checkpointer.open(store, options);
      for (String name : NAMES) {
        protect(name, map(1 + random.nextInt(60 * PAGE)));
      }
      checkpoint();
    }

    private Mapped map(long bytes) {
      int lead = 8 * random.nextInt(PAGE / 8);
      MemorySegment all = system.map(Math.ceilDiv(lead + bytes, PAGE) * PAGE);
      return new Mapped(all, all.asSlice(lead, bytes));
    }

    private void protect(String name, Mapped mapped) {
      memory.put(name, mapped);
      cairn.protect(name, mapped.bytes);
    }

    private Mapped of(String name) {
      return Objects.requireNonNull(memory.get(name));
    }

    /** Some bytes of a dataset. */
    private MemorySegment some(MemorySegment bytes) {
      long from = random.nextLong(bytes.byteSize());
      long most = random.nextBoolean() ? 16 : 10 * PAGE;
      return bytes.asSlice(from, 1 + random.nextLong(Math.min(most, bytes.byteSize() - from)));
    }

    /** Some whole pages of a dataset; what else lies on them belongs to nobody. */
    private MemorySegment somePages(MemorySegment all) {
      long pages = all.byteSize() / PAGE;
      long from = random.nextLong(pages);
      return all.asSlice(from * PAGE, PAGE * (1 + random.nextLong(Math.min(4, pages - from))));
    }

    void step() throws Throwable {
      String name = NAMES[random.nextInt(NAMES.length)];
      MemorySegment all = of(name).all;
      MemorySegment bytes = of(name).bytes;
      switch (random.nextInt(17)) {
        case 0, 1 -> some(bytes).set(JAVA_BYTE, 0, (byte) random.nextInt());
        case 2 -> some(bytes).fill((byte) random.nextInt());
        case 3 -> copy(some(bytes));
        case 4, 5 -> read(some(bytes));
        case 6, 7 -> deliver(some(bytes));
        case 8 -> KernelWrites.madvise(somePages(all), KernelWrites.GIVE_BACK);
        case 9 -> KernelWrites.mapAnew(somePages(all));
        case 10 -> replace(name);
        case 11 -> freeAndProtectAnew(name);
        case 12 -> failToCheckpoint();
        case 13 -> cairn.begin().abort();
        case 14 -> checkpointWhileWriting(bytes);
        case 15 -> restart();
        default -> checkpoint();
      }
    }

    private void copy(MemorySegment target) {
      byte[] bytes = new byte[(int) target.byteSize()];
      random.nextBytes(bytes);
      MemorySegment.copy(bytes, 0, target, JAVA_BYTE, 0, bytes.length);
    }

    private void read(MemorySegment target) throws IOException {
      assertThat(input.read(target.asByteBuffer(), random.nextInt(20 * PAGE))).isPositive();
    }

    private void deliver(MemorySegment target) throws Throwable {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment message = arena.allocate(target.byteSize());
        message.fill((byte) random.nextInt());
        if (!KernelWrites.deliver(message, target)) {
          target.copyFrom(message);
        }
      }
    }

    private void replace(String name) {
      Mapped before = of(name);
      Mapped next = map(1 + random.nextInt(60 * PAGE));
      long common = Math.min(before.bytes.byteSize(), next.bytes.byteSize());
      MemorySegment.copy(before.bytes, 0, next.bytes, 0, common);
      cairn.dataset(name).replace(next.bytes);
      memory.put(name, next);
      system.unmap(before.all);
    }

    private void freeAndProtectAnew(String name) {
      Mapped before = of(name);
      cairn.unprotect(name);
      system.unmap(before.all);
      // Likely at the same place.
      protect(name, map(before.bytes.byteSize()));
    }

    void checkpoint() {
      cairn.checkpoint();
      remember();
    }

    private void remember() {
      memory.forEach((name, mapped) -> saved.put(name, mapped.bytes.toArray(JAVA_BYTE)));
    }

    /** What it has found must not be forgotten by the next one. */
    private void failToCheckpoint() {
      store.failAt(1 + random.nextInt(6));
      try {
        cairn.checkpoint();
      } catch (CheckpointFailedException e) {
        assertThat(e).hasMessageNotContaining("no write to its pages was seen");
      } finally {
        store.failAt(Long.MAX_VALUE);
      }
      checkpoint();
    }

    private void checkpointWhileWriting(MemorySegment bytes) {
      Checkpoint checkpoint = cairn.checkpointAsync();
      remember();
      copy(some(bytes));
      checkpoint.await();
    }

    /** The program ends, and the next one goes on from the last version, in other memory. */
    void restart() {
      cairn.close();
      cairn = Checkpointer.open(store, options);
      for (String name : NAMES) {
        Mapped before = of(name);
        system.unmap(before.all);
        protect(name, map(Objects.requireNonNull(saved.get(name)).length));
      }
      assertThat(cairn.restart().isRestored()).isTrue();
      saved.forEach(
          (name, expected) ->
              assertThat(of(name).bytes.toArray(JAVA_BYTE)).as(name).isEqualTo(expected));
    }

    @Override
    public void close() {
      cairn.close();
      memory.values().forEach(mapped -> system.unmap(mapped.all));
    }
  }
}
