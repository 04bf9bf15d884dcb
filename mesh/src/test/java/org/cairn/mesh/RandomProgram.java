// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static org.cairn.mesh.Access.increments;
import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.updates;
import static org.cairn.mesh.Access.writes;
import static org.cairn.mesh.Access.writesSome;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.cairn.LongCell;
import org.cairn.comm.Communicator;
import org.cairn.mesh.kernel.Totals;

/**
 * A program of random loops over random grids, with branches that depend on reductions. What it
 * does is decided by its seed, and what it ends with by that alone: not by ranks, threads or kills.
 */
final class RandomProgram {
  private final long seed;
  private final int steps;
  private final boolean saysReady;
  private final boolean saysHere;

  /** Thrown where a process would die. */
  static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  RandomProgram(long seed) {
    this.seed = seed;
    Random random = new Random(seed);
    steps = 4 + random.nextInt(12);
    saysReady = random.nextInt(3) > 0;
    saysHere = random.nextInt(4) == 0;
  }

  /** What a run did. */
  record Result(List<Double> values, long calls, boolean replayed) {}

  /** Runs it, and dies after so many calls, unless it ends before. */
  Result run(Path folder, Communicator ranks, MeshOptions options, long killedAfter) {
    return new Run(Mesh.open(folder, ranks, options), killedAfter).run();
  }

  /** A loop of the program. */
  private interface Step {
    void run(long step);
  }

  private final class Run {
    private final Mesh mesh;
    private final boolean replayed;
    private final long killedAfter;
    private final Random random = new Random(seed + 1);
    private final List<Grid> grids = new ArrayList<>();
    private final List<List<Field>> fields = new ArrayList<>();
    private final List<LongField> counters = new ArrayList<>();
    private final List<Line> lines = new ArrayList<>();
    private final List<FloatField> floats = new ArrayList<>();
    private final List<IntField> ints = new ArrayList<>();
    private long calls;
    private double last;

    Run(Mesh mesh, long killedAfter) {
      this.mesh = mesh;
      this.replayed = mesh.replaying();
      this.killedAfter = killedAfter;
    }

    Result run() {
      try {
        Result result = go();
        mesh.close();
        return result;
      } catch (RuntimeException | Error e) {
        mesh.abandon();
        throw e;
      }
    }

    private void call() {
      if (calls++ == killedAfter) {
        throw new Killed();
      }
    }

    private Result go() {
      for (int g = 0; g < 1 + random.nextInt(2); g++) {
        makeGrid(g);
      }
      List<Step> initial = new ArrayList<>();
      List<Step> chain = new ArrayList<>();
      for (int g = 0; g < grids.size(); g++) {
        for (Field field : fields.get(g)) {
          initial.add(fill(grids.get(g), field));
        }
        initial.add(fill(grids.get(g), counters.get(g)));
        initial.add(fill(lines.get(g)));
        initial.add(weighing(grids.get(g).all(), fields.get(g).getLast()));
      }
      int length = 3 + random.nextInt(12);
      for (int n = 0; n < length; n++) {
        chain.add(anyStep(random.nextInt(grids.size())));
      }
      List<Step> seldom = List.of(anyStep(0), anyStep(grids.size() - 1));
      initial.forEach(one -> one.run(0));
      if (saysReady) {
        mesh.ready();
      }
      LongCell step = mesh.protect("step", 0L);
      if (!saysHere) {
        for (long s = 0; s < steps; s++) {
          chain.forEach(one(s));
          branch(seldom, s);
        }
      } else {
        while (step.get() < steps) {
          call();
          mesh.here();
          long s = step.get();
          last = s; // what a branch depends on is computed after here()
          chain.forEach(one(s));
          branch(seldom, s);
          step.increment();
        }
      }
      return new Result(values(), calls, replayed);
    }

    private Consumer<Step> one(long s) {
      return step -> step.run(s);
    }

    private void branch(List<Step> seldom, long s) {
      Field any = fields.get(0).get(0);
      Range range = grids.get(0).all();
      call();
      last = mesh.sum("decides", range, reads(any), k -> any.at(k));
      if ((Double.hashCode(last) & 3) == 0) {
        seldom.get((int) (s & 1)).run(s);
      }
    }

    // ---------------------------------------------------------------- grids and fields

    private void makeGrid(int number) {
      int axes = 1 + random.nextInt(3);
      int[] cells = new int[axes];
      for (int axis = 0; axis < axes; axis++) {
        cells[axis] = axis == axes - 1 ? 8 + random.nextInt(6) : 3 + random.nextInt(9);
      }
      if (axes == 1) {
        cells = new int[] {8 + random.nextInt(20), 8 + random.nextInt(5)};
      }
      Grid grid = mesh.grid("g" + number, cells).halo(1 + random.nextInt(2));
      grids.add(grid);
      List<Field> made = new ArrayList<>();
      for (int n = 0; n < 2 + random.nextInt(4); n++) {
        made.add(grid.field("f" + n));
      }
      fields.add(made);
      counters.add(grid.longs("count"));
      floats.add(grid.floats("rough"));
      ints.add(grid.ints("whole"));
      lines.add(grid.line("widths", random.nextBoolean() ? Axis.X : Axis.Y));
    }

    private Step fill(Grid grid, Field field) {
      Range range = random.nextInt(3) == 0 ? grid.cells() : grid.all();
      double scale = random.nextDouble();
      return switch (grid.axes()) {
        case 2 ->
            step -> {
              call();
              mesh.each(
                  "fill",
                  range,
                  writes(field),
                  (k, i, j) -> field.set(k, mix(scale * (i + 31 * j + 7))));
            };
        default ->
            step -> {
              call();
              mesh.each(
                  "fill",
                  range,
                  writes(field),
                  (k, i, j, l) -> field.set(k, mix(scale * (i + 31 * j + 17 * l + 7))));
            };
      };
    }

    private Step fill(Grid grid, LongField field) {
      return step -> {
        call();
        mesh.each("count", grid.all(), writes(field), k -> field.set(k, 7));
      };
    }

    private Step fill(Line line) {
      return step -> {
        call();
        mesh.each("widths", line.all(), writes(line), (k, i) -> line.set(i, mix(i * .3 + 4)));
      };
    }

    /** All ranks change all of a line, and kernels of the grid read it. */
    private Step scaling(Range range, Line line, Field to) {
      boolean flat = range.domain().axes() == 2;
      boolean alongX = line.axis() == Axis.X;
      return step -> {
        call();
        mesh.each("widen", line.range(0, 3), updates(line), (k, i) -> line.set(i, mix(line.at(i))));
        call();
        if (flat) {
          mesh.each(
              "by width",
              range,
              reads(line).and(updates(to)),
              (k, i, j) -> to.set(k, mix(to.at(k) * line.at(alongX ? i : j))));
        } else {
          mesh.each(
              "by width",
              range,
              reads(line).and(updates(to)),
              (k, i, j, l) -> to.set(k, mix(to.at(k) * line.at(alongX ? i : j))));
        }
      };
    }

    private static double mix(double x) {
      return x * 3.7 - Math.floor(x * 3.7) + .125;
    }

    // ---------------------------------------------------------------- loops

    private Step anyStep(int g) {
      Grid grid = grids.get(g);
      List<Field> mine = fields.get(g);
      Field to = mine.get(random.nextInt(mine.size()));
      Field from = mine.get(random.nextInt(mine.size()));
      int[] offset = offset(grid);
      Range range = range(grid, offset);
      int distance = distance(grid, offset);
      Stencil stencil = stencil(grid, offset);
      LongField counter = counters.get(g);
      double c = random.nextDouble();
      return switch (random.nextInt(15)) {
        case 0, 1, 2 ->
            from == to ? updating(range, to, c) : copying(range, from, to, stencil, distance, c);
        case 3 -> updating(range, to, c);
        case 4 -> some(range, to, c);
        case 5 -> counting(range, counter);
        case 6 -> edge(grid, to);
        case 7 -> scaling(range, lines.get(g), to);
        case 8 -> joining(from, g);
        case 9 -> around(grid, to);
        case 10 -> row(range, from, to);
        case 11 -> rounding(range, to, floats.get(g), ints.get(g));
        case 12 -> told(range, from, to);
        case 13 -> weighing(range, to);
        default -> reducing(range, from, to);
      };
    }

    private Step copying(
        Range range, Field from, Field to, Stencil stencil, int distance, double c) {
      return step -> {
        call();
        mesh.each(
            "copy",
            range,
            reads(from, stencil),
            writes(to),
            k -> to.set(k, mix(from.at(k) * c + from.at(k + distance))));
      };
    }

    private Step updating(Range range, Field to, double c) {
      return step -> {
        call();
        mesh.each("update", range, updates(to), k -> to.set(k, mix(to.at(k) + c)));
      };
    }

    private Step some(Range range, Field to, double c) {
      boolean flat = range.domain().axes() == 2;
      return step -> {
        call();
        int turn = (int) step;
        if (flat) {
          mesh.each(
              "some",
              range,
              writesSome(to),
              (k, i, j) -> {
                if ((i + j + turn) % 3 == 0) {
                  to.set(k, mix(c * i + j));
                }
              });
        } else {
          mesh.each(
              "some",
              range,
              writesSome(to),
              (k, i, j, l) -> {
                if ((i + j + l + turn) % 3 == 0) {
                  to.set(k, mix(c * i + j + l));
                }
              });
        }
      };
    }

    private Step counting(Range range, LongField counter) {
      return step -> {
        call();
        mesh.each("add", range, increments(counter), k -> counter.set(k, counter.at(k) * 3 + step));
      };
    }

    /** A strip that gets what lies inside: read and written field are the same. */
    private Step edge(Grid grid, Field field) {
      boolean flat = grid.axes() == 2;
      int nx = grid.cells(Axis.X);
      int ny = grid.cells(Axis.Y);
      int north = grid.north();
      Stencil inward = flat ? Stencil.of2D(0, 1) : Stencil.of3D(0, 1, 0);
      Range strip =
          flat ? grid.range(0, nx, -1, 0) : grid.range(0, nx, -1, 0, 0, grid.cells(Axis.Z));
      assert ny > 0;
      return step -> {
        call();
        mesh.each(
            "edge",
            strip,
            reads(field, inward),
            writes(field),
            k -> field.set(k, -field.at(k + north)));
      };
    }

    private Step reducing(Range range, Field from, Field to) {
      return step -> {
        call();
        double most = mesh.max("max", range, reads(from), k -> from.at(k));
        call();
        mesh.each("scale", range, updates(to), k -> to.set(k, mix(to.at(k) * most)));
      };
    }

    /** A reduction that changes a field as well. */
    private Step weighing(Range range, Field to) {
      return step -> {
        call();
        mesh.sum(
            "weigh",
            range,
            updates(to),
            k -> {
              to.set(k, mix(to.at(k) + .75));
              return to.at(k);
            });
      };
    }

    /** A box of one grid goes to another, or to another field, turned if it has as many axes. */
    private Step joining(Field from, int g) {
      int other = random.nextInt(grids.size());
      Field to = fields.get(other).getLast();
      if (to == from) {
        return step -> {};
      }
      Range source = corner(grids.get(g), 0);
      Range target = corner(grids.get(other), -1);
      boolean alike = grids.get(g).axes() == grids.get(other).axes();
      int[] turn =
          !alike
              ? new int[0]
              : grids.get(g).axes() == 2 ? new int[] {2, -1} : new int[] {2, -1, -3};
      return step -> {
        call();
        mesh.join(source, target, turn).copy(from, to);
      };
    }

    /** Two by two points, of one plane or of two. */
    private Range corner(Grid grid, int at) {
      return grid.axes() == 2
          ? grid.range(at, at + 2, at, at + 2)
          : grid.range(
              at, at + 2, at, at + 2, 0, grids.stream().allMatch(one -> one.axes() == 3) ? 2 : 1);
    }

    /** All boundaries that are ready-made, some along one axis only. */
    private Step around(Grid grid, Field field) {
      Boundary kind =
          switch (random.nextInt(3)) {
            case 0 -> Boundary.reflect(grid.halo()).negating(Axis.Y);
            case 1 -> Boundary.periodic(grid.halo());
            default -> Boundary.copy(grid.halo());
          };
      Boundary some = random.nextBoolean() ? kind : kind.along(Axis.X);
      return step -> {
        call();
        some.apply(mesh, field);
      };
    }

    private Step row(Range range, Field from, Field to) {
      if (from == to) {
        return updating(range, to, .5);
      }
      return step -> {
        call();
        mesh.rows(
            "row",
            range,
            reads(from),
            writes(to),
            (begin, end) -> {
              for (int k = begin; k < end; k++) {
                to.set(k, mix(from.at(k) + .25));
              }
            });
      };
    }

    /** Fields of other types, and several totals at once. */
    private Step rounding(Range range, Field field, FloatField rough, IntField whole) {
      return step -> {
        call();
        mesh.each(
            "round",
            range,
            reads(field),
            updates(rough).and(updates(whole)),
            k -> {
              rough.set(k, (float) mix(field.at(k) + rough.at(k)));
              whole.set(k, whole.at(k) * 5 + (int) (100 * field.at(k)));
            });
        call();
        double[] totals =
            mesh.several(
                "totals",
                range,
                reads(rough, whole),
                Totals.of(2, 1, 1),
                (k, out) -> {
                  out.add(0, rough.at(k));
                  out.add(1, whole.at(k));
                  out.min(0, rough.at(k));
                  out.max(0, whole.at(k));
                });
        double all = totals[0] + totals[1] + totals[2] + totals[3];
        call();
        mesh.each("by totals", range, updates(field), k -> field.set(k, mix(field.at(k) + all)));
      };
    }

    /** What a program is told beside reductions: a value at a point, and something from outside. */
    private Step told(Range range, Field from, Field to) {
      int[] point = new int[range.domain().axes()];
      return step -> {
        call();
        double there = mesh.fetch(from, point);
        double outside = mesh.record(() -> step * .375);
        call();
        mesh.each("told", range, updates(to), k -> to.set(k, mix(to.at(k) + there + outside)));
      };
    }

    // ---------------------------------------------------------------- where

    private int[] offset(Grid grid) {
      int most = grid.halo();
      int[] offset = new int[3];
      for (int axis = 0; axis < grid.axes(); axis++) {
        offset[axis] = random.nextInt(2 * most + 1) - most;
      }
      return offset;
    }

    private static Stencil stencil(Grid grid, int[] by) {
      return grid.axes() == 2
          ? Stencil.of2D(0, 0, by[0], by[1])
          : Stencil.of3D(0, 0, 0, by[0], by[1], by[2]);
    }

    private static int distance(Grid grid, int[] by) {
      return by[0] + by[1] * grid.north() + (grid.axes() > 2 ? by[2] * grid.up() : 0);
    }

    /** Points from which that offset can be read. */
    private Range range(Grid grid, int[] by) {
      int h = grid.halo();
      int[] ends = new int[6];
      for (int axis = 0; axis < 3; axis++) {
        boolean there = axis < grid.axes();
        int n = there ? grid.cells(Axis.values()[axis]) : 0;
        int low = there ? Math.max(-h, -h - by[axis]) : 0;
        int high = there ? Math.min(n + 1 + h, n + 1 + h - by[axis]) : 1;
        boolean all = !there || random.nextBoolean();
        ends[2 * axis] = all ? low : Math.max(low, 0);
        ends[2 * axis + 1] = all ? high : Math.min(high, n - random.nextInt(2));
      }
      return grid.axes() == 2
          ? grid.range(ends[0], ends[1], ends[2], ends[3])
          : grid.range(ends[0], ends[1], ends[2], ends[3], ends[4], ends[5]);
    }

    // ---------------------------------------------------------------- in the end

    private List<Double> values() {
      List<Double> values = new ArrayList<>();
      for (int g = 0; g < grids.size(); g++) {
        Grid grid = grids.get(g);
        for (Field field : fields.get(g)) {
          call();
          values.add(mesh.sum("sum of all", grid.all(), reads(field), k -> field.at(k)));
          call();
          values.add(
              grid.axes() == 2
                  ? mesh.sum(
                      "weighted",
                      grid.all().inOrder(),
                      reads(field),
                      (k, i, j) -> field.at(k) * (i + 5 * j))
                  : mesh.sum(
                      "weighted",
                      grid.all().inOrder(),
                      reads(field),
                      (k, i, j, l) -> field.at(k) * (i + 5 * j + 11 * l)));
        }
        Line line = lines.get(g);
        call();
        values.add(mesh.sum("of widths", line.all(), reads(line), (k, i) -> line.at(i)));
        FloatField rough = floats.get(g);
        IntField whole = ints.get(g);
        call();
        values.add(
            mesh.sum("rest", grid.all(), reads(rough, whole), k -> rough.at(k) + whole.at(k)));
        LongField counter = counters.get(g);
        call();
        values.add(mesh.sum("counted", grid.all(), reads(counter), k -> counter.at(k)));
      }
      return values;
    }
  }
}
