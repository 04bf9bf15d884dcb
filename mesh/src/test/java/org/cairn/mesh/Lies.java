// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.updates;
import static org.cairn.mesh.Access.writes;
import static org.cairn.mesh.Access.writesSome;
import static org.cairn.mesh.Stencil.STAR;

import java.util.ArrayList;
import java.util.List;
import org.cairn.comm.SoloCommunicator;
import org.cairn.testkit.store.MemoryDirectories;

/** Runs loops that do not do what they say, and prints what they are told; see CheckingTest. */
final class Lies {
  private final Mesh mesh =
      Mesh.open(new MemoryDirectories(), new SoloCommunicator(), MeshOptions.defaults());
  private final Grid grid = mesh.grid("plate", 6, 5).halo(1);
  private final Field u = grid.field("u");
  private final Field v = grid.field("v");
  private final Line x = grid.line("x", Axis.X);
  private final int e = grid.east();
  private final int n = grid.north();

  private static int count;
  private final double[] table = {1, 2, 3, 4};
  private double total;

  private record Lie(String name, Runnable loop) {}

  public static void main(String[] arguments) {
    for (Lie lie : new Lies().all()) {
      try {
        lie.loop.run();
        System.out.println(lie.name + ": fine");
      } catch (RuntimeException e) {
        System.out.println(lie.name + ": " + e.getMessage());
      }
    }
  }

  private List<Lie> all() {
    List<Lie> all = new ArrayList<>(truths());
    all.addAll(lies());
    return all;
  }

  private List<Lie> truths() {
    return List.of(
        new Lie(
            "honest",
            () ->
                mesh.each(
                    "honest",
                    grid.cells(),
                    reads(u, STAR),
                    writes(v),
                    k -> v.set(k, u.at(k + n) + u.at(k - e)))),
        new Lie(
            "honest row",
            () ->
                mesh.rows(
                    "row",
                    grid.cells(),
                    reads(u, STAR),
                    writes(v),
                    (from, to) -> {
                      for (int k = from; k < to; k++) {
                        v.set(k, u.at(k + e));
                      }
                    })),
        new Lie(
            "honest line",
            () ->
                mesh.each(
                    "line",
                    grid.cells(),
                    reads(x),
                    updates(u),
                    (k, i, j) -> u.set(k, u.at(k) + x.at(i)))),
        new Lie(
            "honest some",
            () ->
                mesh.each(
                    "some",
                    grid.cells(),
                    writesSome(u),
                    (k, i, j) -> {
                      if (i == j) {
                        u.set(k, 1);
                      }
                    })),
        new Lie(
            "honest table",
            () -> mesh.each("table", grid.cells(), writes(v), k -> v.set(k, table[k & 3]))),
        new Lie(
            "honest array of its own",
            () ->
                mesh.each(
                    "array",
                    grid.cells(),
                    writes(v),
                    k -> {
                      double[] own = {table[0], 2};
                      own[0] += 1;
                      v.set(k, own[0]);
                    })));
  }

  private List<Lie> lies() {
    double[] array = new double[200];
    return List.of(
        new Lie(
            "silent read",
            () -> mesh.each("loop", grid.cells(), writes(v), k -> v.set(k, u.at(k)))),
        new Lie(
            "silent write",
            () -> mesh.each("loop", grid.cells(), reads(u), k -> v.set(k, u.at(k)))),
        new Lie(
            "wrong mode", () -> mesh.each("loop", grid.cells(), reads(u), k -> u.set(k, u.at(k)))),
        new Lie(
            "write that reads",
            () -> mesh.each("loop", grid.cells(), writes(u), k -> u.set(k, u.at(k) + 1))),
        new Lie(
            "outside the stencil",
            () -> mesh.each("loop", grid.cells(), reads(u), writes(v), k -> v.set(k, u.at(k + n)))),
        new Lie(
            "corner of a star",
            () ->
                mesh.each(
                    "loop",
                    grid.cells(),
                    reads(u, STAR),
                    writes(v),
                    k -> v.set(k, u.at(k + n + e)))),
        new Lie(
            "another's point",
            () -> mesh.each("loop", grid.cells(), writes(v), k -> v.set(k + e, 1))),
        new Lie(
            "promise",
            () ->
                mesh.each(
                    "loop",
                    grid.cells(),
                    writes(v),
                    (k, i, j) -> {
                      if (i != 3) {
                        v.set(k, 1);
                      }
                    })),
        new Lie(
            "captured array",
            () -> mesh.each("loop", grid.cells(), writes(v), k -> v.set(k, array[k]))),
        new Lie(
            "array of this",
            () -> mesh.each("loop", grid.cells(), reads(v), k -> table[k & 3] += v.at(k))),
        new Lie(
            "variable of this",
            () -> mesh.each("loop", grid.cells(), reads(v), k -> total += v.at(k))),
        new Lie(
            "variable of a class", () -> mesh.each("loop", grid.cells(), reads(v), k -> count++)),
        new Lie(
            "half an update",
            () ->
                mesh.each(
                    "loop",
                    grid.cells(),
                    updates(v),
                    (k, i, j) -> {
                      if (i != 3) {
                        v.set(k, v.at(k) + 1);
                      }
                    })),
        new Lie(
            "thrown",
            () ->
                mesh.each(
                    "loop",
                    grid.cells(),
                    writes(v),
                    (k, i, j) -> {
                      v.set(k, 1);
                      if (i == 2 && j == 3) {
                        throw new IllegalArgumentException("bad value");
                      }
                    })),
        new Lie(
            "thrown in a row",
            () ->
                mesh.rows(
                    "loop",
                    grid.cells(),
                    writes(v),
                    (from, to) -> {
                      throw new IllegalArgumentException("bad row");
                    })),
        new Lie("read outside", () -> u.at(0)),
        new Lie("write outside", () -> u.set(0, 1)));
  }
}
