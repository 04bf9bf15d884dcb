// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.cairn.mesh.kernel.Kernel;
import org.cairn.mesh.kernel.Totals;
import org.cairn.mesh.weave.Loop;
import org.cairn.mesh.weave.Loops;
import org.cairn.mesh.weave.Purpose;
import org.cairn.mesh.weave.Span;

/**
 * How fast loops made of kernels are, against the same loops written by hand, one thread, all in
 * one process. The least processor time of several rounds counts; hand-written, woven and twin take
 * turns. All are warmed on a small grid first: the first compilation of a loop is made while it
 * runs and is not what a program that goes on sees.
 */
public final class LoopSpeed {
  private static final int SMALL = 64;
  private static final int WARM_CALLS = 3000;
  private static final int POINTS_PER_ROUND = 5_000_000;

  private static final Map<Class<?>, Loop> TWINS = new HashMap<>();

  private LoopSpeed() {}

  private record Subject(
      String name,
      Function<Gas, Span> span,
      BiConsumer<Gas, Span> byHand,
      Function<Gas, Kernel> kernel,
      Purpose purpose) {}

  /**
   * What was measured.
   *
   * @param loop its name
   * @param cells along one side of the grid
   * @param byHand nanoseconds a point
   * @param woven how much longer the woven loop takes
   * @param twin how much longer the loop takes that calls its kernel
   */
  public record Result(String loop, int cells, double byHand, double woven, double twin) {}

  private static List<Subject> subjects() {
    return List.of(
        new Subject("ideal_gas", Gas::inner, ByHand::idealGas, AsKernels::idealGas, Purpose.EACH),
        new Subject("flux_calc", Gas::nodes, ByHand::fluxCalc, AsKernels::fluxCalc, Purpose.EACH),
        new Subject(
            "accelerate", Gas::nodes, ByHand::accelerate, AsKernels::accelerate, Purpose.EACH),
        new Subject("PdV", Gas::inner, ByHand::pdv, AsKernels::pdv, Purpose.EACH),
        new Subject("viscosity", Gas::inner, ByHand::viscosity, AsKernels::viscosity, Purpose.EACH),
        new Subject(
            "advec_cell flux",
            Gas::faces,
            ByHand::advecCellFlux,
            AsKernels::advecCellFlux,
            Purpose.EACH),
        new Subject(
            "advec_cell update",
            Gas::inner,
            ByHand::advecCellUpdate,
            AsKernels::advecCellUpdate,
            Purpose.EACH),
        new Subject(
            "sum of energy", Gas::inner, ByHand::sumOfEnergy, AsKernels::sumOfEnergy, Purpose.SUM),
        new Subject("calc_dt", Gas::inner, ByHand::calcDt, AsKernels::calcDt, Purpose.MIN),
        new Subject(
            "field_summary",
            Gas::inner,
            ByHand::fieldSummary,
            AsKernels::fieldSummary,
            Purpose.SEVERAL));
  }

  /** Measures all loops on grids of so many cells along a side. */
  public static List<Result> measure(int[] sides, int rounds) {
    List<Subject> subjects = subjects();
    warm(subjects);
    List<Result> results = new ArrayList<>();
    for (int cells : sides) {
      Gas gas = new Gas(cells);
      for (Subject subject : subjects) {
        results.add(measure(subject, gas, rounds));
      }
    }
    return results;
  }

  private static void warm(List<Subject> subjects) {
    Gas small = new Gas(SMALL);
    for (Subject subject : subjects) {
      for (Runnable form : forms(subject, small)) {
        repeat(form, WARM_CALLS);
      }
    }
  }

  private static Result measure(Subject subject, Gas gas, int rounds) {
    List<Runnable> forms = forms(subject, gas);
    long points = subject.span.apply(gas).points();
    int calls = (int) Math.max(1, POINTS_PER_ROUND / points);
    double[] least = new double[forms.size()];
    for (int round = -2; round < rounds; round++) {
      for (int form = 0; form < least.length; form++) {
        double nanos = nanos(forms.get(form), calls) / points;
        least[form] = round <= 0 ? nanos : Math.min(nanos, least[form]);
      }
    }
    return new Result(subject.name, gas.cells, least[0], least[1] / least[0], least[2] / least[0]);
  }

  private static List<Runnable> forms(Subject subject, Gas gas) {
    Span span = subject.span.apply(gas);
    Kernel kernel = subject.kernel.apply(gas);
    Loop woven = Loops.of(kernel, subject.name, subject.purpose);
    if (!woven.isWoven()) {
      throw new IllegalStateException(subject.name + " is not woven");
    }
    Loop twin = TWINS.computeIfAbsent(kernel.getClass(), _ -> Loops.twin(kernel, subject.purpose));
    Totals out = Totals.of(subject.purpose == Purpose.SEVERAL ? 5 : 1, 1, 1);
    return List.of(
        () -> subject.byHand.accept(gas, span),
        () -> woven.run(subject.name, kernel, span, out),
        () -> twin.run(subject.name, kernel, span, out));
  }

  /** Nanoseconds a call. */
  private static double nanos(Runnable form, int calls) {
    ThreadMXBean clock = ManagementFactory.getThreadMXBean();
    long begin = clock.getCurrentThreadCpuTime();
    repeat(form, calls);
    return (double) (clock.getCurrentThreadCpuTime() - begin) / calls;
  }

  private static void repeat(Runnable form, int calls) {
    for (int call = 0; call < calls; call++) {
      form.run();
    }
  }

  /** Nanoseconds that a call of a woven loop without points takes. */
  public static double callNanos() {
    Gas gas = new Gas(SMALL);
    Kernel kernel = AsKernels.accelerate(gas);
    Loop loop = Loops.of(kernel, "accelerate", Purpose.EACH);
    Span nothing = Span.plane(0, 0, 0, 1, gas.base, gas.pitch);
    Totals none = Totals.none();
    double least = Double.MAX_VALUE;
    for (int round = 0; round < 20; round++) {
      least =
          Math.min(least, nanos(() -> loop.run("accelerate", kernel, nothing, none), 1_000_000));
    }
    return least;
  }
}
