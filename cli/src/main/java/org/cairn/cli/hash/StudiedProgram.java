// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.hash;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.cairn.CheckpointStats;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.apps.cloverleaf.CloverLeaf;
import org.cairn.apps.heat2d.Heat2D;
import org.cairn.apps.poisson.Poisson;
import org.cairn.comm.SoloCommunicator;
import org.cairn.mesh.Mesh;
import org.cairn.mesh.MeshOptions;
import org.cairn.version.VersionId;

/** A program whose memory is looked at from checkpoint to checkpoint. */
interface StudiedProgram extends AutoCloseable {
  /** All its arrays of some size, as long as it runs. */
  List<MemorySegment> memory();

  /** Computes until it has done this many steps since its beginning. */
  void reach(long steps);

  /** Saves what it needs to go on, which may take a step more, and tells what that was. */
  CheckpointStats save();

  @Override
  void close();

  /** Those that come with Cairn. */
  enum Kind {
    HEAT2D("heat on a plate that is cold at first", 1024, 50),
    POISSON("an iteration towards a solution", 1024, 50),
    CLOVERLEAF("a gas of two densities, mostly at rest at first", 480, 20);

    private final String words;
    private final int size;
    private final int every;

    Kind(String words, int size, int every) {
      this.words = words;
      this.size = size;
      this.every = every;
    }

    /** As {@code cairn run} calls it. */
    String title() {
      return name().toLowerCase(Locale.ROOT);
    }

    String words() {
      return words;
    }

    /** Points along a side, unless told otherwise. */
    int size() {
      return size;
    }

    /** Steps from checkpoint to checkpoint, unless told otherwise. */
    int every() {
      return every;
    }

    static Kind parse(String text) {
      for (Kind kind : values()) {
        if (kind.title().equals(text.strip())) {
          return kind;
        }
      }
      throw new IllegalArgumentException(
          "there is no program '" + text + "' to study; there are heat2d, poisson, cloverleaf");
    }

    /** At its beginning. */
    StudiedProgram start(int points, Path folder) {
      return switch (this) {
        case HEAT2D -> new Heat(points, folder);
        case POISSON -> {
          Mesh mesh = OfMesh.open(folder);
          Poisson poisson = new Poisson(mesh, points, points);
          yield new OfMesh(mesh, poisson.memory(), poisson::step);
        }
        case CLOVERLEAF -> {
          Mesh mesh = OfMesh.open(folder);
          CloverLeaf clover = new CloverLeaf(mesh, points, points);
          yield new OfMesh(mesh, clover.memory(), clover::step);
        }
      };
    }
  }

  /** Saves one plate of two. */
  final class Heat implements StudiedProgram {
    private final Heat2D heat;
    private final List<MemorySegment> memory;
    private final Checkpointer cairn;
    private long steps;

    private Heat(int columns, Path folder) {
      heat = new Heat2D(columns, new SoloCommunicator());
      memory = heat.memory();
      cairn = Checkpointer.open(folder);
      cairn.protect("plate", double[].class, heat::plate, heat::plateToRestore);
    }

    @Override
    public List<MemorySegment> memory() {
      return memory;
    }

    @Override
    public void reach(long wanted) {
      for (; steps < wanted; steps++) {
        heat.step();
      }
    }

    @Override
    public CheckpointStats save() {
      return cairn.checkpoint().stats().orElseThrow();
    }

    @Override
    public void close() {
      cairn.close();
    }
  }

  /** Saves the fields that are needed at the best place. */
  final class OfMesh implements StudiedProgram {
    /** Places that are waited for come in every step. */
    private static final int MOST_WAITED = 100;

    private final Mesh mesh;
    private final List<MemorySegment> memory;
    private final Runnable step;
    private long steps;

    private OfMesh(Mesh mesh, List<MemorySegment> memory, Runnable step) {
      this.mesh = mesh;
      this.memory = memory;
      this.step = step;
    }

    private static Mesh open(Path folder) {
      Options never = Options.defaults().every(Duration.ofDays(36_500));
      return Mesh.open(folder, new SoloCommunicator(), MeshOptions.of(never));
    }

    @Override
    public List<MemorySegment> memory() {
      return memory;
    }

    @Override
    public void reach(long wanted) {
      while (steps < wanted) {
        step();
      }
    }

    private void step() {
      step.run();
      steps++;
    }

    @Override
    public CheckpointStats save() {
      Optional<VersionId> before = mesh.stats().last().map(CheckpointStats::version);
      mesh.checkpoint();
      for (int waited = 0; waited < MOST_WAITED; waited++) {
        Optional<CheckpointStats> last = mesh.stats().last();
        if (last.isPresent() && !last.map(CheckpointStats::version).equals(before)) {
          return last.get();
        }
        step();
      }
      throw new IllegalStateException("no checkpoint in " + MOST_WAITED + " steps");
    }

    @Override
    public void close() {
      mesh.close();
    }
  }
}
