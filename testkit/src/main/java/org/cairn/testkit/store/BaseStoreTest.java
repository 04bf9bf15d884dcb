// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.cairn.store.Store;
import org.cairn.store.Store.Access;
import org.cairn.store.StoreFile;
import org.cairn.store.StoreLock;
import org.cairn.store.StoreLockedException;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The contract of {@link Store}. A store proves itself by a test class that inherits this one and
 * makes an empty store.
 */
public abstract class BaseStoreTest {
  private static final long GIB = 1L << 30;

  /** The store under test, empty before each test. */
  protected Store store;

  /** Makes an empty store. */
  protected abstract Store newStore() throws IOException;

  @BeforeEach
  void makeStore() throws IOException {
    store = newStore();
  }

  // Opening.

  @Test
  void createMakesAnEmptyFile() throws IOException {
    try (StoreFile file = store.open("a", Access.CREATE)) {
      assertThat(file.name()).isEqualTo("a");
      assertThat(file.size()).isZero();
    }
    assertThat(store.exists("a")).isTrue();
  }

  @Test
  void createKeepsAnExistingFile() throws IOException {
    put("a", "kept");
    store.open("a", Access.CREATE).close();
    assertThat(get("a")).isEqualTo("kept");
  }

  @Test
  void createNewMakesAFileOnce() throws IOException {
    try (StoreFile file = store.open("a", Access.CREATE_NEW)) {
      file.write(0, bytes("first"));
    }
    assertThatThrownBy(() -> store.open("a", Access.CREATE_NEW))
        .isInstanceOf(FileAlreadyExistsException.class)
        .hasMessageContaining(store.location("a"));
    assertThat(get("a")).isEqualTo("first");
    store.delete("a");
    store.open("a", Access.CREATE_NEW).close();
    assertThat(get("a")).isEmpty();
  }

  @Test
  void ofManyWhoCreateNewOneSucceeds() throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      for (int i = 0; i < 20; i++) {
        String name = "file" + i;
        Callable<Boolean> create = () -> createsNew(name);
        int created = 0;
        for (Future<Boolean> done : threads.invokeAll(List.of(create, create, create, create))) {
          created += done.get() ? 1 : 0;
        }
        assertThat(created).isEqualTo(1);
      }
    }
  }

  private boolean createsNew(String name) throws IOException {
    try {
      store.open(name, Access.CREATE_NEW).close();
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Access.class,
      names = {"READ", "WRITE"})
  void openingAnAbsentFileIsRefusedAndMakesNone(Access access) throws IOException {
    assertThatThrownBy(() -> store.open("absent", access))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining(store.location("absent"));
    assertThat(store.exists("absent")).isFalse();
  }

  @Test
  void writeAccessReadsAndWrites() throws IOException {
    put("a", "12345");
    try (StoreFile file = store.open("a", Access.WRITE)) {
      file.write(1, bytes("xy"));
      assertThat(text(file)).isEqualTo("1xy45");
    }
  }

  @Test
  void readAccessCannotChangeAnything() throws IOException {
    put("a", "12345");
    try (StoreFile file = store.open("a", Access.READ)) {
      assertThatThrownBy(() -> file.write(0, bytes("x")))
          .isInstanceOf(NonWritableChannelException.class);
      assertThatThrownBy(() -> file.write(0, bytes("")))
          .isInstanceOf(NonWritableChannelException.class);
      assertThatThrownBy(() -> file.writeLarge(0, bytes("x")))
          .isInstanceOf(NonWritableChannelException.class);
      assertThatThrownBy(() -> file.truncate(2)).isInstanceOf(NonWritableChannelException.class);
      file.force();
      assertThat(text(file)).isEqualTo("12345");
    }
  }

  @Test
  void allOpenFilesSeeTheSameBytes() throws IOException {
    try (StoreFile writer = store.open("a", Access.CREATE);
        StoreFile reader = store.open("a", Access.READ)) {
      writer.write(0, bytes("first"));
      assertThat(text(reader)).isEqualTo("first");
      writer.truncate(2);
      assertThat(text(reader)).isEqualTo("fi");
    }
  }

  @Test
  void aClosedFileRefusesEverything() throws IOException {
    StoreFile file = store.open("a", Access.CREATE);
    file.close();
    file.close();
    assertThatThrownBy(file::size).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> file.read(0, buffer(1))).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> file.read(0, buffer(0))).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> file.readOnce(0, buffer(1)))
        .isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> file.write(0, bytes("x"))).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> file.write(0, bytes(""))).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> file.writeLarge(0, bytes("x")))
        .isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> file.truncate(0)).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(file::force).isInstanceOf(ClosedChannelException.class);
  }

  // Names.

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".",
        "..",
        "/",
        "/etc/passwd",
        "a/b",
        "../a",
        "a/../../b",
        "a\0b",
        "a\0",
        "\\",
        "a\\b",
        "C:a",
        "a:stream",
        "a\nb",
        "\u001b[2J",
        "\u00e4",
        "\u202egnp.exe",
        "a*",
        "a?",
        "a|b",
        "<a>"
      })
  void oddNamesAreRefusedEverywhere(String name) throws IOException {
    put("good", "1");
    assertRefused(() -> store.open(name, Access.CREATE));
    assertRefused(() -> store.open(name, Access.READ));
    assertRefused(() -> store.exists(name));
    assertRefused(() -> store.location(name));
    assertRefused(() -> store.lock(name));
    assertRefused(
        () -> {
          store.delete(name);
          return "deleted";
        });
    assertRefused(
        () -> {
          store.rename(name, "target");
          return "renamed";
        });
    assertRefused(
        () -> {
          store.rename("good", name);
          return "renamed";
        });
    assertThat(store.list()).containsExactly("good");
  }

  @Test
  void tooLongNamesAreRefused() {
    assertRefused(() -> store.open("x".repeat(256), Access.CREATE));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "rank17.cairn", ".hidden", "...", "-", "a b", "~", "#x@y,z=1+2;{}"})
  void plainNamesAreAccepted(String name) throws IOException {
    put(name, "content");
    assertThat(store.list()).containsExactly(name);
    assertThat(get(name)).isEqualTo("content");
  }

  @Test
  void theLongestNameIsAccepted() throws IOException {
    String name = "x".repeat(255);
    put(name, "content");
    assertThat(store.list()).containsExactly(name);
  }

  @Test
  void locationEndsWithTheName() {
    assertThat(store.location("rank0.cairn")).endsWith("rank0.cairn").hasSizeGreaterThan(12);
  }

  // Reading and writing.

  @Test
  void readingStopsAtTheEnd() throws IOException {
    put("a", "12345");
    try (StoreFile file = store.open("a", Access.READ)) {
      MemorySegment target = buffer(10).fill((byte) '-');
      assertThat(file.read(2, target)).isEqualTo(3);
      assertThat(text(target)).isEqualTo("345-------");
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {5, 6, 1000, 5 * GIB, Long.MAX_VALUE - 10})
  void readingAtOrBeyondTheEndReadsNothing(long position) throws IOException {
    put("a", "12345");
    try (StoreFile file = store.open("a", Access.READ)) {
      MemorySegment target = buffer(10).fill((byte) '-');
      assertThat(file.read(position, target)).isZero();
      assertThat(text(target)).isEqualTo("----------");
    }
  }

  @Test
  void readingAnEmptyFileReadsNothing() throws IOException {
    try (StoreFile file = store.open("a", Access.CREATE)) {
      assertThat(file.read(0, buffer(10))).isZero();
    }
  }

  @Test
  void zeroLengthTransfersDoNothing() throws IOException {
    try (StoreFile file = store.open("a", Access.CREATE)) {
      file.write(100, bytes(""));
      assertThat(file.size()).isZero();
      file.write(0, bytes("12345"));
      assertThat(file.read(2, buffer(0))).isZero();
      assertThat(file.read(100, buffer(0))).isZero();
      assertThat(text(file)).isEqualTo("12345");
    }
  }

  @Test
  void gapsReadAsZeros() throws IOException {
    try (StoreFile file = store.open("a", Access.CREATE)) {
      file.write(100_000, bytes("end"));
      assertThat(file.size()).isEqualTo(100_003);
      MemorySegment gap = buffer(100_000).fill((byte) '-');
      assertThat(file.read(0, gap)).isEqualTo(100_000);
      assertThat(gap.mismatch(buffer(100_000))).isEqualTo(-1);
    }
  }

  @Test
  void bytesBeyondFourGigabytesAreFoundAgain() throws IOException {
    try (StoreFile file = store.open("a", Access.CREATE)) {
      long[] positions = {0, 2 * GIB - 3, 4 * GIB - 3, 5 * GIB + 1};
      for (long position : positions) {
        file.write(position, bytes("at " + position));
      }
      for (long position : positions) {
        String expected = "at " + position;
        MemorySegment target = buffer(expected.length());
        assertThat(file.read(position, target)).isEqualTo(expected.length());
        assertThat(text(target)).isEqualTo(expected);
      }
      assertThat(file.size()).isEqualTo(5 * GIB + 1 + ("at " + (5 * GIB + 1)).length());
      file.truncate(3 * GIB);
      assertThat(file.size()).isEqualTo(3 * GIB);
      assertThat(file.read(4 * GIB, buffer(10))).isZero();
    }
  }

  @Test
  void allKindsOfMemoryAreTransferred() throws IOException {
    double[] doubles = new Random(1).doubles(300_000).toArray();
    try (StoreFile file = store.open("a", Access.CREATE);
        Arena confined = Arena.ofConfined();
        Arena shared = Arena.ofShared()) {
      MemorySegment source = MemorySegment.ofArray(doubles);
      long size = source.byteSize();
      file.write(7, source.asReadOnly());
      assertThat(file.size()).isEqualTo(7 + size);
      List<MemorySegment> targets =
          List.of(
              confined.allocate(size),
              shared.allocate(size),
              MemorySegment.ofArray(new byte[(int) size]),
              MemorySegment.ofArray(new double[doubles.length]),
              MemorySegment.ofArray(new long[doubles.length]));
      for (MemorySegment target : targets) {
        assertThat(file.read(7, target)).isEqualTo(size);
        assertThat(target.mismatch(source)).isEqualTo(-1);
        file.write(7 + size, target);
        assertThat(file.read(7 + size, target)).isEqualTo(size);
        assertThat(target.mismatch(source)).isEqualTo(-1);
      }
    }
  }

  @Test
  void impossibleRangesAreRefused() throws IOException {
    try (StoreFile file = store.open("a", Access.CREATE)) {
      assertRefused(() -> file.read(-1, buffer(1)));
      assertRefused(() -> file.read(Long.MIN_VALUE, buffer(0)));
      assertRefused(() -> file.read(Long.MAX_VALUE, buffer(1)));
      assertThatThrownBy(() -> file.write(-1, bytes("x")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("-1");
      assertThatThrownBy(() -> file.write(Long.MAX_VALUE - 1, bytes("xyz")))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> file.writeLarge(-1, bytes("x")))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> file.truncate(-5))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("-5");
      assertThat(file.size()).isZero();
    }
  }

  @Test
  void truncateCutsAndNeverExtends() throws IOException {
    put("a", "12345");
    try (StoreFile file = store.open("a", Access.WRITE)) {
      file.truncate(10);
      assertThat(text(file)).isEqualTo("12345");
      file.truncate(5);
      assertThat(text(file)).isEqualTo("12345");
      file.truncate(2);
      assertThat(text(file)).isEqualTo("12");
      file.truncate(0);
      assertThat(file.size()).isZero();
    }
  }

  @Test
  void truncatedBytesDoNotComeBack() throws IOException {
    try (StoreFile file = store.open("a", Access.CREATE)) {
      file.write(0, MemorySegment.ofArray(new byte[100_000]).fill((byte) 'x'));
      file.truncate(10);
      file.write(99_999, bytes("y"));
      MemorySegment gap = buffer(99_989);
      assertThat(file.read(10, gap)).isEqualTo(99_989);
      assertThat(gap.mismatch(buffer(99_989))).isEqualTo(-1);
    }
  }

  @Test
  void bytesStayWhenTheFileIsReopened() throws IOException {
    try (StoreFile file = store.open("a", Access.CREATE)) {
      file.write(0, bytes("stays"));
      file.force();
    }
    store.forceDirectory();
    assertThat(get("a")).isEqualTo("stays");
  }

  /** Many random operations on two files, against arrays that are obviously right. */
  @SeededTest(seeds = 30)
  void behavesLikeAnArray(Random random) throws IOException {
    byte[] model = new byte[0];
    try (StoreFile file = store.open("a", Access.CREATE)) {
      for (int step = 0; step < 60; step++) {
        int position = random.nextInt(70_000);
        int length = random.nextInt(random.nextBoolean() ? 20 : 40_000);
        switch (random.nextInt(4)) {
          case 0, 1 -> {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            file.write(position, MemorySegment.ofArray(bytes));
            if (length > 0) {
              model = Arrays.copyOf(model, Math.max(model.length, position + length));
              System.arraycopy(bytes, 0, model, position, length);
            }
          }
          case 2 -> {
            file.truncate(position);
            model = Arrays.copyOf(model, Math.min(model.length, position));
          }
          default -> {
            byte[] bytes = new byte[length];
            long count = file.read(position, MemorySegment.ofArray(bytes));
            byte[] expected = new byte[length];
            int available = Math.clamp(model.length - position, 0, length);
            if (available > 0) {
              System.arraycopy(model, position, expected, 0, available);
            }
            assertThat(count).isEqualTo(available);
            assertThat(bytes).isEqualTo(expected);
          }
        }
        assertThat(file.size()).isEqualTo(model.length);
      }
      byte[] all = new byte[model.length];
      assertThat(file.read(0, MemorySegment.ofArray(all))).isEqualTo(model.length);
      assertThat(all).isEqualTo(model);
    }
  }

  /** Large and small, on pages and between them, in turn with what is written as always. */
  @SeededTest(seeds = 5)
  void whatIsWrittenInLargePiecesIsReadLikeAllElse(Random random) throws IOException {
    try (StoreFile file = store.open("a", Access.CREATE);
        StoreFile other = store.open("a", Access.READ)) {
      writeInLargePieces(random, file, other);
    }
  }

  /**
   * Writes at random places, and reads what is there.
   *
   * @param other the same file, opened once more
   */
  protected static void writeInLargePieces(Random random, StoreFile file, StoreFile other)
      throws IOException {
    byte[] model = new byte[6 << 20];
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(4 << 20, 4096);
      file.write(model.length - 1, MemorySegment.ofArray(new byte[1]));
      for (int step = 0; step < 20; step++) {
        int from = random.nextInt(1 << 20) & (random.nextBoolean() ? -4096 : -1);
        int length = random.nextInt(1, 3 << 20);
        int at = random.nextInt(model.length - length);
        // As if the memory were the file, or as it comes.
        at = random.nextInt(3) > 0 ? Math.max(0, at - 4096) & -4096 | from & 4095 : at;
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        System.arraycopy(bytes, 0, model, at, length);
        MemorySegment piece = memory.asSlice(from, length).copyFrom(MemorySegment.ofArray(bytes));
        if (random.nextInt(3) == 0) {
          file.write(at, piece);
        } else {
          assertThat(file.writeLarge(at, piece)).isBetween(0L, (long) length);
        }
        StoreFile reader = random.nextBoolean() ? file : other;
        byte[] all = new byte[model.length];
        assertThat(reader.read(0, MemorySegment.ofArray(all))).isEqualTo(model.length);
        assertThat(Arrays.mismatch(all, model)).isEqualTo(-1);
      }
    }
  }

  /** Pieces that begin and end on pages and elsewhere, and reach beyond the end of the file. */
  @SeededTest(seeds = 5)
  void whatIsReadOnceIsReadLikeAllElse(Random random) throws IOException {
    byte[] model = new byte[(18 << 20) + random.nextInt(5000)];
    random.nextBytes(model);
    try (StoreFile file = store.open("a", Access.CREATE);
        Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(2 << 20, 4096);
      for (long at = 0; at < model.length; at += memory.byteSize()) {
        long length = Math.min(memory.byteSize(), model.length - at);
        MemorySegment.copy(MemorySegment.ofArray(model), at, memory, 0, length);
        file.writeLarge(at, memory.asSlice(0, length));
      }
      for (int step = 0; step < 30; step++) {
        int mask = random.nextBoolean() ? -4096 : -1;
        int from = random.nextInt(1 << 19) & (random.nextBoolean() ? -4096 : -1);
        int length = random.nextInt(1, 1 << 20) & mask;
        int at =
            (random.nextInt(4) == 0 ? model.length - length / 2 : random.nextInt(16 << 20)) & mask;
        MemorySegment target = memory.asSlice(from, length);
        int expected = Math.min(length, model.length - at);
        assertThat(file.readOnce(at, target)).isEqualTo(expected);
        MemorySegment wanted = MemorySegment.ofArray(model).asSlice(at, expected);
        assertThat(target.asSlice(0, expected).mismatch(wanted)).isEqualTo(-1);
      }
      assertThat(file.readOnce(model.length, memory)).isZero();
      assertThat(file.readOnce(1L << 30, memory)).isZero();
    }
  }

  @Test
  void aDeletedFileTakesWhatIsLarge() throws IOException {
    try (StoreFile file = store.open("a", Access.CREATE);
        Arena arena = Arena.ofConfined()) {
      store.delete("a");
      put("a", "new");
      MemorySegment large = arena.allocate(StoreFile.LARGE, 4096).fill((byte) 7);
      file.writeLarge(0, large);
      assertThat(file.size()).isEqualTo(StoreFile.LARGE);
      MemorySegment last = buffer(1);
      file.read(StoreFile.LARGE - 1, last);
      assertThat(last.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 7);
    }
    assertThat(get("a")).isEqualTo("new");
  }

  // The directory.

  @Test
  void listIsSortedAndOwnedByTheCaller() throws IOException {
    assertThat(store.list()).isEmpty();
    for (String name : List.of("b", "a10", "a2", "C")) {
      put(name, name);
    }
    List<String> names = store.list();
    assertThat(names).containsExactly("C", "a10", "a2", "b");
    names.clear();
    assertThat(store.list()).hasSize(4);
  }

  @Test
  void renameMovesTheFile() throws IOException {
    put("from", "content");
    store.rename("from", "to");
    assertThat(store.list()).containsExactly("to");
    assertThat(get("to")).isEqualTo("content");
  }

  @Test
  void renameReplacesTheTarget() throws IOException {
    put("from", "new");
    put("to", "old and longer");
    store.rename("from", "to");
    assertThat(store.list()).containsExactly("to");
    assertThat(get("to")).isEqualTo("new");
  }

  @Test
  void renameToItselfKeepsTheFile() throws IOException {
    put("a", "content");
    store.rename("a", "a");
    assertThat(get("a")).isEqualTo("content");
    assertThatThrownBy(() -> store.rename("absent", "absent"))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void renameOfAnAbsentFileIsRefusedAndKeepsTheTarget() throws IOException {
    put("to", "kept");
    assertThatThrownBy(() -> store.rename("absent", "to"))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("absent");
    assertThat(get("to")).isEqualTo("kept");
  }

  @Test
  void openFilesFollowARename() throws IOException {
    put("to", "old");
    try (StoreFile moved = store.open("from", Access.CREATE);
        StoreFile replaced = store.open("to", Access.READ)) {
      moved.write(0, bytes("before"));
      store.rename("from", "to");
      moved.write(0, bytes("after "));
      moved.force();
      assertThat(text(replaced)).isEqualTo("old");
    }
    assertThat(get("to")).isEqualTo("after ");
  }

  @Test
  void deleteRemovesTheFileAndCanBeRepeated() throws IOException {
    put("a", "1");
    put("b", "2");
    store.delete("a");
    store.delete("a");
    assertThat(store.exists("a")).isFalse();
    assertThat(store.list()).containsExactly("b");
    assertThatThrownBy(() -> store.open("a", Access.READ)).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void aDeletedFileStaysUsableWhileOpen() throws IOException {
    try (StoreFile file = store.open("a", Access.CREATE)) {
      file.write(0, bytes("old"));
      store.delete("a");
      put("a", "new");
      file.write(3, bytes("er"));
      assertThat(text(file)).isEqualTo("older");
    }
    assertThat(get("a")).isEqualTo("new");
  }

  @Test
  void directoryCanBeForcedAtAnyTime() throws IOException {
    store.forceDirectory();
    put("a", "1");
    store.rename("a", "b");
    store.delete("b");
    store.forceDirectory();
    assertThat(store.list()).isEmpty();
  }

  @Test
  void thereIsSpace() throws IOException {
    assertThat(store.freeSpace()).isPositive();
  }

  // Names.

  @Test
  void anOpenFileKnowsWhetherItsNameStillLeadsToIt() throws IOException {
    try (StoreFile file = store.open("a", Store.Access.CREATE);
        StoreFile other = store.open("b", Store.Access.CREATE)) {
      assertThat(file.isNamed()).isTrue();
      store.rename("b", "a");
      assertThat(file.isNamed()).as("another file has its name").isFalse();
      assertThat(other.isNamed()).as("it was opened under another name").isFalse();
      store.delete("a");
      assertThat(file.isNamed()).as("no file has its name").isFalse();
    }
    try (StoreFile file = store.open("a", Store.Access.CREATE)) {
      assertThat(file.isNamed()).isTrue();
    }
  }

  // Locks.

  @Test
  void aSecondLockIsRefusedWithHolderAndRemedy() throws IOException {
    try (StoreLock lock = store.lock("lock")) {
      assertThat(lock.name()).isEqualTo("lock");
      assertThat(lock.isHeld()).isTrue();
      assertThat(lock.isNamed()).isTrue();
      assertThatThrownBy(() -> store.lock("lock"))
          .isInstanceOf(StoreLockedException.class)
          .hasMessageContaining(store.location("lock"))
          .hasMessageContaining("this process")
          .hasMessageContaining("process " + ProcessHandle.current().pid() + " on host ")
          .hasMessageContaining(" since 2")
          .hasMessageContaining("Close what was opened there first");
      assertThat(lock.isHeld()).isTrue();
      assertThatThrownBy(() -> store.lock("lock")).isInstanceOf(StoreLockedException.class);
    }
  }

  @Test
  void aReleasedLockCanBeTakenAgain() throws IOException {
    StoreLock first = store.lock("lock");
    first.close();
    first.close();
    assertThat(first.isHeld()).isFalse();
    try (StoreLock second = store.lock("lock")) {
      first.close(); // must not release the lock of someone else
      assertThat(second.isHeld()).isTrue();
      assertThatThrownBy(() -> store.lock("lock")).isInstanceOf(StoreLockedException.class);
    }
  }

  @Test
  void locksOfDifferentNamesAreIndependent() throws IOException {
    try (StoreLock one = store.lock("one");
        StoreLock two = store.lock("two")) {
      assertThat(one.isHeld()).isTrue();
      assertThat(two.isHeld()).isTrue();
    }
  }

  @Test
  void theFileOfALockIsOutOfReachWhileHeld() throws IOException {
    put("other", "1");
    try (StoreLock lock = store.lock("lock")) {
      assertThat(lock.isHeld()).isTrue();
      assertThat(store.list()).containsExactly("lock", "other");
      assertThatThrownBy(() -> store.open("lock", Access.READ))
          .isInstanceOf(StoreLockedException.class);
      assertThatThrownBy(() -> store.delete("lock")).isInstanceOf(StoreLockedException.class);
      assertThatThrownBy(() -> store.rename("lock", "x")).isInstanceOf(StoreLockedException.class);
      assertThatThrownBy(() -> store.rename("other", "lock"))
          .isInstanceOf(StoreLockedException.class);
    }
    store.delete("lock");
    assertThat(store.list()).containsExactly("other");
  }

  @Test
  void aLeftoverLockFileIsNoObstacle() throws IOException {
    put("lock", "pid 1\nhost elsewhere\nsince 2001-01-01T00:00:00Z\n");
    store.lock("lock").close();
    put("lock", "not a lock file at all");
    store.lock("lock").close();
  }

  @Test
  void oneOfManyThreadsGetsTheLock() throws Exception {
    List<Boolean> got =
        inThreads(
            8,
            thread -> {
              try {
                assertThat(store.lock("lock").isHeld()).isTrue();
                return true;
              } catch (StoreLockedException e) {
                return false;
              }
            });
    assertThat(got).containsOnlyOnce(true);
  }

  // Threads.

  @Test
  void threadsWriteAndReadDistinctRangesOfOneFile() throws Exception {
    int length = 5000; // not a multiple of any page: neighbours share pages
    try (StoreFile file = store.open("a", Access.CREATE)) {
      inThreads(
          6,
          thread -> {
            MemorySegment target = buffer(length);
            for (int round = 1; round <= 100; round++) {
              MemorySegment source = buffer(length).fill((byte) (thread * 31 + round));
              file.write((long) thread * length, source);
              assertThat(file.read((long) thread * length, target)).isEqualTo(length);
              assertThat(target.mismatch(source)).isEqualTo(-1);
            }
            return true;
          });
      assertThat(file.size()).isEqualTo(6L * length);
    }
  }

  @Test
  void threadsCreateAndRenameDistinctFiles() throws Exception {
    inThreads(
        6,
        thread -> {
          for (int round = 0; round < 20; round++) {
            put("t" + thread, "round " + round);
            store.rename("t" + thread, "u" + thread);
            store.forceDirectory();
            assertThat(get("u" + thread)).isEqualTo("round " + round);
          }
          return true;
        });
    assertThat(store.list()).containsExactly("u0", "u1", "u2", "u3", "u4", "u5");
  }

  // Interrupts.

  @Test
  void anInterruptedThreadCanDoEverything() throws IOException {
    Thread.currentThread().interrupt();
    try {
      try (StoreLock lock = store.lock("lock");
          StoreFile file = store.open("a", Access.CREATE)) {
        file.write(0, bytes("hello"));
        file.write(0, Arena.ofAuto().allocate(3).fill((byte) 'x'));
        file.force();
        assertThat(text(file)).isEqualTo("xxxlo");
        file.truncate(4);
        store.forceDirectory();
        store.rename("a", "b");
        assertThat(store.list()).containsExactly("b", "lock");
        assertThat(file.size()).isEqualTo(4);
        assertThat(lock.isHeld()).isTrue();
      }
      store.delete("b");
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      Thread.interrupted();
    }
  }

  /** Interrupts arrive at any moment of an operation, and must not hurt other threads either. */
  @Test
  void interruptsDuringOperationsDoNoHarm() throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    List<Thread> workers = new ArrayList<>();
    CountDownLatch started = new CountDownLatch(2);
    try (StoreFile file = store.open("a", Access.CREATE);
        ExecutorService pool = Executors.newFixedThreadPool(3)) {
      List<Future<Boolean>> results = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        long position = i * 200_000L;
        results.add(
            pool.submit(
                () -> {
                  synchronized (workers) {
                    workers.add(Thread.currentThread());
                  }
                  started.countDown();
                  return hammer(file, position);
                }));
      }
      started.await();
      Future<?> storm =
          pool.submit(
              () -> {
                while (!done.get()) {
                  workers.forEach(Thread::interrupt);
                  Thread.onSpinWait();
                }
              });
      try {
        for (Future<Boolean> result : results) {
          assertThat(result.get()).isTrue();
        }
      } finally {
        done.set(true);
        storm.get();
      }
    }
  }

  private static boolean hammer(StoreFile file, long position) throws IOException {
    MemorySegment source = Arena.ofAuto().allocate(200_000);
    MemorySegment target = Arena.ofAuto().allocate(200_000);
    for (int round = 0; round < 200; round++) {
      source.fill((byte) round);
      file.write(position, source);
      if (round % 50 == 0) {
        file.force();
      }
      assertThat(file.read(position, target)).isEqualTo(target.byteSize());
      assertThat(target.mismatch(source)).isEqualTo(-1);
    }
    return true;
  }

  // Helpers, also for the tests that inherit.

  /** Replaces the content of a file. */
  protected final void put(String name, String content) throws IOException {
    put(store, name, content);
  }

  /** Replaces the content of a file. */
  protected static void put(Store store, String name, String content) throws IOException {
    try (StoreFile file = store.open(name, Access.CREATE)) {
      file.truncate(0);
      file.write(0, bytes(content));
    }
  }

  /** The content of a file. */
  protected final String get(String name) throws IOException {
    return get(store, name);
  }

  /** The content of a file. */
  protected static String get(Store store, String name) throws IOException {
    try (StoreFile file = store.open(name, Access.READ)) {
      return text(file);
    }
  }

  /** The text as bytes on the heap. */
  protected static MemorySegment bytes(String text) {
    return MemorySegment.ofArray(text.getBytes(UTF_8));
  }

  /** Zeros on the heap. */
  protected static MemorySegment buffer(int size) {
    return MemorySegment.ofArray(new byte[size]);
  }

  /** The bytes as text. */
  protected static String text(MemorySegment bytes) {
    return new String(bytes.toArray(ValueLayout.JAVA_BYTE), UTF_8);
  }

  /** The whole content of an open file. */
  protected static String text(StoreFile file) throws IOException {
    MemorySegment content = buffer(Math.toIntExact(file.size()));
    assertThat(file.read(0, content)).isEqualTo(content.byteSize());
    return text(content);
  }

  private static void assertRefused(Callable<?> call) {
    assertThatThrownBy(call::call).isInstanceOf(IllegalArgumentException.class);
  }

  /** What one of several threads does. */
  protected interface Job<T> {
    /** Does it, in the thread of this index. */
    T run(int thread) throws Exception;
  }

  /** Runs a job in several threads at once; fails if any of them does. */
  protected static <T> List<T> inThreads(int threads, Job<T> job) throws Exception {
    CountDownLatch start = new CountDownLatch(threads);
    List<Future<T>> futures = new ArrayList<>();
    List<T> results = new ArrayList<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      for (int i = 0; i < threads; i++) {
        int thread = i;
        futures.add(
            pool.submit(
                () -> {
                  start.countDown();
                  start.await();
                  return job.run(thread);
                }));
      }
      for (Future<T> future : futures) {
        results.add(future.get());
      }
    }
    return results;
  }
}
