// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

import org.cairn.mesh.kernel.Kernel;
import org.cairn.mesh.kernel.Totals;
import org.cairn.mesh.kernel.Value3;

/** A loop that sums the values of all points. */
final class SumTemplate extends Loop {
  @Override
  public void run(String name, Kernel kernel, Span span, Totals out) {
    Value3 body = (Value3) kernel;
    int i0 = span.i0();
    int i1 = span.i1();
    int k = 0;
    int j = span.j0();
    int l = span.l0();
    try {
      for (; l < span.l1(); l++) {
        for (j = span.j0(); j < span.j1(); j++) {
          int row = span.base() + j * span.pitch() + l * span.plane();
          for (int i = i0; i < i1; ) {
            int next = Math.min(i1, (i | Totals.SEGMENT - 1) + 1);
            int end = row + next;
            double sum = out.beginSegment();
            for (k = row + i; k < end; k++) {
              double value = body.at(k, k - row, j, l);
              sum += value;
            }
            out.endSegment(sum);
            i = next;
          }
        }
      }
    } catch (Throwable thrown) {
      throw KernelFailedException.at(name, span, k, j, l, thrown);
    }
  }
}
