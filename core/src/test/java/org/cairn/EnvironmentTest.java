// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.cairn.container.BlockScan;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.hash.Xxh3;
import org.cairn.store.DirectoryStore;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.random.Thorough;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.testkit.store.RecordingStore;
import org.cairn.testkit.store.StoreOperation.Kind;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Full disks, foreign files, other processes: what a program meets outside, and what it is told.
 */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
@Tag("slow")
class EnvironmentTest {
  private static final String FILE = SampleState.FILE;

  @TempDir Path directory;

  // ---------------------------------------------------------------- disks

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, 1000, 5000, 8192, 9000, 20_000})
  void aDiskThatFillsUpLosesOnlyTheCheckpointItCouldNotHold(int room) throws IOException {
    CrashingStore store = new CrashingStore(1);
    SampleState state = new SampleState();
    try (Checkpointer cairn = Checkpointer.open(store, SampleState.options())) {
      state.protect(cairn);
      state.become(1);
      cairn.checkpoint();
      store.fillDiskAfter(room);
      long good = checkpointsUntilFull(cairn, state);
      cairn.restart();
      assertThat(state.number()).isEqualTo(good);
      assertThat(state.isWhole()).isTrue();
      store.emptyDisk();
      state.become(50);
      cairn.checkpoint();
    }
    SampleState again = new SampleState();
    assertThat(again.restore(store).problems()).isEmpty();
    assertThat(again.number()).isEqualTo(50);
    assertThat(again.isWhole()).isTrue();
  }

  private static long checkpointsUntilFull(Checkpointer cairn, SampleState state) {
    for (int n = 2; ; n++) {
      state.become(n);
      try {
        cairn.checkpoint();
      } catch (CheckpointFailedException e) {
        assertThat(e).hasMessageContaining("the one before is untouched");
        return n - 1;
      }
      assertThat(n).as("the disk is full at some time").isLessThan(200);
    }
  }

  @Test
  void aRealDiskThatFillsUp() throws Exception {
    List<String> said = onTmpfs("size=1m", command("fill"));
    assertThat(said).anySatisfy(line -> assertThat(line).startsWith("full checkpoint"));
    assertThat(String.join("\n", said)).contains("No space left on device").endsWith("survived");
  }

  @Test
  void aReadOnlyFileSystemIsRefusedForWritingAndFineForReading() throws Exception {
    List<String> said =
        onTmpfs(
            "size=1m",
            command("write") + " && mount -o remount,ro " + directory,
            command("open") + " && " + command("read"));
    assertThat(said).hasSize(2);
    assertThat(said.get(0))
        .startsWith("refused cannot use checkpoints")
        .contains(directory.toString(), "cannot be written", "writable");
    assertThat(said.get(1)).isEqualTo("read 3");
  }

  /** Root may write anywhere, unless it gives that up. */
  @Test
  void aDirectoryWithoutPermissionIsRefusedWithTheRemedy() throws Exception {
    SampleState.write(DirectoryStore.open(directory, true), 1);
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("r-xr-xr-x"));
    try {
      String drop =
          System.getProperty("user.name").equals("root")
              ? "setpriv --bounding-set=-dac_override,-dac_read_search "
              : "";
      List<String> said = shell(drop + command("open"));
      assertThat(said).hasSize(1);
      assertThat(said.getFirst())
          .startsWith("refused cannot use checkpoints")
          .contains(directory.toString(), "permissions");
    } finally {
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }

  private String command(String action) {
    List<String> parts =
        ChildJvm.command(
            EnvironmentProbe.class, List.of("-Xmx64m"), List.of(action, directory.toString()));
    return "'" + String.join("' '", parts) + "'";
  }

  /** Runs commands with a small file system mounted on the directory, seen by them only. */
  private List<String> onTmpfs(String options, String... commands) throws Exception {
    String mount = "mount -t tmpfs -o " + options + " tmpfs " + directory;
    assumeTrue(run("unshare -m sh -c \"" + mount + "\"", new ArrayList<>()) == 0, "cannot mount");
    String all = mount + " && " + String.join(" && ", commands);
    Path script = Files.createTempFile("cairn", ".sh");
    try {
      Files.writeString(script, all);
      return shell("unshare -m sh " + script);
    } finally {
      Files.delete(script);
    }
  }

  private static List<String> shell(String command) throws Exception {
    List<String> said = new ArrayList<>();
    int exit = run(command, said);
    assertThat(exit).as(command + " said " + said).isZero();
    return said;
  }

  private static int run(String command, List<String> said) throws Exception {
    Process process = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    said.addAll(process.inputReader(StandardCharsets.UTF_8).readAllLines());
    said.removeIf(line -> line.startsWith("WARNING: "));
    return process.waitFor();
  }

  @Test
  void badSectorsAreDamageLikeAnyOther() throws IOException {
    CrashingStore store = new CrashingStore(3);
    SampleState.write(store, 3);
    store.failReads(FILE, 4096, 100);
    SampleState state = new SampleState();
    RestartReport report = state.restore(store);
    assertThat(state.isWhole()).isTrue();
    assertThat(state.number()).isBetween(2L, 3L);
    assertThat(report.problems()).isNotEmpty();

    CrashingStore other = new CrashingStore(4);
    SampleState.write(other, 3);
    // Wherever the last bytes lie: the newest version has something there, the oldest has not.
    other.failReads(FILE, size(other) - 1200, 1200);
    report = state.restore(other);
    assertThat(state.isWhole()).isTrue();
    assertThat(state.number()).isBetween(1L, 2L);
    assertThat(report.problems()).isNotEmpty();
  }

  private static long size(Store store) throws IOException {
    try (StoreFile file = store.open(FILE, Store.Access.READ)) {
      return file.size();
    }
  }

  // ---------------------------------------------------------------- things in the way

  @Test
  void aMissingDirectoryIsMadeForWritingAndRefusedForReading() throws IOException {
    Path deep = directory.resolve("a/b/c");
    assertThatThrownBy(() -> DirectoryStore.open(deep, false))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll(deep.toString(), "does not exist");
    try (Checkpointer cairn = Checkpointer.open(deep)) {
      assertThat(cairn.restart().isRestored()).isFalse();
    }
    assertThat(deep.resolve(FILE)).exists();
  }

  @Test
  void aFileInThePlaceOfTheDirectory() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "text");
    refused(file, file.toString(), "file where a directory is needed");
    refused(file.resolve("below"), file.toString());
    assertThat(file).hasContent("text");
  }

  @Test
  void aDirectoryInThePlaceOfTheContainer() throws IOException {
    Files.createDirectories(directory.resolve(FILE).resolve("inside"));
    refused(directory, FILE, "is a directory");
  }

  @Test
  void aLinkInThePlaceOfTheContainer() throws IOException {
    Path target = Files.writeString(directory.resolve("precious"), "precious");
    Files.createSymbolicLink(directory.resolve(FILE), target);
    refused(directory, FILE, "symbolic link");
    assertThat(target).hasContent("precious");
  }

  @Test
  void anEventLogThatCannotBeWrittenDoesNotStandInTheWay() throws IOException {
    Files.createDirectory(directory.resolve("events.jsonl"));
    SampleState.write(DirectoryStore.open(directory, true), 2);
    SampleState state = new SampleState();
    state.restore(DirectoryStore.open(directory, false));
    assertThat(state.number()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "short", "A text that has nothing to do with Cairn. "})
  void aForeignFileIsLeftAlone(String text) throws IOException {
    String content = text.length() > 10 ? text.repeat(1000) : text;
    Path file = Files.writeString(directory.resolve(FILE), content);
    refused(directory, FILE, "not a Cairn container");
    assertThat(file).as("untouched").hasContent(content);
  }

  private static void refused(Path place, String... parts) {
    assertThatThrownBy(
            () -> {
              try (Checkpointer cairn = Checkpointer.open(place)) {
                cairn.protect("number", 0L);
                cairn.restart();
              }
            })
        .isInstanceOfAny(
            CheckpointDirectoryException.class,
            CheckpointUnavailableException.class,
            CheckpointFailedException.class)
        .satisfies(e -> assertThat(e.getMessage()).contains(parts));
  }

  // ---------------------------------------------------------------- formats

  @Test
  void aFutureFormatVersionIsNotTouched() throws IOException {
    for (boolean valid : new boolean[] {true, false}) {
      byte[] before = patched(12, 9, List.of(0, 1), valid);
      refused(directory, FILE, "format version 9", "newer release");
      assertThat(Files.readAllBytes(directory.resolve(FILE))).isEqualTo(before);
      assertThatThrownBy(
              () -> ContainerReader.open(DirectoryStore.open(directory, false), FILE).close())
          .hasMessageContaining("format version 9");
    }
  }

  /** A newer release has written one superblock: the old one beside it is no longer the truth. */
  @Test
  void aContainerThatANewerReleaseHasBegunToWriteIsNotTouched() throws IOException {
    for (int slot = 0; slot < 2; slot++) {
      byte[] before = patched(12, 9, List.of(slot), true);
      refused(directory, FILE, "format version 9", "newer release");
      assertThat(Files.readAllBytes(directory.resolve(FILE))).isEqualTo(before);
    }
  }

  @Test
  void aDamagedVersionNumberInOneSuperblockIsDamage() throws IOException {
    for (int slot = 0; slot < 2; slot++) {
      patched(12, 9, List.of(slot), false);
      SampleState state = new SampleState();
      RestartReport report = state.restore(DirectoryStore.open(directory, true));
      assertThat(state.isWhole()).isTrue();
      assertThat(report.problems()).isNotEmpty();
    }
  }

  @Test
  void anotherByteOrderIsNotTouched() throws IOException {
    for (boolean valid : new boolean[] {true, false}) {
      byte[] before = patched(8, 0x0D0C0B0A, List.of(0, 1), valid);
      refused(directory, FILE, "byte order");
      assertThat(Files.readAllBytes(directory.resolve(FILE))).isEqualTo(before);
    }
  }

  /** A container with a number of its superblocks changed, with or without a right checksum. */
  private byte[] patched(int offset, int value, List<Integer> slots, boolean valid)
      throws IOException {
    Path file = directory.resolve(FILE);
    Files.deleteIfExists(file);
    SampleState.write(DirectoryStore.open(directory, true), 2);
    byte[] bytes = Files.readAllBytes(file);
    MemorySegment all = MemorySegment.ofArray(bytes);
    for (int slot : slots) {
      MemorySegment superblock = all.asSlice(slot * 4096L, 112);
      superblock.set(little(ValueLayout.JAVA_INT_UNALIGNED), offset, value);
      if (valid) {
        long[] checksum = new long[2];
        Xxh3.digest(superblock, 0, 96, checksum, 0);
        superblock.set(little(ValueLayout.JAVA_LONG_UNALIGNED), 96, checksum[0]);
        superblock.set(little(ValueLayout.JAVA_LONG_UNALIGNED), 104, checksum[1]);
      }
    }
    Files.write(file, bytes);
    return bytes;
  }

  private static ValueLayout.OfInt little(ValueLayout.OfInt layout) {
    return layout.withOrder(ByteOrder.LITTLE_ENDIAN);
  }

  private static ValueLayout.OfLong little(ValueLayout.OfLong layout) {
    return layout.withOrder(ByteOrder.LITTLE_ENDIAN);
  }

  // ---------------------------------------------------------------- names and numbers

  @Test
  void datasetsOfAnyName() {
    List<String> names =
        List.of(
            "ж∂ß 温度 🌡️",
            "a\nb",
            "\t",
            " ",
            "/",
            "..",
            "../../etc/passwd",
            "C:\\x",
            "\u0000",
            "\"quoted\"",
            "x".repeat(60_000),
            "\u001b[31mred",
            "null",
            "a",
            "A");
    MemoryStore store = new MemoryStore();
    try (Checkpointer cairn = Checkpointer.open(store, SampleState.options())) {
      names.forEach(name -> cairn.protect(name, (long) name.hashCode()));
      cairn.checkpoint();
    }
    try (Checkpointer cairn = Checkpointer.open(store, SampleState.options())) {
      var cells = names.stream().map(name -> cairn.protect(name, 0L)).toList();
      assertThat(cairn.restart().restored()).containsExactlyElementsOf(names);
      for (int i = 0; i < names.size(); i++) {
        assertThat(cells.get(i).get()).isEqualTo(names.get(i).hashCode());
      }
    }
  }

  @Test
  void datasetsOfNoLength() {
    MemoryStore store = new MemoryStore();
    for (int round = 0; round < 3; round++) {
      try (Checkpointer cairn = Checkpointer.open(store, SampleState.options())) {
        cairn.protect("none", new double[0]);
        cairn.protect("neither", new double[0]).shape(0, 5);
        assertThat(cairn.restart().isRestored()).isEqualTo(round > 0);
        cairn.checkpoint();
        cairn.checkpoint();
      }
    }
    try (Checkpointer cairn = Checkpointer.open(store, SampleState.options())) {
      assertThatThrownBy(cairn::restart)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("call protect() first");
      cairn.protect("none", new double[0]);
      assertThat(cairn.restart().ignored()).containsExactly("neither");
    }
  }

  @Test
  @Thorough
  void manySmallDatasets() {
    int count = Boolean.getBoolean(Thorough.PROPERTY) ? 100_000 : 20_000;
    RecordingStore store = new RecordingStore(new MemoryStore());
    try (Checkpointer cairn = Checkpointer.open(store, Options.defaults())) {
      long[][] arrays = protectMany(cairn, count);
      for (int i = 0; i < count; i++) {
        arrays[i][0] = i + 1L;
      }
      store.clear();
      cairn.checkpoint();
      assertThat(store.operations(Kind.WRITE)).as("not one for each").hasSizeLessThan(200);
      assertThat(store.bytes(Kind.WRITE)).isLessThan(670L * count);
      arrays[777][1] = 5;
      store.clear();
      var stats = cairn.checkpoint().stats().orElseThrow();
      assertThat(store.operations(Kind.WRITE)).hasSizeLessThan(20);
      assertThat(store.bytes(Kind.WRITE)).as("a block and what leads to it").isLessThan(64 << 10);
      assertThat(stats.blocks()).isEqualTo(count);
      assertThat(cairn.usage().mapMemory()).isLessThan(160L * count);
      assertThat(cairn.usage().fileBytes()).isLessThan(670L * count);
    }
    store.clear();
    try (Checkpointer cairn = Checkpointer.open(store, Options.defaults())) {
      long[][] arrays = protectMany(cairn, count);
      assertThat(cairn.restart().restored()).hasSize(count);
      assertThat(store.operations(Kind.READ)).as("not one for each").hasSizeLessThan(200);
      assertThat(store.bytes(Kind.READ)).isLessThan(2_600L * count);
      for (int i = 0; i < count; i++) {
        assertThat(arrays[i][0]).isEqualTo(i + 1L);
      }
      assertThat(arrays[777][1]).isEqualTo(5);
    }
  }

  private static long[][] protectMany(Checkpointer cairn, int count) {
    long[][] arrays = new long[count][2];
    for (int i = 0; i < count; i++) {
      cairn.protect("dataset number " + i, arrays[i]);
    }
    return arrays;
  }

  // ---------------------------------------------------------------- others

  @Test
  void twoWritersInOneProcess() throws IOException {
    Checkpointer first = Checkpointer.open(directory);
    try (first) {
      refused(directory, "rank0.lock", "this process", pid());
      Path alias = Files.createSymbolicLink(directory.resolve("alias"), directory);
      refused(alias, "this process", pid());
    }
    Checkpointer.open(directory).close();
  }

  private static String pid() {
    return "process " + ProcessHandle.current().pid();
  }

  @Test
  void twoWritersInTwoProcesses() throws Exception {
    Process holder =
        ChildJvm.start(
            EnvironmentProbe.class, List.of("-Xmx64m"), List.of("hold", directory.toString()));
    try {
      assertThat(holder.inputReader(StandardCharsets.UTF_8).readLine()).isEqualTo("holding 0");
      refused(directory, "rank0.lock", "process " + holder.pid(), "stop it");
    } finally {
      holder.destroyForcibly().onExit().join();
    }
    // The lock goes with its holder, however it went.
    Checkpointer.open(directory).close();
  }

  /** Readers come and go while versions are committed; they see whole versions, or are told. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void readersBesideAWriter(boolean onDisk) throws Exception {
    Store store = onDisk ? DirectoryStore.open(directory, true) : new MemoryStore();
    SampleState.write(store, 1);
    WatchingReader reader = new WatchingReader(store);
    Thread thread = new Thread(reader, "watching reader");
    int versions = 0;
    try (Checkpointer cairn = Checkpointer.open(store, SampleState.options().retain(2))) {
      SampleState state = new SampleState();
      state.protect(cairn);
      cairn.restart();
      thread.start();
      while (reader.whole < WHOLE_READS && versions < 10_000 && reader.failure == null) {
        state.become(2 + versions++ % 40);
        cairn.checkpoint();
      }
    } finally {
      reader.stop = true;
      thread.join();
    }
    System.out.printf("readers beside a writer: %d versions written; %s%n", versions, reader);
    if (reader.failure != null) {
      throw new AssertionError(reader.failure);
    }
    assertThat(reader.whole).isPositive();
  }

  /** After so many readings of a whole version, and those that came too late, it is enough. */
  private static final int WHOLE_READS = 12;

  private static final class WatchingReader implements Runnable {
    private final Store store;
    private volatile boolean stop;
    private volatile @Nullable Throwable failure;
    private volatile int whole;
    private int outrun;

    WatchingReader(Store store) {
      this.store = store;
    }

    @Override
    public void run() {
      try (Workers alone = new Workers(1, "watching")) {
        while (!stop) {
          look(alone);
        }
      } catch (Throwable e) {
        failure = e;
      }
    }

    private void look(Workers alone) throws IOException {
      try (ContainerReader reader = ContainerReader.open(store, FILE)) {
        VersionInfo version = reader.versions().getFirst();
        VersionView view = reader.view(version.id());
        dawdle();
        List<VersionSource.Damage> damages = scan(view, alone);
        if (damages.isEmpty()) {
          whole++;
        } else {
          mustBeGone(version, damages.toString());
        }
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageContaining("is not in");
        outrun++;
      }
    }

    /** Every third time, so that the writer has dropped and overwritten the version meanwhile. */
    private void dawdle() {
      if ((whole + outrun) % 3 == 0) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
      }
    }

    /** Blocks that verify must be those of the state that the number of the version tells. */
    private static List<VersionSource.Damage> scan(VersionView view, Workers alone)
        throws IOException {
      long[] number = {-1};
      List<VersionSource.Damage> damages = new ArrayList<>();
      damages.addAll(
          BlockScan.run(
              view,
              List.of(view.find("number").orElseThrow()),
              alone,
              (entry, block, bytes) -> number[0] = bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, 0),
              false,
              done -> {}));
      byte[] sparse = new byte[4 * SampleState.BLOCK];
      damages.addAll(
          BlockScan.run(
              view,
              List.of(view.find("sparse").orElseThrow()),
              alone,
              (entry, block, bytes) ->
                  MemorySegment.copy(
                      bytes,
                      0,
                      MemorySegment.ofArray(sparse),
                      (long) block * SampleState.BLOCK,
                      bytes.byteSize()),
              false,
              done -> {}));
      if (damages.isEmpty()) {
        assertThat(sparse).isEqualTo(SampleState.arrays(number[0]).get("sparse"));
      }
      return damages;
    }

    /** Damage is an explanation only if the version was dropped meanwhile. */
    private void mustBeGone(VersionInfo version, String damages) throws IOException {
      try (ContainerReader now = ContainerReader.open(store, FILE)) {
        assertThat(now.versions())
            .extracting(VersionInfo::id)
            .as(damages)
            .doesNotContain(version.id());
        outrun++;
      } catch (CorruptContainerException e) {
        throw new AssertionError("reopened", e);
      }
    }

    @Override
    public String toString() {
      return whole + " read whole, " + outrun + " outrun by the writer";
    }
  }
}
