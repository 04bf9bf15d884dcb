// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.cairn.store.Store.Access;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.BaseStoreTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DirectoryStoreTest extends BaseStoreTest {
  @TempDir Path temporary;

  @Override
  protected Store newStore() throws IOException {
    return DirectoryStore.open(directory(), true);
  }

  private Path directory() {
    return temporary.resolve("store");
  }

  // Opening the directory.

  @Test
  void createsTheDirectoryAndItsParents() throws IOException {
    Path deep = temporary.resolve("x/y/z");
    put(DirectoryStore.open(deep, true), "a", "1");
    assertThat(deep.resolve("a")).hasContent("1");
    Path seenByAll = temporary.resolve("all/ranks");
    put(DirectoryStore.shared(seenByAll), "a", "1");
    assertThat(seenByAll.resolve("a")).hasContent("1");
  }

  /** Root may write everywhere, but not into what the kernel makes up. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void aSharedDirectoryThatCannotBeWrittenToIsRead() throws IOException {
    Path readOnly = Path.of("/proc/self/task");
    assumeFalse(Files.isWritable(readOnly));
    assertThat(DirectoryStore.shared(readOnly).list()).isEmpty();
    assertThatThrownBy(() -> DirectoryStore.open(readOnly, true))
        .isInstanceOf(AccessDeniedException.class);
    Path file = Files.createFile(temporary.resolve("file"));
    assertThatThrownBy(() -> DirectoryStore.shared(file))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("is a file where a directory is needed");
  }

  @Test
  void aMissingDirectoryIsNamedWithTheRemedy() {
    Path missing = temporary.resolve("missing");
    assertThatThrownBy(() -> DirectoryStore.open(missing, false))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining(missing.toString())
        .hasMessageContaining("create it");
    assertThat(missing).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFileIsNoDirectory(boolean create) throws IOException {
    Path file = Files.createFile(temporary.resolve("file"));
    assertThatThrownBy(() -> DirectoryStore.open(file, create))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("is a file where a directory is needed");
  }

  @Test
  void aDirectoryCannotBeMadeBelowAFile() throws IOException {
    Path below = Files.createFile(temporary.resolve("file")).resolve("store");
    assertThatThrownBy(() -> DirectoryStore.open(below, true))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining(below.toString())
        .hasMessageContaining("cannot be created");
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void aReadOnlyDirectoryCanBeReadButNotWritten() throws IOException {
    put("a", "content");
    Files.setPosixFilePermissions(directory(), PosixFilePermissions.fromString("r-xr-xr-x"));
    try {
      assumeFalse(Files.isWritable(directory()), "running as a user who may do anything");
      assertThatThrownBy(() -> DirectoryStore.open(directory(), true))
          .isInstanceOf(AccessDeniedException.class)
          .hasMessageContaining(directory().toString())
          .hasMessageContaining("change its permissions");
      Store readOnly = DirectoryStore.open(directory(), false);
      assertThat(get(readOnly, "a")).isEqualTo("content");
      assertThatThrownBy(() -> readOnly.open("b", Access.CREATE))
          .isInstanceOf(AccessDeniedException.class)
          .hasMessageContaining("cannot be written");
      assertThatThrownBy(() -> readOnly.rename("a", "b"))
          .isInstanceOf(AccessDeniedException.class)
          .hasMessageContaining("cannot be renamed");
      assertThatThrownBy(() -> readOnly.delete("a"))
          .isInstanceOf(AccessDeniedException.class)
          .hasMessageContaining("cannot be deleted");
      assertThatThrownBy(() -> readOnly.lock("lock"))
          .isInstanceOf(AccessDeniedException.class)
          .hasMessageContaining("cannot be locked");
    } finally {
      Files.setPosixFilePermissions(directory(), PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }

  @Test
  void locationIsAnAbsolutePath() throws IOException {
    assertThat(Path.of(store.location("a"))).isEqualTo(directory().toRealPath().resolve("a"));
  }

  // What else lies in the directory.

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void linksAreNotFollowed() throws IOException {
    Path outside = Files.writeString(temporary.resolve("outside"), "untouched");
    Files.createSymbolicLink(directory().resolve("link"), outside);
    Files.createSymbolicLink(directory().resolve("dangling"), temporary.resolve("nowhere"));
    put("good", "content");
    assertThat(store.list()).containsExactly("good");
    assertThat(store.exists("link")).isFalse();
    for (Access access : Access.values()) {
      assertLinkRefused(() -> store.open("link", access).close());
      assertLinkRefused(() -> store.open("dangling", access).close());
    }
    assertLinkRefused(() -> store.lock("link").close());
    assertLinkRefused(() -> store.rename("link", "b"));
    assertLinkRefused(() -> store.rename("good", "link"));
    assertLinkRefused(() -> store.delete("link"));
    assertThat(outside).hasContent("untouched");
    assertThat(temporary.resolve("nowhere")).doesNotExist();
  }

  private static void assertLinkRefused(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("is a symbolic link, not a regular file");
  }

  @Test
  void directoriesAndForeignFilesAreLeftAlone() throws IOException {
    Files.createDirectory(directory().resolve("sub"));
    Files.createFile(directory().resolve("a:b"));
    put("good", "content");
    assertThat(store.list()).containsExactly("good");
    assertThat(store.exists("sub")).isFalse();
    assertThatThrownBy(() -> store.open("sub", Access.READ))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("is a directory, not a regular file");
    assertThatThrownBy(() -> store.delete("sub")).isInstanceOf(FileSystemException.class);
    assertThatThrownBy(() -> store.rename("good", "sub")).isInstanceOf(FileSystemException.class);
    assertThat(directory().resolve("sub")).isDirectory();
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void aDirectoryBehindALinkIsFine() throws IOException {
    Path link = Files.createSymbolicLink(temporary.resolve("link"), directory());
    put(DirectoryStore.open(link, true), "a", "1");
    assertThat(get("a")).isEqualTo("1");
  }

  // Locks.

  @Test
  void aLockOfAnotherProcessIsRefusedWithItsName() throws Exception {
    try (LockingProcess other = LockingProcess.start(directory(), "lock")) {
      for (int attempt = 0; attempt < 2; attempt++) {
        assertThatThrownBy(() -> store.lock("lock"))
            .isInstanceOf(StoreLockedException.class)
            .hasMessageContaining(store.location("lock"))
            .hasMessageContaining("locked by process " + other.pid() + " on host ")
            .hasMessageContaining(" since 2")
            .hasMessageContaining("Wait until it has ended");
      }
      other.release();
      store.lock("lock").close();
    }
  }

  @Test
  void theLockOfAKilledProcessIsNoObstacle() throws Exception {
    try (LockingProcess other = LockingProcess.start(directory(), "lock")) {
      long pid = other.pid();
      other.kill();
      assertThat(directory().resolve("lock")).content().contains("pid " + pid);
    }
    try (StoreLock lock = store.lock("lock")) {
      assertThat(lock.isHeld()).isTrue();
      assertThat(directory().resolve("lock"))
          .content()
          .contains("pid " + ProcessHandle.current().pid());
    }
  }

  /** Closing any descriptor of a locked file gives a POSIX lock up: everything here must not. */
  @Test
  void nothingDoneHereLosesTheLockToAnotherProcess() throws Exception {
    try (StoreLock lock = store.lock("lock")) {
      assertThatThrownBy(() -> store.lock("lock")).isInstanceOf(StoreLockedException.class);
      assertThatThrownBy(() -> store.open("lock", Access.READ))
          .isInstanceOf(StoreLockedException.class);
      assertThatThrownBy(() -> DirectoryStore.open(directory(), false).lock("lock"))
          .isInstanceOf(StoreLockedException.class);
      assertThat(store.list()).contains("lock");
      assertThat(lock.isHeld()).isTrue();
      assertThatThrownBy(() -> LockingProcess.start(directory(), "lock"))
          .hasMessageContaining("is locked by process " + ProcessHandle.current().pid());
    }
    LockingProcess.start(directory(), "lock").close();
  }

  @Test
  void aLockTakenBehindALinkIsTheSameLock() throws IOException {
    Path link = Files.createSymbolicLink(temporary.resolve("link"), directory());
    try (StoreLock lock = store.lock("lock")) {
      assertThat(lock.isHeld()).isTrue();
      assertThatThrownBy(() -> DirectoryStore.open(link, true).lock("lock"))
          .isInstanceOf(StoreLockedException.class);
    }
  }

  @Test
  void aReleasedLockNamesNobody() throws IOException {
    store.lock("lock").close();
    assertThat(directory().resolve("lock")).isEmptyFile();
  }

  // Transfers.

  @Test
  void largeTransfersAreSplit() throws IOException {
    Path path = directory().resolve("a");
    AsynchronousFileChannel channel =
        Channels.open(
            path,
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE));
    try (Arena arena = Arena.ofConfined();
        StoreFile file = new DirectoryStoreFile("a", path, channel, true, 1000)) {
      MemorySegment source = arena.allocate(4567);
      for (long i = 0; i < source.byteSize(); i++) {
        source.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 7));
      }
      file.write(3, source);
      assertThat(file.size()).isEqualTo(4570);
      MemorySegment target = arena.allocate(5000);
      assertThat(file.read(3, target)).isEqualTo(4567);
      assertThat(target.asSlice(0, 4567).mismatch(source)).isEqualTo(-1);
    }
  }

  /** Needs 6 GiB of disk and some seconds: run with {@code -Dcairn.large=true}. */
  @Test
  @EnabledIfSystemProperty(named = "cairn.large", matches = "true")
  void segmentsBeyondTwoGigabytesAreTransferred() throws IOException {
    long size = (5L << 29) + 4321;
    try (Arena arena = Arena.ofConfined();
        FileChannel backing =
            FileChannel.open(
                temporary.resolve("backing"),
                Set.of(
                    StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE));
        StoreFile file = store.open("a", Access.CREATE)) {
      MemorySegment source = backing.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
      for (long position = 0; position < size; position += 4096) {
        source.set(ValueLayout.JAVA_LONG_UNALIGNED, Math.min(position, size - 8), position);
      }
      file.write(1, source);
      assertThat(file.size()).isEqualTo(size + 1);
      MemorySegment target = arena.allocate(size);
      assertThat(file.read(1, target)).isEqualTo(size);
      assertThat(target.mismatch(source)).isEqualTo(-1);
    }
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void aFullDiskIsReportedWithThePlace() throws IOException {
    Path full = Path.of("/dev/full");
    assumeFalse(Files.notExists(full));
    try (StoreFile file =
        new DirectoryStoreFile(
            "full", full, Channels.open(full, Set.of(StandardOpenOption.WRITE)), true)) {
      assertThatThrownBy(() -> file.write(4096, buffer(100)))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContaining("/dev/full: writing 100 bytes at 4096: No space left on device");
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment large = arena.allocate(StoreFile.LARGE, 4096);
        assertThatThrownBy(() -> file.writeLarge(0, large))
            .isInstanceOf(FileSystemException.class)
            .hasMessageContaining("/dev/full: writing")
            .hasMessageContaining("No space left on device");
      }
    }
  }

  // Past the cache.

  /** One of the two ends of what is written lies within a page, or both do, or none. */
  @ParameterizedTest
  @CsvSource({"0, 0", "0, 5", "4095, 0", "1, 4095"})
  void pagesAreWrittenPastTheCache(int first, int last) throws IOException {
    requireUncached();
    long length = StoreFile.LARGE + 2 * 4096 - first - last;
    try (DirectoryStoreFile file = openSlow(directory().resolve("a"));
        Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(StoreFile.LARGE + 2 * 4096, 4096).fill((byte) 3);
      long past = file.writeLarge(8192 + first, memory.asSlice(first, length));
      int ends = (first == 0 ? 0 : 1) + (last == 0 ? 0 : 1);
      assertThat(past).isEqualTo(StoreFile.LARGE + (2 - ends) * 4096L);
      assertThat(openFilesOf("a")).hasSize(2);
      assertThat(file.writeLarge(5, memory.asSlice(0, StoreFile.LARGE)))
          .as("pages of the file are none of memory")
          .isZero();
      assertThat(file.writeLarge(0, memory.asSlice(0, 4096)))
          .as("too small to be worth it")
          .isZero();
    }
    assertThat(openFilesOf("a")).isEmpty();
  }

  @SeededTest(seeds = 10)
  void whatIsWrittenPastTheCacheIsReadLikeAllElse(Random random) throws IOException {
    try (DirectoryStoreFile file = openSlow(directory().resolve("a"));
        StoreFile other = store.open("a", Access.READ)) {
      writeInLargePieces(random, file, other);
    }
  }

  @Test
  void largeTransfersPastTheCacheAreSplit() throws IOException {
    requireUncached();
    Path path = Files.createFile(directory().resolve("a"));
    AsynchronousFileChannel channel =
        Channels.open(path, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE));
    try (Arena arena = Arena.ofConfined();
        DirectoryStoreFile file = new DirectoryStoreFile("a", path, channel, true, 300_001)) {
      file.cacheSpeed().took(StoreFile.LARGE, Long.MAX_VALUE);
      MemorySegment source = arena.allocate(StoreFile.LARGE, 4096);
      for (long i = 0; i < source.byteSize(); i += 8) {
        source.set(ValueLayout.JAVA_LONG, i, i * 7);
      }
      assertThat(file.writeLarge(4096, source)).isEqualTo(source.byteSize());
      MemorySegment target = arena.allocate(source.byteSize());
      assertThat(file.read(4096, target)).isEqualTo(source.byteSize());
      assertThat(target.mismatch(source)).isEqualTo(-1);
    }
  }

  /** Some file systems let such files be opened, and refuse what is written. */
  @Test
  void whereTheCacheCannotBePassedAllGoesThroughIt() throws IOException {
    requireUncached();
    try (Arena arena = Arena.ofConfined();
        DirectoryStoreFile file = openSlow(directory().resolve("a"))) {
      MemorySegment source = arena.allocate(StoreFile.LARGE, 4096).fill((byte) 5);
      file.directWrites().get().channel().close();
      assertThat(file.writeLarge(0, source)).isZero();
      MemorySegment target = arena.allocate(source.byteSize());
      assertThat(file.read(0, target)).isEqualTo(source.byteSize());
      assertThat(target.mismatch(source)).isEqualTo(-1);
      assertThat(file.directWrites().get()).as("tried once").isNull();
    }
  }

  /** What was renamed away and replaced must not be taken for the file that is open. */
  @Test
  void aFileThatLostItsNameIsWrittenThroughTheCache() throws IOException {
    try (DirectoryStoreFile file = openSlow(directory().resolve("a"));
        Arena arena = Arena.ofConfined()) {
      store.rename("a", "b");
      put("a", "another");
      assertThat(file.writeLarge(0, arena.allocate(StoreFile.LARGE, 4096))).isZero();
    }
    assertThat(get("a")).isEqualTo("another");
    assertThat(directory().resolve("b")).hasSize(StoreFile.LARGE);
  }

  @Test
  void whatIsInMemoryIsReadFromThere() throws IOException {
    requireUncached();
    Path path = directory().resolve("a");
    long size = 20L << 20;
    try (Arena arena = Arena.ofConfined();
        DirectoryStoreFile file = openSlow(path)) {
      MemorySegment memory = arena.allocate(size, 4096).fill((byte) 5);
      assertThat(file.writeLarge(0, memory)).isEqualTo(size);
      assertThat(file.directReads().get(1 << 20)).as("nowhere but on the disk").isNotNull();
      assertThat(file.directReads().get(1 << 10)).as("too small to be worth it").isNull();
      assertThat(file.readOnce(0, memory.asSlice(0, 1 << 20))).isEqualTo(1 << 20);
      assertThat(openFilesOf("a")).hasSize(3);
      file.directReads().get(1 << 20).channel().close();
      assertThat(file.readOnce(0, memory.fill((byte) 0))).as("by the other way").isEqualTo(size);
      assertThat(memory.get(ValueLayout.JAVA_BYTE, size - 1)).isEqualTo((byte) 5);
      assertThat(file.directReads().get(1 << 20)).as("tried once").isNull();
    }
    try (DirectoryStoreFile file = openBoth(path)) {
      assertThat(file.directReads().get(1 << 20)).as("all of it was read").isNull();
    }
    assertThat(openFilesOf("a")).isEmpty();
  }

  @Test
  void aCacheThatIsFastIsNotPassed() {
    CacheSpeed speed = new CacheSpeed();
    assertThat(speed.isSlow()).isFalse();
    speed.took(4 << 20, 1_000_000);
    assertThat(speed.isSlow()).isFalse();
  }

  @Test
  void aCacheThatIsSlowIsPassedForAWhileThatGrows() {
    CacheSpeed speed = new CacheSpeed();
    for (long detour = 64L << 20; detour <= 1L << 30; detour *= 2) {
      assertThat(detourAfter(speed)).isEqualTo(detour);
    }
    assertThat(detourAfter(speed)).as("no longer than that").isEqualTo(1L << 30);
    speed.took(4 << 20, 1_000_000);
    assertThat(detourAfter(speed)).as("it was fast once").isEqualTo(64L << 20);
  }

  private static long detourAfter(CacheSpeed speed) {
    speed.took(4 << 20, 40_000_000);
    long bytes = 0;
    while (speed.isSlow()) {
      speed.passed(4 << 20);
      bytes += 4 << 20;
    }
    return bytes;
  }

  /** A new file, for whose writers the cache is slow. */
  private static DirectoryStoreFile openSlow(Path path) throws IOException {
    Files.createFile(path);
    DirectoryStoreFile file = openBoth(path);
    file.cacheSpeed().took(StoreFile.LARGE, Long.MAX_VALUE);
    return file;
  }

  private static DirectoryStoreFile openBoth(Path path) throws IOException {
    AsynchronousFileChannel channel =
        Channels.open(path, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE));
    return new DirectoryStoreFile("a", path, channel, true);
  }

  private void requireUncached() throws IOException {
    put("probe", "1");
    Optional<StoreFile> uncached = store.openUncached("probe");
    assumeTrue(uncached.isPresent(), "this file system cannot be written past its cache");
    uncached.get().close();
  }

  /** The open files of this process that lead to a file of the store. */
  private List<Path> openFilesOf(String name) throws IOException {
    Path wanted = directory().toRealPath().resolve(name);
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path file : files) {
        if (Files.exists(file) && Files.readSymbolicLink(file).equals(wanted)) {
          found.add(file);
        }
      }
    }
    return found;
  }

  @Test
  void readsAnyRangePastTheCache() throws IOException {
    Store store = newStore();
    byte[] bytes = new byte[2_500_000];
    new Random(9).nextBytes(bytes);
    try (StoreFile file = store.open("a", Access.CREATE)) {
      file.write(0, MemorySegment.ofArray(bytes));
      file.force();
    }
    Optional<StoreFile> uncached = store.openUncached("a");
    assumeTrue(uncached.isPresent(), "this file system cannot be read past its cache");
    try (StoreFile file = uncached.get()) {
      assertThat(file.size()).isEqualTo(bytes.length);
      assertThat(file.isNamed()).isTrue();
      for (long[] range :
          new long[][] {
            {0, 1}, {4095, 2}, {1, 1_048_576}, {777, 2_400_000}, {2_499_999, 1}, {0, 2_500_000}
          }) {
        byte[] target = new byte[(int) range[1]];
        assertThat(file.read(range[0], MemorySegment.ofArray(target))).isEqualTo(range[1]);
        assertThat(target)
            .isEqualTo(Arrays.copyOfRange(bytes, (int) range[0], (int) (range[0] + range[1])));
      }
      assertThat(file.read(2_499_000, MemorySegment.ofArray(new byte[5000]))).isEqualTo(1000);
      assertThat(file.read(9_000_000, MemorySegment.ofArray(new byte[10]))).isZero();
      assertThatThrownBy(() -> file.write(0, MemorySegment.ofArray(new byte[1])))
          .isInstanceOf(NonWritableChannelException.class);
    }
    assertThatThrownBy(() -> uncached.get().read(0, MemorySegment.ofArray(new byte[1])))
        .isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> store.openUncached("b")).isInstanceOf(NoSuchFileException.class);
  }
}
