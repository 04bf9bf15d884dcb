// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.writes;
import static org.cairn.mesh.Stencil.STAR;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.cairn.Options;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.comm.SoloCommunicator;
import org.cairn.store.DirectoryStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A mesh is saved in all the ways that other programs are: its options are theirs. */
class WaysTest {
  private static final int STEPS = 40;
  private static final int KILLED_AT = 23;

  @TempDir Path folder;

  private final Set<String> ends = Collections.synchronizedSet(new HashSet<>());
  private final Set<Boolean> replayed = Collections.synchronizedSet(new HashSet<>());

  private static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private Path job() {
    return folder.resolve("job");
  }

  /** Heat in a plate; a rank notes what it ends with. */
  private void run(Communicator ranks, Path where, Options options, int steps, int killedAt) {
    Mesh mesh = Mesh.open(where, ranks, MeshOptions.of(options.threads(1)).threads(1));
    try {
      replayed.add(mesh.replaying());
      Grid grid = mesh.grid("plate", 13, 17);
      Field u = grid.field("u");
      Field v = grid.field("v");
      int e = grid.east();
      int n = grid.north();
      mesh.each("start", grid.all(), writes(u), (k, i, j) -> u.set(k, i * i - 3 * j));
      mesh.ready();
      for (int step = 0; step < steps; step++) {
        if (step == killedAt) {
          throw new Killed();
        }
        mesh.each(
            "relax",
            grid.cells(),
            reads(u, STAR),
            writes(v),
            k -> v.set(k, .2 * (u.at(k - e) + u.at(k + e) + u.at(k - n) + 2 * u.at(k + n))));
        mesh.each("copy", grid.cells(), reads(v), writes(u), k -> u.set(k, v.at(k)));
      }
      ends.add(
          mesh.sum("sum", grid.all(), reads(u), k -> u.at(k))
              + " "
              + mesh.max("max", grid.cells(), reads(v), k -> v.at(k)));
      mesh.close();
    } catch (RuntimeException | Error e) {
      mesh.abandon();
      throw e;
    }
  }

  private void live(int ranks, Options options, int steps, int killedAt) {
    try {
      Ranks.run(ranks, rank -> "node" + rank, comm -> run(comm, job(), options, steps, killedAt));
      assertThat(killedAt).isNegative();
    } catch (RuntimeException e) {
      assertThat(e).hasRootCauseInstanceOf(Killed.class);
    }
  }

  /** It went on, and ended with the bits of a run that nobody disturbed. */
  private void requireSame(int ranks, Options options) {
    replayed.clear();
    ends.clear();
    live(ranks, options, STEPS, -1);
    assertThat(replayed).containsExactly(true);
    run(
        new SoloCommunicator(),
        folder.resolve("straight"),
        Options.defaults().every(Duration.ofDays(1)),
        STEPS,
        -1);
    assertThat(ends).hasSize(1);
  }

  private void lose(String directory) throws IOException {
    try (Stream<Path> files = Files.walk(job().resolve(directory))) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static Options often() {
    return Options.defaults().every(Duration.ofNanos(1));
  }

  @Test
  void partnersHaveWhatARankHasLost() throws IOException {
    Options options = often().tiers(Tiers.none().partner(1));
    live(3, options, STEPS, KILLED_AT);
    lose("rank1");

    requireSame(3, options);
  }

  @Test
  void parityBringsBackWhatARankHasLost() throws IOException {
    Options options = often().tiers(Tiers.none().erasure(1).group(3, 1));
    live(3, options, STEPS, KILLED_AT);
    lose("rank2");

    requireSame(3, options);
  }

  @Test
  void theSharedDirectoryAloneIsEnoughForAnotherNumberOfRanks() throws IOException {
    Path shared = Files.createDirectories(folder.resolve("shared"));
    Options options = often().tiers(Tiers.none().shared(DirectoryStore.shared(shared), 1));
    live(2, options, STEPS, KILLED_AT);
    for (String directory : List.of("rank0", "rank1")) {
      lose(directory);
    }

    requireSame(3, options);
  }

  /** What is in memory only is written down when a program closes. */
  @Test
  void inMemoryAndInTheBackground() {
    Options options = often().inMemory(true).tiers(Tiers.none().partner(1));
    live(2, options, KILLED_AT, -1);

    requireSame(2, options);
  }

  /** The interval follows from what a checkpoint costs: after some microseconds here. */
  @Test
  void asOftenAsDalyHasIt() {
    Options options = Options.defaults().mtbf(Duration.ofMillis(1)).asynchronous(true);
    live(2, options, STEPS, KILLED_AT);

    requireSame(1, options);
  }
}
