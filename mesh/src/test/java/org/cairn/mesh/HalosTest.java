// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.updates;
import static org.cairn.mesh.Access.writes;
import static org.cairn.mesh.Stencil.STAR;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.cairn.Options;
import org.cairn.comm.Communicator;
import org.cairn.comm.ForwardingCommunicator;
import org.cairn.comm.Message;
import org.cairn.comm.Ranks;
import org.cairn.comm.Request;
import org.cairn.testkit.store.MemoryDirectories;
import org.junit.jupiter.api.Test;

/** What ranks send each other before a loop, and what they do until it has come. */
class HalosTest {
  private static final int NX = 10;
  private static final int NY = 12;

  /** All points of a row, with two around it at either end. */
  private static final int ROW = NX + 1 + 2 * 2;

  /** The tag of halos. */
  private static final int HALO = 1;

  private static Mesh open(Communicator ranks) {
    Options never = Options.defaults().every(Duration.ofDays(1)).threads(1);
    return Mesh.open(new MemoryDirectories(), ranks, MeshOptions.of(never).threads(1));
  }

  /** Two ranks: the rows of one end where those of the other begin. */
  @Test
  void severalFieldsGoInOneMessageAsDeepAsTheyAreReadAndOnlyWhenTheyAreStale() {
    List<String> notes =
        rows(
            (mesh, seen) -> {
              Grid grid = mesh.grid("plate", NX, NY).halo(2);
              Field u = grid.field("u");
              FloatField v = grid.floats("v");
              Field w = grid.field("w");
              int n = grid.north();
              Stencil far = Stencil.star(2);
              mesh.each(
                  "fill",
                  grid.all(),
                  writes(u, v),
                  (k, i, j) -> {
                    u.set(k, i + 100 * j);
                    v.set(k, i - 100 * j);
                  });
              for (int time = 0; time < 2; time++) { // the second time all is there
                mesh.each(
                    "both",
                    grid.cells(),
                    reads(u, STAR),
                    reads(v, far),
                    writes(w),
                    k -> w.set(k, u.at(k + n) + v.at(k - 2 * n)));
              }
              mesh.each("more", grid.cells(), updates(u), k -> u.set(k, u.at(k) + .5));
              mesh.each(
                  "near", grid.cells(), reads(u, STAR), writes(w), k -> w.set(k, u.at(k + n)));
              seen.add("end");
            });

    assertThat(notes)
        .containsExactly("sends " + 2 * ROW * (8 + 4), "waits", "sends " + ROW * 8, "waits", "end");
  }

  // ---------------------------------------------------------------- meanwhile

  /** Notes when somebody sends a halo, or waits for one. */
  private static final class Noting extends ForwardingCommunicator {
    private final List<String> notes;

    Noting(Communicator inner, List<String> notes) {
      super(inner);
      this.notes = notes;
    }

    @Override
    public Request startReceive(MemorySegment target, int from, int tag) {
      Request request = inner().startReceive(target, from, tag);
      return tag != HALO
          ? request
          : new Request() {
            @Override
            public boolean test() {
              return request.test();
            }

            @Override
            public Message await() {
              notes.add("waits");
              return request.await();
            }
          };
    }

    @Override
    public Request startSend(MemorySegment data, int to, int tag) {
      if (tag == HALO) {
        notes.add("sends " + data.byteSize());
      }
      return inner().startSend(data, to, tag);
    }

    @Override
    public Communicator split(int color, int key) {
      return new Noting(inner().split(color, key), notes);
    }

    @Override
    public Communicator duplicate() {
      return new Noting(inner().duplicate(), notes);
    }
  }

  /** A loop by the first of two ranks, whose rows are 0 to 5: which rows it does, and when. */
  private static List<String> rows(BiConsumer<Mesh, List<String>> loop) {
    List<String> ofFirst = new ArrayList<>();
    Ranks.run(
        2,
        comm -> {
          List<String> notes = comm.rank() == 0 ? ofFirst : new ArrayList<>();
          try (Mesh mesh = open(new Noting(comm, notes))) {
            loop.accept(mesh, notes);
          }
        });
    return ofFirst;
  }

  private static void note(List<String> notes, int j) {
    String row = "row " + j;
    if (notes.isEmpty() || !notes.getLast().equals(row)) {
      notes.add(row);
    }
  }

  @Test
  void innerPointsAreComputedBeforeAnybodyWaits() {
    List<String> notes =
        rows(
            (mesh, seen) -> {
              Grid grid = mesh.grid("plate", NX, NY).halo(1);
              Field u = grid.field("u");
              Field v = grid.field("v");
              int n = grid.north();
              mesh.each("fill", grid.all(), writes(u), k -> u.set(k, 1));
              mesh.each(
                  "relax",
                  grid.cells(),
                  reads(u, STAR),
                  writes(v),
                  (k, i, j) -> {
                    note(seen, j);
                    v.set(k, u.at(k - n) + u.at(k + n));
                  });
            });

    assertThat(notes)
        .containsExactly(
            "sends 104", "row 0", "row 1", "row 2", "row 3", "row 4", "waits", "row 5");
  }

  /** What a point reads may have been written by the one before it: there is no meanwhile. */
  @Test
  void aLoopThatReadsWhatItWritesWaitsFirst() {
    List<String> notes =
        rows(
            (mesh, seen) -> {
              Grid grid = mesh.grid("plate", NX, NY).halo(1);
              Field u = grid.field("u");
              int n = grid.north();
              mesh.each("fill", grid.all(), writes(u), k -> u.set(k, 1));
              mesh.each(
                  "sweep",
                  grid.cells(),
                  reads(u, STAR),
                  writes(u),
                  (k, i, j) -> {
                    note(seen, j);
                    u.set(k, u.at(k + n));
                  });
            });

    assertThat(notes)
        .containsExactly(
            "sends 104", "waits", "row 0", "row 1", "row 2", "row 3", "row 4", "row 5");
  }
}
