// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.comm.SoloCommunicator;
import org.cairn.store.Directories;
import org.cairn.testkit.store.MemoryDirectories;
import org.cairn.version.VersionInfo;

/** Lives of a program, killed where a test says; its checkpoints are kept in memory. */
final class Lives {
  private final Program program;
  private final Directories disk;
  private MeshOptions options = often();

  /** Thrown where a process would die. */
  static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** What a life ends with: values, the same however often it was killed. */
  interface Program {
    List<Double> run(Mesh mesh, Life life);
  }

  /** One rank of one life. */
  static final class Life {
    private final long killedAt;
    private final boolean went;
    private long ticks;

    private Life(long killedAt, boolean went) {
      this.killedAt = killedAt;
      this.went = went;
    }

    /** The program may be killed here. */
    void tick() {
      if (ticks++ == killedAt) {
        throw new Killed();
      }
    }

    long ticks() {
      return ticks;
    }

    /** Whether there was a version to go on from. */
    boolean wentOn() {
      return went;
    }
  }

  Lives(Program program) {
    this(program, new MemoryDirectories());
  }

  Lives(Program program, Directories disk) {
    this.program = program;
    this.disk = disk;
  }

  /** Checkpoints at each place, looked for soon; what was not saved becomes wrong at a restart. */
  static MeshOptions often() {
    return MeshOptions.of(Options.defaults().every(Duration.ofNanos(1)).threads(1))
        .threads(1)
        .hooks(new MeshOptions.Hooks(true, 1, 4));
  }

  /** Whatever is predicted to be needed is not saved at the place. */
  static MeshOptions wrong() {
    return often().hooks(new MeshOptions.Hooks(true, 0, 4));
  }

  Lives with(MeshOptions chosen) {
    options = chosen;
    return this;
  }

  // ---------------------------------------------------------------- living

  /** Lives until the end. */
  List<Double> end(int ranks) {
    return live(ranks, -1).orElseThrow();
  }

  List<Double> end() {
    return end(1);
  }

  /** Dies at a tick, or must not have come so far. */
  void dieAt(int ranks, long tick) {
    live(ranks, tick);
  }

  void dieAt(long tick) {
    dieAt(1, tick);
  }

  private Optional<List<Double>> live(int ranks, long killedAt) {
    List<List<Double>> ends = Collections.synchronizedList(new ArrayList<>());
    try {
      if (ranks == 1) {
        ends.add(one(new SoloCommunicator(), killedAt));
      } else {
        Ranks.run(ranks, comm -> ends.add(one(comm, killedAt)));
      }
    } catch (Killed e) {
      return Optional.empty();
    } catch (RuntimeException e) {
      if (ranks > 1 && killedAt >= 0) {
        assertThat(e).hasRootCauseInstanceOf(Killed.class);
        return Optional.empty();
      }
      throw e;
    }
    assertThat(ends).as("all ranks end alike").hasSize(ranks).containsOnly(ends.getFirst());
    return Optional.of(ends.getFirst());
  }

  /** One rank of several throws at a tick, and closes its mesh, as a program does that fails. */
  void failAt(int ranks, int failing, long tick) {
    assertThatThrownBy(
            () ->
                Ranks.run(
                    ranks,
                    comm -> {
                      try (Mesh mesh = Mesh.open(disk, comm, options)) {
                        long at = comm.rank() == failing ? tick : -1;
                        program.run(mesh, new Life(at, mesh.replaying()));
                      }
                    }))
        .hasRootCauseInstanceOf(Killed.class);
  }

  private List<Double> one(Communicator ranks, long killedAt) {
    Mesh mesh = Mesh.open(disk, ranks, options);
    try {
      List<Double> end = program.run(mesh, new Life(killedAt, mesh.replaying()));
      mesh.close();
      return end;
    } catch (RuntimeException | Error e) {
      mesh.abandon();
      throw e;
    }
  }

  /** The versions that there are now, newest first. */
  List<VersionInfo> versions() {
    try (Checkpointer cairn = Checkpointer.open(disk, new SoloCommunicator(), Options.defaults())) {
      return cairn.versions();
    }
  }

  // ---------------------------------------------------------------- many lives

  /** What the program ends with when nobody disturbs it and nothing is saved. */
  static List<Double> undisturbed(Program program) {
    MeshOptions never = MeshOptions.of(Options.defaults().every(Duration.ofDays(1))).threads(1);
    return new Lives(program).with(never).end();
  }

  /**
   * Requires that the program ends alike when it is killed at some tick, and again some ticks
   * later, whether predictions are right or all wrong, on one rank and on two.
   */
  static void requireSame(Program program, int ticks) {
    List<Double> straight = undisturbed(program);
    int kills = 8;
    for (int n = 0; n < kills; n++) {
      int tick = 2 + n * (ticks - 2) / kills;
      Lives lives = new Lives(program).with(n % 2 == 0 ? often() : wrong());
      lives.dieAt(1 + n / 2 % 2, tick);
      lives.dieAt(tick + 5);
      assertThat(lives.end(1 + n / 4)).as("killed at %d", tick).isEqualTo(straight);
    }
  }
}
