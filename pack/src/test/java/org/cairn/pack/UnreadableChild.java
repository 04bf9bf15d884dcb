// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.cairn.Compression;
import org.cairn.Label;
import org.cairn.clock.Clock;
import org.cairn.pack.locate.Locators;
import org.cairn.pack.locate.Tiling;
import org.cairn.testkit.random.Seeds;

/**
 * Packs files of which the system does not give some byte, in a process in which reads can be made
 * to fail. Ends with an exception if anything is not as it should be.
 */
public final class UnreadableChild {
  /** Names the file that says which reads fail. */
  static final String CONTROL = "FAILING_READS";

  private static final int LENGTH = 200_000;
  private static final int MIDDLE = 130_000;
  private static final int SETTLE = 10;

  private final Path dir;
  private final Random content = Seeds.content(11);

  private UnreadableChild(Path dir) {
    this.dir = dir;
  }

  /** Takes an empty folder. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Path folder = Path.of(args[0]);
    new UnreadableChild(Files.createDirectory(folder.resolve("1"))).onePack();
    new UnreadableChild(Files.createDirectory(folder.resolve("2"))).aDirectoryOfPacks();
    new UnreadableChild(Files.createDirectory(folder.resolve("3"))).aWatchedFolder();
    new UnreadableChild(Files.createDirectory(folder.resolve("4"))).filesThatAreToBeRemoved();
    new UnreadableChild(Files.createDirectory(folder.resolve("5"))).aFolderThatIsWatchedOnce();
  }

  // ---------------------------------------------------------------- what fails

  private static Path control() {
    return Path.of(Objects.requireNonNull(System.getenv(CONTROL)));
  }

  /** Reads of this byte fail from now on, after so many that do not. */
  private static void spoil(Path file, long offset, int skip) throws IOException {
    Files.writeString(control(), "%d %d %s".formatted(skip, offset, file));
  }

  private static void mend() throws IOException {
    Files.deleteIfExists(control());
  }

  private Path write(Path file) throws IOException {
    byte[] bytes = new byte[LENGTH];
    content.nextBytes(bytes);
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    return Files.write(file, bytes);
  }

  private static void assertNamed(Throwable e, Path file, long offset) {
    assertThat(e)
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("%s: reading at ".formatted(file))
        .hasMessageContainingAll("Input/output error", "pack without it");
    assertThat(((FileSystemException) e).getFile()).isEqualTo(file.toString());
    long at = Long.parseLong(e.getMessage().replaceAll("(?s).*reading at (\\d+):.*", "$1"));
    assertThat(at).as("where it failed").isLessThanOrEqualTo(offset);
  }

  // ---------------------------------------------------------------- packing

  private void onePack() throws IOException {
    Path in = Files.createDirectory(dir.resolve("in"));
    Path bad = write(in.resolve("bad.bin"));
    write(in.resolve("good.bin"));
    Files.copy(bad, in.resolve("twin.bin"));
    Path pack = dir.resolve("it.cairnpack");
    PackSettings plain = Packing.settings();
    refused(in, pack, plain, bad, 0, 0);
    refused(in, pack, plain.with(Tiling.Rules.USUAL, Locators.installed()), bad, 0, 0);
    refused(in, pack, plain, bad, MIDDLE, 0);
    refused(in, pack, plain, bad, LENGTH - 1, 0);
    // What is alike is compared, and for that the first one is read again.
    refused(in, pack, plain, bad, MIDDLE, 1);
    mend();
    Packing.pack(in, pack, plain);
    assertThat(Packing.verify(pack)).isEmpty();
  }

  private void refused(Path in, Path pack, PackSettings settings, Path bad, long offset, int skip)
      throws IOException {
    spoil(bad, offset, skip);
    assertThatThrownBy(() -> Packing.pack(in, pack, settings))
        .satisfies(e -> assertNamed(e, bad, offset));
    Packing.assertOnly(dir, "in");
  }

  private void aDirectoryOfPacks() throws IOException {
    Path in = Files.createDirectory(dir.resolve("in"));
    Path bad = write(in.resolve("bad.bin"));
    write(in.resolve("good.bin"));
    Path packs = dir.resolve("packs");
    try (PackDirectoryWriter writer = PackDirectoryWriter.open(packs, 3);
        Packer packer = new Packer(Packing.settings(), _ -> {})) {
      add(packer, writer, in);
      List<String> before = names(packs);
      write(bad);
      for (long offset : new long[] {0, MIDDLE}) {
        spoil(bad, offset, 0);
        assertThatThrownBy(() -> add(packer, writer, in))
            .satisfies(e -> assertNamed(e, bad, offset));
        assertThat(names(packs)).as("what lies there").isEqualTo(before);
      }
      mend();
      add(packer, writer, in);
    }
    PackDirectory directory = PackDirectory.open(packs);
    assertThat(directory.list().versions()).hasSize(2);
    try (Pack newest = directory.open(directory.list().versions().getFirst().id())) {
      assertThat(newest.isSame(newest.members().getFirst(), bad)).isTrue();
    }
  }

  private static void add(Packer packer, PackDirectoryWriter writer, Path in) throws IOException {
    packer.pack(Packing.inputs(in), writer, Label.none());
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(one -> one.getFileName().toString()).sorted().toList();
    }
  }

  // ---------------------------------------------------------------- watching

  /** Time that passes when it is told to. */
  private static final class Time implements Clock {
    private long seconds;

    @Override
    public Instant now() {
      return Instant.ofEpochSecond(seconds);
    }

    @Override
    public long nanos() {
      return Duration.ofSeconds(seconds).toNanos();
    }
  }

  private final Time time = new Time();
  private final List<String> told = new ArrayList<>();

  private final PackWatch.Listener listener =
      new PackWatch.Listener() {
        @Override
        public void packed(String set, PackReport report) {
          told.add("packed " + set);
        }

        @Override
        public void removed(String set, int files) {
          told.add("removed %s: %d".formatted(set, files));
        }

        @Override
        public void problem(String what) {
          told.add("problem: " + what);
        }
      };

  private Path file(int set, int rank) {
    return dir.resolve("run/chk%d/r%d.bin".formatted(set, rank));
  }

  private PackWatch watch(PackDirectoryWriter writer, boolean remove) throws IOException {
    return new PackWatch(
        new PackWatch.Settings(
            dir.resolve("run"),
            Pattern.compile("chk(?<set>\\d+)/r(?<rank>\\d+)\\.bin"),
            2,
            Optional.of(Pattern.compile("chk(?<set>\\d+)/done")),
            Duration.ofSeconds(SETTLE),
            Duration.ofSeconds(1),
            remove),
        Packing.settings().with(Compression.none()),
        writer,
        listener,
        time);
  }

  private List<String> look(PackWatch watch, int seconds) throws IOException {
    told.clear();
    time.seconds += seconds;
    boolean _ = watch.look();
    return told;
  }

  private void twoSets() throws IOException {
    for (int set = 1; set <= 2; set++) {
      write(file(set, 0));
      write(file(set, 1));
    }
  }

  private void aWatchedFolder() throws IOException {
    twoSets();
    Files.createFile(dir.resolve("run/chk1/done"));
    try (PackDirectoryWriter writer = PackDirectoryWriter.open(dir.resolve("packs"), 3);
        PackWatch watch = watch(writer, true)) {
      spoil(file(1, 1), MIDDLE, 0);
      assertThat(look(watch, 0)).hasSize(1);
      assertThat(told.getFirst())
          .contains("problem: set 1: ", file(1, 1).toString(), "Input/output error");
      assertThat(look(watch, SETTLE)).as("others, and again").hasSize(2);
      assertThat(told.get(0)).contains("problem: set 1: ");
      assertThat(told.get(1)).isEqualTo("packed 2");
      assertThat(look(watch, 1)).as("not all the time").isEmpty();
      mend();
      assertThat(look(watch, 1)).isEmpty();
      assertThat(look(watch, SETTLE)).containsExactly("packed 1", "removed 1: 2");
      assertThat(file(2, 0)).exists();
    }
  }

  private void aFolderThatIsWatchedOnce() throws IOException, InterruptedException {
    twoSets();
    Files.createFile(dir.resolve("run/chk1/done"));
    Files.createFile(dir.resolve("run/chk2/done"));
    try (PackDirectoryWriter writer = PackDirectoryWriter.open(dir.resolve("packs"), 3);
        PackWatch watch = watch(writer, false)) {
      spoil(file(1, 1), MIDDLE, 0);
      assertThat(watch.run(true)).as("all packed").isFalse();
      assertThat(told).hasSize(2).contains("packed 2");
      mend();
      time.seconds += SETTLE;
      assertThat(watch.run(true)).as("all packed").isTrue();
      assertThat(told).hasSize(3).endsWith("packed 1");
    }
  }

  private void filesThatAreToBeRemoved() throws IOException {
    twoSets();
    try (PackDirectoryWriter writer = PackDirectoryWriter.open(dir.resolve("packs"), 3);
        PackWatch watch = watch(writer, false)) {
      look(watch, 0);
      assertThat(look(watch, SETTLE)).containsExactly("packed 1", "packed 2");
    }
    Path aside = file(1, 1).resolveSibling(WatchedSet.ASIDE + "r1.bin");
    try (PackDirectoryWriter writer = PackDirectoryWriter.open(dir.resolve("packs"), 3);
        PackWatch watch = watch(writer, true)) {
      spoil(aside, MIDDLE, 0);
      assertThat(look(watch, 0)).hasSize(2).contains("removed 1: 1");
      assertThat(told.getFirst()).contains("problem: ", file(1, 1).toString(), "stays");
      assertThat(aside).doesNotExist();
      assertThat(file(1, 1)).exists();
      assertThat(look(watch, 1)).as("not all the time").isEmpty();
    }
    Files.move(file(1, 1), aside); // as somebody leaves it who is killed
    try (PackDirectoryWriter writer = PackDirectoryWriter.open(dir.resolve("packs"), 3);
        PackWatch watch = watch(writer, true)) {
      assertThat(look(watch, 0)).isNotEmpty().allMatch(one -> one.startsWith("problem: "));
      assertThat(aside).doesNotExist();
      assertThat(file(1, 1)).exists();
      mend();
      assertThat(look(watch, SETTLE)).containsExactly("removed 1: 1");
      assertThat(file(1, 1)).doesNotExist();
    }
  }
}
