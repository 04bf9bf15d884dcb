// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.io.Serial;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.cairn.mesh.kernel.Kernel;
import org.cairn.mesh.kernel.Point;
import org.cairn.mesh.kernel.Point1;
import org.cairn.mesh.kernel.Point2;
import org.cairn.mesh.kernel.Point3;
import org.cairn.mesh.kernel.Row;
import org.cairn.mesh.kernel.Several;
import org.cairn.mesh.kernel.Several1;
import org.cairn.mesh.kernel.Several2;
import org.cairn.mesh.kernel.Several3;
import org.cairn.mesh.kernel.Totals;
import org.cairn.mesh.kernel.Value;
import org.cairn.mesh.kernel.Value1;
import org.cairn.mesh.kernel.Value2;
import org.cairn.mesh.kernel.Value3;
import org.cairn.mesh.live.Box;
import org.cairn.mesh.live.Mode;
import org.cairn.mesh.live.Offset;
import org.cairn.mesh.ranks.Layout;
import org.cairn.mesh.weave.KernelFailedException;
import org.cairn.mesh.weave.Loops;
import org.cairn.mesh.weave.Purpose;
import org.jspecify.annotations.Nullable;

/**
 * Looks at every access of every kernel, in a program that is started with {@code
 * -Dcairn.mesh.check=true}: whether loops do what they say. Costs nothing when it is off, since the
 * compiler then knows that.
 */
final class Checks {
  /** Whether anything is looked at. */
  static final boolean ON = Boolean.getBoolean(Mesh.CHECK);

  private static final ThreadLocal<@Nullable Checks> RUNNING = new ThreadLocal<>();

  private final KnownLoop loop;
  private final Map<Data, Rules> rules = new HashMap<>();
  private int k;
  private int i;
  private int j;
  private int l;

  /** How many points the kernel has at once. */
  private int width = 1;

  /** What a loop may do with a field. */
  private static final class Rules {
    private final Set<Integer> reads = new TreeSet<>();
    private final List<String> said = new ArrayList<>();
    private final BitSet written = new BitSet();
    private boolean mayWrite;
    private boolean mustWrite;
    private int lowest;
  }

  /** A loop does not do what it says: told as it is, by whatever kernel. */
  private static final class LieException extends IllegalStateException {
    @Serial private static final long serialVersionUID = 1;

    LieException(String message) {
      super(message);
    }
  }

  private Checks(KnownLoop loop) {
    this.loop = loop;
    for (Access.Item item : loop.key().items()) {
      Rules of = rules.computeIfAbsent(item.field(), _ -> new Rules());
      of.said.add(item.toString());
      of.lowest = item.field() instanceof Line ? item.field().domain().whole().i0() : 0;
      if (item.mode() == Mode.READ || item.mode() == Mode.UPDATE || item.mode() == Mode.INCREMENT) {
        for (Offset offset : loop.offsets(item)) {
          of.reads.add(distance(item.field(), offset));
        }
      }
      of.mayWrite |= item.mode().changes();
      of.mustWrite |= item.mode().overwrites();
    }
  }

  private static int distance(Data field, Offset offset) {
    Layout layout = field.domain().layout();
    return offset.i() + offset.j() * layout.pitch() + offset.l() * layout.plane();
  }

  /** Runs a loop point by point, looking. */
  static void run(KnownLoop loop, Kernel kernel, Box box, Totals out) {
    Checks checks = new Checks(loop);
    checks.requireFieldsOnly(kernel);
    RUNNING.set(checks);
    try {
      checks.visit(kernel, box, out);
    } finally {
      RUNNING.remove();
    }
    checks.requireWritten(box);
  }

  private void requireFieldsOnly(Kernel kernel) {
    for (Object captured : Loops.captured(kernel)) {
      if (captured != null && captured.getClass().isArray()) {
        throw wrong(
            "captures a %s that is no field: what happens to it is neither saved nor exchanged; make it a field or a line"
                .formatted(captured.getClass().getSimpleName()));
      }
    }
    Loops.changedOutside(kernel)
        .ifPresent(
            name -> {
              throw wrong(
                  "changes %s, which is no field: that is neither saved nor exchanged, and not done again in a replay; make it a field or a line, or use mesh.sum() and the like"
                      .formatted(name));
            });
  }

  private void visit(Kernel kernel, Box box, Totals out) {
    Layout layout = loop.range().domain().layout();
    for (l = box.l0(); l < box.l1(); l++) {
      for (j = box.j0(); j < box.j1(); j++) {
        if (kernel instanceof Row row) {
          i = box.i0();
          k = layout.k(i, j, l);
          width = box.i1() - box.i0();
          row(row, box);
          continue;
        }
        for (i = box.i0(); i < box.i1(); i++) {
          k = layout.k(i, j, l);
          point(kernel, box, out);
          if (i + 1 == box.i1() || (i + 1) % Totals.SEGMENT == 0) {
            out.endSegment();
          }
        }
      }
    }
  }

  private void row(Row row, Box box) {
    try {
      row.at(k, k + width);
    } catch (LieException e) {
      throw e;
    } catch (Throwable e) {
      throw KernelFailedException.inRow(loop.name(), loop.span(box), k, j, l, e);
    }
  }

  private void point(Kernel kernel, Box box, Totals out) {
    try {
      call(kernel, out);
    } catch (LieException e) {
      throw e;
    } catch (Throwable e) {
      throw KernelFailedException.at(loop.name(), loop.span(box), k, j, l, e);
    }
  }

  private void call(Kernel kernel, Totals out) {
    switch (kernel) {
      case Point point -> point.at(k);
      case Point1 point -> point.at(k, i);
      case Point2 point -> point.at(k, i, j);
      case Point3 point -> point.at(k, i, j, l);
      case Value value -> take(value.at(k), out);
      case Value1 value -> take(value.at(k, i), out);
      case Value2 value -> take(value.at(k, i, j), out);
      case Value3 value -> take(value.at(k, i, j, l), out);
      case Several several -> several.at(k, out);
      case Several1 several -> several.at(k, i, out);
      case Several2 several -> several.at(k, i, j, out);
      case Several3 several -> several.at(k, i, j, l, out);
      case Row row -> row.at(k, k + 1);
    }
  }

  private void take(double value, Totals out) {
    if (loop.purpose() == Purpose.SUM) {
      out.add(0, value);
    } else if (loop.purpose() == Purpose.MIN) {
      out.min(0, value);
    } else {
      out.max(0, value);
    }
  }

  // ---------------------------------------------------------------- what kernels do

  static void read(Data field, int at) {
    Checks running = RUNNING.get();
    if (running == null) {
      throw new IllegalStateException(
          "field \"%s\" is read outside a loop: other ranks, and a replay, would not see the same; use mesh.fetch()"
              .formatted(field.name()));
    }
    running.requireMayRead(field, at);
  }

  static void write(Data field, int at) {
    Checks running = RUNNING.get();
    if (running == null) {
      throw new IllegalStateException(
          "field \"%s\" is written outside a loop, which nobody learns of; use mesh.each()"
              .formatted(field.name()));
    }
    running.requireMayWrite(field, at);
  }

  private void requireMayRead(Data field, int at) {
    Rules of = rules.get(field);
    if (of == null) {
      throw wrong("reads \"%s\" and does not say so".formatted(field.name()));
    }
    if (of.written.get(at - of.lowest) && isOwn(field, at)) {
      return; // what it has just written itself
    }
    if (of.reads.isEmpty()) {
      throw wrong(
          "reads \"%s\" and says only: %s".formatted(field.name(), String.join(", ", of.said)));
    }
    int away = at - own(field);
    for (int more = 0; more < width; more++) {
      if (of.reads.contains(away - more)) {
        return;
      }
    }
    throw wrong(
        "reads \"%s\" %s away from its point, which is not in what it says: %s"
            .formatted(field.name(), away(field, away), String.join(", ", of.said)));
  }

  private void requireMayWrite(Data field, int at) {
    Rules of = rules.get(field);
    if (of == null || !of.mayWrite) {
      throw wrong(
          "writes \"%s\" and %s"
              .formatted(
                  field.name(),
                  of == null ? "does not say so" : "says only: " + String.join(", ", of.said)));
    }
    if (!isOwn(field, at)) {
      throw wrong(
          "writes \"%s\" %s away from its point; a kernel writes its own point only"
              .formatted(field.name(), away(field, at - own(field))));
    }
    of.written.set(at - of.lowest);
  }

  private boolean isOwn(Data field, int at) {
    int away = at - own(field);
    return away >= 0 && away < width;
  }

  /** Where the point is that the kernel was called for. */
  private int own(Data field) {
    if (!(field instanceof Line line) || loop.range().domain().isLine()) {
      return k;
    }
    return switch (line.axis()) {
      case X -> i;
      case Y -> j;
      case Z -> l;
    };
  }

  private static String away(Data field, int distance) {
    Layout layout = field.domain().layout();
    if (field instanceof Line || layout.pitch() == 0 || field.domain().axes() == 1) {
      return "(" + distance + ")";
    }
    int rows = Math.round((float) distance / layout.pitch());
    return "(%d, %d)".formatted(distance - rows * layout.pitch(), rows);
  }

  private void requireWritten(Box box) {
    Layout layout = loop.range().domain().layout();
    for (Map.Entry<Data, Rules> one : rules.entrySet()) {
      Rules of = one.getValue();
      for (l = box.l0(); of.mustWrite && l < box.l1(); l++) {
        for (j = box.j0(); j < box.j1(); j++) {
          for (i = box.i0(); i < box.i1(); i++) {
            k = layout.k(i, j, l);
            if (!of.written.get(k - of.lowest)) {
              throw wrong(
                  "promises to write every point of \"%s\" and did not write this one; say writesSome()"
                      .formatted(one.getKey().name()));
            }
          }
        }
      }
    }
  }

  private LieException wrong(String what) {
    return new LieException(
        "loop \"%s\" at i=%d, j=%d, l=%d %s".formatted(loop.name(), i, j, l, what));
  }
}
