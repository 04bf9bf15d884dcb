// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.updates;
import static org.cairn.mesh.Access.writes;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.cairn.mesh.Lives.Life;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.process.ChildJava;
import org.cairn.testkit.store.AskingDirectories;
import org.cairn.testkit.store.MemoryDirectories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Disks that are full, and checkpoints that are damaged. */
class TroubleTest {
  private static final int STEPS = 24;

  private final MemoryDirectories disk = new MemoryDirectories();
  private final AtomicBoolean full = new AtomicBoolean();

  /** The field is full of the number of the step and a half, with which it is found in a file. */
  private static List<Double> steps(Mesh mesh, Life life, Runnable eachTick) {
    Grid grid = mesh.grid("g", 30, 20).halo(1);
    Field mark = grid.field("mark");
    Field sum = grid.field("sum");
    mesh.each("start", grid.all(), writes(sum), (k, i, j) -> sum.set(k, i - 2.5 * j));
    mesh.ready();
    for (int step = 0; step < STEPS; step++) {
      double now = step + .5;
      mesh.each("mark", grid.all(), writes(mark), k -> mark.set(k, now));
      life.tick();
      eachTick.run();
      mesh.each(
          "add",
          grid.all(),
          reads(mark),
          updates(sum),
          k -> sum.set(k, sum.at(k) * .5 + mark.at(k)));
      life.tick();
      eachTick.run();
    }
    return List.of(
        mesh.sum("sum", grid.all(), reads(sum), (k, i, j) -> sum.at(k) * (i + 40 * j)),
        mesh.sum("mark", grid.all(), reads(mark), k -> mark.at(k)));
  }

  private void refuseIfFull(String call, Object about) throws IOException {
    if (full.get() && (call.equals("write") || call.equals("force"))) {
      throw new IOException("No space left on device");
    }
  }

  /** Full from one tick to another, wherever a checkpoint is then. */
  private Lives.Program fullBetween(int from, int to) {
    return (mesh, life) -> {
      full.set(false);
      return steps(mesh, life, () -> full.set(life.ticks() >= from && life.ticks() < to));
    };
  }

  private Lives lives(Lives.Program program, MeshOptions how, boolean inBackground) {
    full.set(false);
    AskingDirectories filling =
        new AskingDirectories(new MemoryDirectories(), (call, about) -> {}, this::refuseIfFull);
    return new Lives(program, filling)
        .with(how.checkpoints(how.checkpoints().asynchronous(inBackground)));
  }

  @Test
  void aFullDiskInsideARegion() {
    List<Double> straight = Lives.undisturbed((mesh, life) -> steps(mesh, life, () -> {}));
    for (boolean inBackground : List.of(false, true)) {
      for (MeshOptions how : List.of(Lives.often(), Lives.wrong().place("add"))) {
        Lives lives = lives(fullBetween(17, 26), how, inBackground);

        lives.dieAt(24); // the disk is full, and the program does not mind
        full.set(false);
        long good = lives.versions().getFirst().id().sequence();
        lives.dieAt(40); // there is room again
        full.set(false);
        assertThat(lives.versions().getFirst().id().sequence()).isGreaterThan(good + 2);
        assertThat(lives.end()).isEqualTo(straight);
      }
    }
  }

  /** A full disk at the end, when nothing is left to be done, is no reason to fail. */
  @Test
  void aDiskThatIsFullUntilTheEnd() {
    List<Double> straight = Lives.undisturbed((mesh, life) -> steps(mesh, life, () -> {}));
    for (boolean inBackground : List.of(false, true)) {
      assertThat(lives(fullBetween(17, 1_000), Lives.often(), inBackground).end())
          .isEqualTo(straight);
    }
  }

  // ---------------------------------------------------------------- memory

  /** What a checkpoint would copy has no room: on one rank or all, the program has its own. */
  @ParameterizedTest
  @CsvSource({"1, 1500k", "2, 500k"})
  void noMemoryForWhatIsToBeSaved(int ranks, String room) throws Exception {
    List<String> roomy = tight(ranks, "64m");
    assertThat(roomy)
        .doesNotContain("checkpoints 0")
        .noneMatch(line -> line.contains("not enough memory"));

    List<String> narrow = tight(ranks, room);

    assertThat(narrow)
        .anyMatch(
            line ->
                line.contains("a checkpoint failed, and the program goes on without it")
                    && line.contains("there is not enough memory"))
        // A rank that failed must not know of other sizes than those that did not.
        .noneMatch(line -> line.contains("cannot start"))
        .contains(sum(roomy));
  }

  private static String sum(List<String> said) {
    return said.stream().filter(line -> line.startsWith("sum ")).findFirst().orElseThrow();
  }

  private static List<String> tight(int ranks, String room) throws Exception {
    Process process =
        new ProcessBuilder(
                ChildJava.executable(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:MaxDirectMemorySize=" + room,
                "-cp",
                ChildJava.classPath(),
                Tight.class.getName(),
                Integer.toString(ranks))
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said.lines().toList();
  }

  // ---------------------------------------------------------------- damage

  @Test
  void aDamagedFieldOfTheNewestVersion() throws IOException {
    Lives.Program program = (mesh, life) -> steps(mesh, life, () -> {});
    MeshOptions options = Lives.often().place("add"); // where "mark" has to be saved
    Lives lives = new Lives(program, disk).with(options);
    lives.dieAt(40);
    long newest = lives.versions().getFirst().id().sequence();
    assertThat(lives.versions()).hasSizeGreaterThan(1);

    int damaged = damageNewestMark();
    AtomicBoolean wentOn = new AtomicBoolean();
    Lives again =
        new Lives(
                (mesh, life) -> {
                  wentOn.set(life.wentOn());
                  return program.run(mesh, life);
                },
                disk)
            .with(options);

    assertThat(damaged).as("the step that was saved last").isGreaterThan(10);
    assertThat(again.end()).isEqualTo(Lives.undisturbed(program));
    assertThat(wentOn).isTrue();
    assertThat(newest).isPositive();
  }

  /** Turns a bit of each block that has the values of the last step that was saved. */
  private int damageNewestMark() throws IOException {
    int latest = -1;
    for (String name : disk.names()) {
      Store store = disk.open(name);
      for (String file : store.list()) {
        for (int step = STEPS; step > latest; step--) {
          if (flip(store, file, step + .5)) {
            latest = step;
          }
        }
      }
    }
    return latest;
  }

  private static boolean flip(Store store, String name, double value) throws IOException {
    boolean found = false;
    try (Arena arena = Arena.ofConfined();
        StoreFile file = store.open(name, Store.Access.WRITE)) {
      MemorySegment bytes = arena.allocate(Math.max(8, file.size()), 8);
      file.read(0, bytes.asSlice(0, file.size()));
      long wanted = Double.doubleToRawLongBits(value);
      for (long at = 0; at + 32 <= file.size() && !found; at += 4) {
        found =
            bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, at) == wanted
                && bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, at + 24) == wanted;
        if (found) {
          MemorySegment one = arena.allocate(1);
          one.set(ValueLayout.JAVA_BYTE, 0, (byte) (bytes.get(ValueLayout.JAVA_BYTE, at + 2) ^ 1));
          file.write(at + 2, one);
        }
      }
    }
    return found;
  }
}
