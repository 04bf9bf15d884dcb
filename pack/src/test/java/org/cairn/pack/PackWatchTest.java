// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.cairn.Compression;
import org.cairn.clock.Clock;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.tier.shared.SoleWriter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sets of files are packed when they are complete, each once, and removed when that is safe. */
class PackWatchTest {
  private static final int RANKS = 2;
  private static final Pattern MATCH = Pattern.compile("chk(?<set>\\d+)/r(?<rank>\\d+)\\.bin");
  private static final Pattern MARKER = Pattern.compile("chk(?<set>\\d+)/done");

  @TempDir Path dir;
  private Path run;
  private Path packs;
  private final Time time = new Time();
  private final Random content = Seeds.content(3);
  private final List<String> told = Collections.synchronizedList(new ArrayList<>());
  private Pattern any = MATCH;
  private Change whenPacked = () -> {};

  /** What happens meanwhile. */
  private interface Change {
    void happen() throws IOException;
  }

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

  private final PackWatch.Listener listener =
      new PackWatch.Listener() {
        @Override
        public void packed(String set, PackReport report) {
          told.add("packed " + set);
          try {
            whenPacked.happen();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }

        @Override
        public void removed(String set, int files) {
          told.add("removed %s: %d".formatted(set, files));
        }

        @Override
        public void problem(String what) {
          told.add(what);
        }
      };

  @BeforeEach
  void folders() throws IOException {
    run = Files.createDirectory(dir.resolve("run"));
    packs = dir.resolve("packs");
  }

  private Path file(int set, int rank) {
    return run.resolve("chk%d/r%d.bin".formatted(set, rank));
  }

  private byte[] write(int set, int rank) throws IOException {
    byte[] bytes = new byte[10_000];
    content.nextBytes(bytes);
    Files.createDirectories(run.resolve("chk" + set));
    Files.write(file(set, rank), bytes);
    return bytes;
  }

  private void write(int set) throws IOException {
    for (int rank = 0; rank < RANKS; rank++) {
      write(set, rank);
    }
  }

  /** Looks so often, each time with another process, as it were; and so much later. */
  private List<String> look(boolean marker, boolean remove, int... seconds) throws IOException {
    told.clear();
    try (PackDirectoryWriter writer = PackDirectoryWriter.open(packs, 3);
        PackWatch watch =
            new PackWatch(
                new PackWatch.Settings(
                    run,
                    any,
                    RANKS,
                    marker ? Optional.of(MARKER) : Optional.empty(),
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(1),
                    remove),
                Packing.settings().with(Compression.none()),
                writer,
                listener,
                time)) {
      for (int more : seconds) {
        time.seconds += more;
        boolean _ = watch.look();
      }
    }
    return told;
  }

  private List<String> sets() throws IOException {
    return PackDirectory.open(packs).list().versions().stream()
        .map(one -> one.label().text())
        .toList();
  }

  private void assertNewestIs(int set, byte[]... files) throws IOException {
    PackDirectory directory = PackDirectory.open(packs);
    try (Pack pack = directory.open(directory.list().versions().getFirst().id())) {
      for (int rank = 0; rank < files.length; rank++) {
        Path expected = Files.write(dir.resolve("expected"), files[rank]);
        assertThat(pack.members().get(rank).file().name().toString())
            .isEqualTo("chk%d/r%d.bin".formatted(set, rank));
        assertThat(pack.isSame(pack.members().get(rank), expected)).isTrue();
      }
    }
  }

  @Test
  void aSetIsPackedWhenAllRanksHaveRested() throws IOException {
    byte[] first = write(1, 0);
    assertThat(look(false, false, 0, 20)).isEmpty();
    byte[] second = write(1, 1);
    assertThat(look(false, false, 0, 9)).isEmpty();
    assertThat(look(false, false, 0, 9, 1, 50)).containsExactly("packed 1");
    assertThat(look(false, false, 0, 20)).as("after a restart").isEmpty();
    assertNewestIs(1, first, second);
  }

  @Test
  void aSetWithAMarkerNeedNotRest() throws IOException {
    write(1);
    write(2, 0);
    Files.createFile(run.resolve("chk1/done"));
    Files.createFile(run.resolve("chk2/done"));
    assertThat(look(true, false, 0)).containsExactly("packed 1");
    write(2, 1);
    assertThat(look(true, false, 0)).containsExactly("packed 2");
  }

  @Test
  void ofALinkInTheirPlaceSomebodyIsTold() throws IOException {
    write(1, 0);
    Files.createSymbolicLink(file(1, 1), file(1, 0));
    assertThat(look(false, false, 0, 10, 10))
        .singleElement()
        .satisfies(line -> assertThat(line).contains(file(1, 1).toString(), "link"));
  }

  @Test
  void thatOldVersionsStaySomebodyIsTold() throws IOException {
    write(1);
    assertThat(look(false, false, 0, 10)).containsExactly("packed 1");
    Path segment;
    try (Stream<Path> files = Files.list(packs)) {
      segment =
          files.filter(file -> file.toString().endsWith(".cairn-seg")).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(segment);
    bytes[5_000] ^= 1;
    Files.write(segment, bytes);
    Files.createDirectory(run.resolve("chk2"));
    for (int rank = 0; rank < RANKS; rank++) {
      Files.copy(file(1, rank), file(2, rank));
    }
    assertThat(look(false, false, 0, 10))
        .satisfiesExactly(
            line -> assertThat(line).isEqualTo("packed 2"),
            line ->
                assertThat(line).startsWith("old versions stay for now: version 1.1 is damaged"));
  }

  @Test
  void aSetThatComesAgainIsANewVersionEvenIfItLooksTheSame() throws IOException {
    write(1);
    FileTime when = Files.getLastModifiedTime(file(1, 0));
    assertThat(look(false, false, 0, 10)).containsExactly("packed 1");
    byte[] other = write(1, 0);
    Files.setLastModifiedTime(file(1, 0), when);
    assertThat(look(false, false, 0, 10)).containsExactly("packed 1");
    assertThat(sets()).containsExactly("1", "1");
    assertNewestIs(1, other);
    Files.setLastModifiedTime(file(1, 0), FileTime.fromMillis(5));
    assertThat(look(false, false, 0, 10)).as("touched, with the same bytes").isEmpty();
  }

  @Test
  void aSetWhoseVersionWasCollectedIsNotPackedAgain() throws IOException {
    for (int set = 8; set <= 12; set++) {
      write(set);
    }
    assertThat(look(false, false, 0, 10))
        .containsExactly("packed 8", "packed 9", "packed 10", "packed 11", "packed 12");
    assertThat(sets()).containsExactly("12", "11", "10");
    assertThat(look(false, true, 0, 10))
        .hasSize(4)
        .startsWith(
            "set 8 stays: its copy was given up before the next set was complete; keep more versions")
        .endsWith("removed 10: 2", "removed 11: 2");
    assertThat(file(8, 0)).as("of which there is no copy").exists();
    assertThat(look(false, true, 0, 10)).noneMatch(line -> line.startsWith("packed"));
  }

  /** More sets than are kept: each goes before the version that takes its copy away. */
  @Test
  void aBacklogIsRemovedAsItIsPacked() throws IOException {
    for (int set = 1; set <= 8; set++) {
      write(set);
    }
    List<String> said = look(false, true, 0, 10);
    assertThat(said).contains("packed 8", "removed 1: 2", "removed 7: 2").hasSize(8 + 7);
    assertThat(file(7, 1)).doesNotExist();
    assertThat(file(8, 1)).exists();
    assertThat(sets()).containsExactly("8", "7", "6");
  }

  @Test
  void filesGoWhenTheNextSetIsCompleteOrAMarkerIsThere() throws IOException {
    write(1);
    assertThat(look(false, true, 0, 10)).containsExactly("packed 1");
    write(2, 0);
    assertThat(look(false, true, 0, 10)).isEmpty();
    assertThat(file(1, 0)).exists();
    write(2, 1);
    assertThat(look(false, true, 0, 10)).containsExactly("removed 1: 2", "packed 2");
    assertThat(file(1, 0)).doesNotExist();
    assertThat(file(2, 0)).exists();
    Files.createFile(run.resolve("chk2/done"));
    assertThat(look(true, true, 0)).containsExactly("removed 2: 2");
    write(2);
    assertThat(look(true, false, 0)).as("it comes again").containsExactly("packed 2");
  }

  @Test
  void whatWasPutAsideByAKilledOneGoesOrComesBack() throws IOException {
    write(1);
    write(2);
    assertThat(look(false, false, 0, 10)).hasSize(2);
    Path aside = run.resolve("chk1/" + WatchedSet.ASIDE + "r0.bin");
    Files.move(file(1, 0), aside);
    look(false, true, 0);
    assertThat(aside).doesNotExist();
    assertThat(file(1, 0)).as("it was packed").doesNotExist();
    Path other = run.resolve("chk2/" + WatchedSet.ASIDE + "r1.bin");
    Files.move(file(2, 1), other);
    byte[] changed = Files.readAllBytes(other);
    changed[7] ^= 1;
    Files.write(other, changed);
    look(false, true, 0);
    assertThat(other).doesNotExist();
    assertThat(file(2, 1)).hasBinaryContent(changed);
  }

  @Test
  void aFileThatHasChangedIsPackedAgainBeforeItGoes() throws IOException {
    write(1);
    write(2);
    assertThat(look(false, false, 0, 10)).hasSize(2);
    byte[] changed = Files.readAllBytes(file(1, 1));
    changed[7] ^= 1;
    Files.write(file(1, 1), changed);
    byte[] first = Files.readAllBytes(file(1, 0));
    assertThat(look(false, true, 0, 10)).containsExactly("packed 1", "removed 1: 2");
    assertNewestIs(1, first, changed);
  }

  /** A run that was begun again writes sets anew, of which some files are the same as before. */
  @Test
  void aFileThatComesAgainIsNotRemovedBeforeItsSetIsThere() throws IOException {
    byte[] first = write(1, 0);
    write(1, 1);
    write(2);
    assertThat(look(false, true, 0, 10)).contains("packed 1", "removed 1: 2");
    Files.write(file(1, 0), first);
    assertThat(look(false, true, 0, 10)).isEmpty();
    assertThat(file(1, 0)).exists();
    byte[] other = write(1, 1);
    assertThat(look(false, true, 0, 10)).containsExactly("packed 1", "removed 1: 2");
    assertNewestIs(1, first, other);
  }

  @Test
  void whoIsKilledWhileFilesGoTakesThoseAndNoneThatCameLater() throws IOException {
    byte[] first = write(1, 0);
    byte[] second = write(1, 1);
    write(2);
    assertThat(look(false, false, 0, 10)).hasSize(2);
    try (PackDirectoryWriter writer = PackDirectoryWriter.open(packs, 3)) {
      WatchedSet set = WatchedSet.find(run, MATCH, Optional.empty()).sets().getFirst();
      PackedSets.read(writer.store()).removing("1", set.identities());
    }
    Files.move(file(1, 0), dir.resolve("gone"));
    Files.write(file(1, 0), first);
    assertThat(look(false, true, 0)).containsExactly("removed 1: 1");
    assertThat(file(1, 0)).as("it came later").exists();
    assertThat(file(1, 1)).doesNotExist();
    Files.write(file(1, 1), second);
    assertThat(look(false, true, 0, 10)).containsExactly("packed 1", "removed 1: 2");
  }

  /** What is in the way of a file's other name is in the way of anybody, whatever his rights. */
  @Test
  void aFileThatCannotBeRemovedIsToldAndOtherSetsArePacked() throws IOException {
    write(1);
    write(2);
    write(3);
    Path inTheWay = run.resolve("chk1/" + WatchedSet.ASIDE + "r0.bin/x");
    Files.createDirectories(inTheWay);
    assertThat(look(false, true, 0, 10))
        .contains("packed 1", "packed 2", "packed 3", "removed 1: 1", "removed 2: 2")
        .anyMatch(line -> line.contains(file(1, 0) + " cannot be removed"))
        .hasSize(6);
    assertThat(file(1, 0)).exists();
    Files.delete(inTheWay);
    Files.delete(inTheWay.getParent());
    assertThat(look(false, true, 0)).containsExactly("removed 1: 1");
    assertThat(file(1, 0)).doesNotExist();
  }

  @Test
  void aSetThatIsWrittenAnewWhileAnotherOneIsPackedWaits() throws IOException {
    write(1);
    write(2);
    whenPacked = () -> write(2, 0);
    assertThat(look(false, false, 0, 10)).containsExactly("packed 1");
    whenPacked = () -> {};
    assertThat(look(false, false, 0, 9, 1)).containsExactly("packed 2");
    assertThat(sets()).containsExactly("2", "1");
  }

  @Test
  void aSetThatNoVersionCanBeCalledAfterIsInNobodysWay() throws IOException {
    write(1);
    for (String bad : List.of("a\nb", "x".repeat(200))) {
      Path folder = Files.createDirectory(run.resolve(bad));
      Files.write(folder.resolve("r0.bin"), new byte[9]);
    }
    any = Pattern.compile("(chk)?(?<set>[^/]*)/r(?<rank>\\d+)\\.bin");
    assertThat(look(false, false, 0, 10, 10))
        .hasSize(3)
        .contains("packed 1")
        .anyMatch(line -> line.contains("control characters"))
        .anyMatch(line -> line.contains("200 bytes"));
    assertThat(sets()).containsExactly("1");
  }

  @Test
  void whatTheSetIsMayBeMissing() throws IOException {
    write(1);
    any = Pattern.compile("chk(?<set>7)?\\d/r(?<rank>x)?\\d+\\.bin");
    assertThat(look(false, false, 0, 10)).isEmpty();
  }

  /** As soon as one file was seen, all others of its folder go. */
  @Test
  void whatGoesWhileItIsLookedAtWasNotThere() throws IOException {
    for (int set = 1; set <= 3; set++) {
      write(set);
    }
    WatchedFiles there =
        new WatchedFiles(run) {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            try {
              for (int rank = 0; rank < RANKS; rank++) {
                Path other = file.resolveSibling("r%d.bin".formatted(rank));
                if (!other.equals(file)) {
                  Files.delete(other);
                }
              }
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
            return super.visitFile(file, attributes);
          }
        }.look();
    assertThat(there.files()).hasSize(3);
    assertThat(there.unreadable()).isEmpty();
  }

  @Test
  void aFolderThatCannotBeReadIsToldAndOthersAreLookedInto() throws IOException {
    write(1);
    WatchedFiles there = new WatchedFiles(run).look();
    Path closed = run.resolve("chk2");
    assertThat(there.visitFileFailed(closed, new AccessDeniedException(closed.toString())))
        .isEqualTo(FileVisitResult.CONTINUE);
    assertThat(there.unreadable())
        .singleElement()
        .satisfies(one -> assertThat(one.path()).isEqualTo(closed));
    assertThat(there.files()).hasSize(2);
    assertThatThrownBy(() -> new WatchedFiles(run.resolve("none")).look())
        .isInstanceOf(NoSuchFileException.class);
  }

  /** Each look takes a second, by this clock. */
  @Test
  void betweenLooksItRestsWhateverHappens() throws Exception {
    Duration poll = Duration.ofSeconds(4);
    List<Duration> rests = new ArrayList<>();
    AtomicReference<PackWatch> watching = new AtomicReference<>();
    Clock clock =
        new Clock() {
          private long now;

          @Override
          public Instant now() {
            return Instant.EPOCH;
          }

          @Override
          public long nanos() {
            return now += Duration.ofSeconds(1).toNanos();
          }

          @Override
          public void pause(Duration pause) throws InterruptedException {
            rests.add(pause);
            try {
              write(9, 0); // something changes all the time
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
            if (rests.size() == 19) {
              watching.get().stop();
            }
          }
        };
    try (PackDirectoryWriter writer = PackDirectoryWriter.open(packs, 3);
        PackWatch watch =
            new PackWatch(
                new PackWatch.Settings(
                    run, MATCH, RANKS, Optional.empty(), Duration.ofSeconds(10), poll, false),
                Packing.settings(),
                writer,
                listener,
                clock)) {
      watching.set(watch);
      assertThat(watch.run(false)).isTrue();
    }
    assertThat(rests).hasSize(19).allMatch(pause -> pause.compareTo(Duration.ofMillis(200)) <= 0);
  }

  @Test
  void whoStopsItDoesNotWaitForTheNextLook() throws Exception {
    write(1);
    Thread thread;
    try (PackDirectoryWriter writer = PackDirectoryWriter.open(packs, 3);
        PackWatch watch =
            new PackWatch(
                new PackWatch.Settings(
                    run, MATCH, RANKS, Optional.empty(), Duration.ZERO, Duration.ofDays(1), false),
                Packing.settings(),
                writer,
                listener,
                Clock.system())) {
      thread = Thread.ofPlatform().start(() -> runQuietly(watch));
      while (!told.contains("packed 1")) {
        Thread.sleep(10);
      }
      watch.stop();
      thread.join(Duration.ofMinutes(5));
      assertThat(thread.isAlive()).isFalse();
    }
  }

  private static void runQuietly(PackWatch watch) {
    try {
      boolean _ = watch.run(false);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whatFindsNoSetsIsRefused() {
    assertThatThrownBy(
            () ->
                new PackWatch.Settings(
                    run,
                    Pattern.compile("x"),
                    1,
                    Optional.empty(),
                    Duration.ZERO,
                    Duration.ZERO,
                    false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("set");
    assertThatThrownBy(
            () ->
                new PackWatch.Settings(
                    run, MATCH, 0, Optional.empty(), Duration.ZERO, Duration.ZERO, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ranks");
  }

  private PackDirectoryWriter open(CrashingStore store) throws IOException {
    return PackDirectoryWriter.open(
        store,
        "packs",
        Clock.system(),
        content::nextLong,
        new SoleWriter.Settings(3, Duration.ofHours(1), PackDirectoryWriter.host()));
  }

  private PackWatch watch(PackDirectoryWriter writer) throws IOException {
    PackWatch.Settings settings =
        new PackWatch.Settings(
            run,
            MATCH,
            RANKS,
            Optional.of(MARKER),
            Duration.ofSeconds(10),
            Duration.ofSeconds(2),
            false);
    return new PackWatch(
        settings, Packing.settings().with(Compression.none()), writer, listener, time);
  }

  /** Wherever space ends: in the segment, the manifest, or the list of what was packed. */
  @Test
  void onAFullDiskItWaitsAndGoesOn() throws IOException {
    write(1);
    Files.createFile(run.resolve("chk1/done"));
    Set<Boolean> wasPacked = new HashSet<>();
    for (long free : LongStream.rangeClosed(0, 60).map(i -> i * 400).toArray()) {
      told.clear();
      CrashingStore store = new CrashingStore(free);
      try (PackDirectoryWriter writer = open(store);
          PackWatch watch = watch(writer)) {
        List<String> before = store.list();
        store.fillDiskAfter(free);
        boolean waiting = watch.look();
        boolean packed = told.contains("packed 1");
        wasPacked.add(packed);
        if (!packed) {
          assertThat(waiting).isTrue();
          assertThat(told).hasSize(1).first().asString().contains("No space left", "make room");
          assertThat(store.list()).as("nothing half done").isEqualTo(before);
          time.seconds += 1;
          assertThat(watch.look()).as("too early to try again").isTrue();
        }
        store.emptyDisk();
        time.seconds += 2;
        assertThat(watch.look()).isFalse();
        assertThat(told.stream().filter("packed 1"::equals)).hasSize(1);
        assertThat(store.list()).contains("packed-sets").doesNotContain("packed-sets.next");
        assertThat(writer.directory().list().versions()).hasSize(1);
        assertThat(writer.directory().list().damaged()).isEmpty();
      }
    }
    assertThat(wasPacked).containsExactlyInAnyOrder(true, false);
  }

  @Test
  void aWatchThatEndsOnAFullDiskDoesNotPromiseToGoOn() throws Exception {
    write(1);
    Files.createFile(run.resolve("chk1/done"));
    CrashingStore store = new CrashingStore(1);
    try (PackDirectoryWriter writer = open(store);
        PackWatch watch = watch(writer)) {
      store.fillDiskAfter(0);
      assertThat(watch.run(true)).isFalse();
      assertThat(told)
          .hasSize(1)
          .first()
          .asString()
          .endsWith("nothing is lost: make room, and start this again");
    }
  }

  @Test
  void itTriesAtLeastEveryMinuteAndSaysSoOnce() throws Exception {
    write(1);
    Files.createFile(run.resolve("chk1/done"));
    CrashingStore store = new CrashingStore(1);
    try (PackDirectoryWriter writer = open(store);
        PackWatch watch = watch(writer)) {
      store.fillDiskAfter(1000);
      int tried = 0;
      for (int i = 0; i < 600; i++) {
        long before = store.operations();
        assertThat(watch.look()).isTrue();
        tried += store.operations() > before ? 1 : 0;
        time.seconds++;
      }
      assertThat(tried).as("after 2, 4, 8, 16, 32 and every 60 seconds").isBetween(14, 16);
      assertThat(told).hasSize(1);
      assertThat(watch.run(true)).as("once, and not").isFalse();
    }
  }

  @Test
  void theFolderOfAKilledPackerGoesAndThatOfALivingOneStays() throws IOException {
    Path left = Files.createDirectory(dir.resolve(".cairn-pack-1"));
    Files.write(left.resolve("lock"), new byte[3]);
    Files.write(left.resolve("seg"), new byte[3]);
    Path begun = Files.createDirectory(dir.resolve(".cairn-pack-2"));
    Path other = Files.createDirectory(dir.resolve(".cairn-pack-3"));
    Files.write(other.resolve("something"), new byte[3]);
    try (Aside living = Aside.in(dir);
        Aside another = Aside.in(dir)) {
      assertThat(living.folder()).isDirectory().isNotEqualTo(another.folder());
      assertThat(left).doesNotExist();
      assertThat(begun).doesNotExist();
      assertThat(other).as("without a lock").exists();
    }
    Packing.assertOnly(dir, "run", ".cairn-pack-3");
  }
}
