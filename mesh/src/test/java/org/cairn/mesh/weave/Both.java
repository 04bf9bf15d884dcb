// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.function.Function;
import org.cairn.mesh.kernel.Kernel;
import org.cairn.mesh.kernel.Totals;
import org.cairn.testkit.random.Seeds;

/** Runs a kernel woven and as twin, from equal beginnings, and expects the same bits. */
final class Both {
  static final int PITCH = 40;
  static final int PLANE = PITCH * 12;
  static final int BASE = 4 + 4 * PITCH + PLANE;
  static final Span SPAN = new Span(-1, 36, -2, 9, -1, 3, BASE, PITCH, PLANE);

  private Both() {}

  /** A field. */
  static final class Cells {
    final double[] data = Seeds.content(7).doubles(PLANE * 6, -1, 1).toArray();

    double at(int k) {
      return data[k];
    }

    void set(int k, double value) {
      data[k] = value;
    }
  }

  /** Runs the kernel, which must be the same lambda each time, on each of two equal fields. */
  static Cells each(Function<Cells, Kernel> kernel) {
    return run(kernel, Purpose.EACH, Totals.none());
  }

  /** The same for kernels with totals, which are those of both. */
  static Cells run(Function<Cells, Kernel> kernel, Purpose purpose, Totals out) {
    Cells byTwin = new Cells();
    Kernel forTwin = kernel.apply(byTwin);
    Totals outOfTwin =
        out.isInOrder()
            ? Totals.inOrder(out.sums(), out.minima(), out.maxima())
            : Totals.of(out.sums(), out.minima(), out.maxima());
    Loops.twin(forTwin, purpose).run("twin", forTwin, SPAN, outOfTwin);
    Cells byWoven = new Cells();
    Kernel forWoven = kernel.apply(byWoven);
    woven(forWoven, purpose).run("woven", forWoven, SPAN, out);
    assertThat(bits(byWoven.data)).isEqualTo(bits(byTwin.data));
    assertThat(bits(values(out))).isEqualTo(bits(values(outOfTwin)));
    return byWoven;
  }

  /** A woven loop, or a failure with the reason why it cannot be. */
  static Loop woven(Kernel kernel, Purpose purpose) {
    try {
      Loop loop = Loops.woven(kernel, purpose);
      assertThat(loop.isWoven()).isTrue();
      return loop;
    } catch (NotWovenException e) {
      throw new AssertionError(e);
    }
  }

  private static double[] values(Totals totals) {
    double[] values = new double[totals.sums() + totals.minima() + totals.maxima()];
    int at = 0;
    for (int n = 0; n < totals.sums(); n++) {
      values[at++] = totals.sum(n);
    }
    for (int n = 0; n < totals.minima(); n++) {
      values[at++] = totals.minimum(n);
    }
    for (int n = 0; n < totals.maxima(); n++) {
      values[at++] = totals.maximum(n);
    }
    return values;
  }

  static long[] bits(double[] values) {
    return Arrays.stream(values).mapToLong(Double::doubleToRawLongBits).toArray();
  }
}
