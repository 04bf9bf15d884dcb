// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Others do something while files are packed or unpacked, or did it before. */
class DisturbedTest {
  private static final int LENGTH = 200_000;

  @TempDir Path dir;
  private Path in;
  private Path file;
  private Path pack;
  private final AtomicInteger looked = new AtomicInteger();

  /** Something that happens to a file. */
  private interface Change {
    void apply(Path file) throws IOException;
  }

  @BeforeEach
  void oneFile() throws IOException {
    in = Files.createDirectory(dir.resolve("in"));
    file = Files.write(in.resolve("file"), new byte[LENGTH]);
    Files.write(file, new byte[] {1, 2, 3}, StandardOpenOption.WRITE);
    Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000));
    pack = dir.resolve("it.cairnpack");
  }

  /** Applies a change each time that the file is looked into, so often. */
  private PackSettings changing(int times, Change change) {
    return Packing.settings(
        new TestLocator(
            (_, _) -> {
              if (looked.incrementAndGet() <= times) {
                change.apply(file);
              }
            }));
  }

  private void assertRefused(Class<? extends IOException> kind, Change change) throws IOException {
    looked.set(0);
    assertThatThrownBy(() -> Packing.pack(in, pack, changing(Integer.MAX_VALUE, change)))
        .isInstanceOf(kind)
        .hasMessageContaining(file.toString());
    Packing.assertOnly(dir, "in");
  }

  @Test
  void aFileThatChangesAgainAndAgainIsRefusedByName() throws IOException {
    assertRefused(
        ChangedFileException.class,
        path -> Files.write(path, new byte[1], StandardOpenOption.APPEND));
    assertThat(looked).hasValue(3);
    AtomicInteger time = new AtomicInteger();
    assertRefused(
        ChangedFileException.class,
        path -> Files.setLastModifiedTime(path, FileTime.fromMillis(time.incrementAndGet())));
    assertRefused(
        ChangedFileException.class,
        path -> {
          Path other =
              Files.copy(path, dir.resolve("in/other"), StandardCopyOption.COPY_ATTRIBUTES);
          Files.move(other, path, StandardCopyOption.REPLACE_EXISTING);
        });
  }

  @Test
  void aFileThatShrinksIsTold() throws IOException {
    assertRefused(
        ChangedFileException.class,
        path -> {
          try (var channel = Files.newByteChannel(path, StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() / 2);
          }
        });
  }

  @Test
  void aFileThatVanishesIsTold() throws IOException {
    assertRefused(NoSuchFileException.class, Files::delete);
  }

  /** It has bytes, and says that it has none: packed as nothing it would be lost. */
  @Test
  void aFileThatTheKernelMakesUpIsRefused() {
    Path made = Path.of("/proc/version");
    assumeTrue(Files.exists(made));
    try (Packer packer = new Packer(Packing.settings(), _ -> {})) {
      Packer.Input input = new Packer.Input(made, PackName.of(Path.of("/proc"), made));
      assertThatThrownBy(() -> packer.pack(List.of(input), pack))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContainingAll("/proc/version", "copy it");
    }
    assertThat(pack).doesNotExist();
  }

  @Test
  void aFileThatComesToRestIsPackedAsItIsThen() throws IOException {
    Packing.pack(
        in,
        pack,
        changing(2, path -> Files.write(path, new byte[] {9}, StandardOpenOption.APPEND)));
    Path out = Files.createDirectory(dir.resolve("out"));
    assertThat(Packing.unpack(pack, out, 1)).isEmpty();
    Packing.assertSame(in, out);
    assertThat(Files.size(file)).isEqualTo(LENGTH + 2);
  }

  @Test
  void noPackIsReplaced() throws IOException {
    Files.writeString(pack, "mine");
    assertThatThrownBy(() -> Packing.pack(in, pack, Packing.settings()))
        .isInstanceOf(FileAlreadyExistsException.class)
        .hasMessageContaining(pack.toString());
    assertThat(pack).hasContent("mine");
    Files.delete(pack);
    Change make = _ -> Files.writeString(pack, "faster");
    assertThatThrownBy(() -> Packing.pack(in, pack, changing(1, make)))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(pack).hasContent("faster");
    Files.delete(pack);
    Files.createSymbolicLink(pack, dir.resolve("nowhere"));
    assertThatThrownBy(() -> Packing.pack(in, pack, Packing.settings()))
        .isInstanceOf(FileAlreadyExistsException.class);
    Packing.assertOnly(dir, "in", "it.cairnpack");
  }

  @Test
  void noFileIsReplacedWhenUnpacking() throws IOException {
    Files.write(in.resolve("a"), new byte[10]);
    Packing.pack(in, pack, Packing.settings());
    Path out = Files.createDirectory(dir.resolve("out"));
    Files.writeString(out.resolve("file"), "mine");
    assertThatThrownBy(() -> Packing.unpack(pack, out, 1))
        .isInstanceOf(FileAlreadyExistsException.class)
        .hasMessageContaining("file");
    assertThat(out.resolve("file")).hasContent("mine");
    Packing.assertOnly(out, "file");
  }

  @Test
  void nothingGoesThroughLinks() throws IOException {
    Path deep = Files.createDirectories(in.resolve("d/e"));
    Files.write(deep.resolve("f"), new byte[10]);
    Packing.pack(in, pack, Packing.settings());
    Path out = Files.createDirectory(dir.resolve("out"));
    Path elsewhere = Files.createDirectory(dir.resolve("elsewhere"));
    Files.createSymbolicLink(out.resolve("d"), elsewhere);
    assertThatThrownBy(() -> Packing.unpack(pack, out, 1))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll(out.resolve("d").toString(), "link");
    Packing.assertOnly(elsewhere);
    Packing.assertOnly(out, "d");
  }

  @Test
  void aFolderThatIsNotThereOrCannotBeWrittenIsTold() throws IOException {
    Path absent = dir.resolve("absent/it.cairnpack");
    assertThatThrownBy(() -> Packing.pack(in, absent, Packing.settings()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("absent");
    assumeTrue(Files.isDirectory(Path.of("/proc/self")), "no folder that nobody can write to");
    assertThatThrownBy(
            () -> Packing.pack(in, Path.of("/proc/self/it.cairnpack"), Packing.settings()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("/proc/self");
  }

  @Test
  void filesThatWouldBeFoldersAndTwinsAreRefused() {
    List<Packer.Input> nested =
        List.of(
            new Packer.Input(file, new PackName("a/b")), new Packer.Input(file, new PackName("a")));
    List<Packer.Input> twins =
        List.of(
            new Packer.Input(file, new PackName("a")), new Packer.Input(file, new PackName("a")));
    try (Packer packer = new Packer(Packing.settings(), _ -> {})) {
      assertThatThrownBy(() -> packer.pack(nested, pack)).hasMessageContaining("folder of a/b");
      assertThatThrownBy(() -> packer.pack(twins, pack)).hasMessageContaining("two files");
      assertThatThrownBy(() -> packer.pack(List.of(), pack)).hasMessageContaining("no files");
    }
  }

  @Test
  void anInterruptLeavesNothingBehind() throws IOException {
    Change interrupt = _ -> Thread.currentThread().interrupt();
    assertThatThrownBy(() -> Packing.pack(in, pack, changing(1, interrupt)))
        .isInstanceOf(IOException.class);
    assertThat(Thread.interrupted()).isTrue();
    Packing.assertOnly(dir, "in");
  }
}
