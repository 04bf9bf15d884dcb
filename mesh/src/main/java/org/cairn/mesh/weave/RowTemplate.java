// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

import org.cairn.mesh.kernel.Kernel;
import org.cairn.mesh.kernel.Row;
import org.cairn.mesh.kernel.Totals;

/** A loop that does something in each row. */
final class RowTemplate extends Loop {
  @Override
  public void run(String name, Kernel kernel, Span span, Totals out) {
    Row body = (Row) kernel;
    int i0 = span.i0();
    int i1 = span.i1();
    int k = 0;
    int j = span.j0();
    int l = span.l0();
    try {
      for (; l < span.l1(); l++) {
        for (j = span.j0(); j < span.j1(); j++) {
          int row = span.base() + j * span.pitch() + l * span.plane();
          k = row + i0;
          body.at(k, row + i1);
        }
      }
    } catch (Throwable thrown) {
      throw KernelFailedException.inRow(name, span, k, j, l, thrown);
    }
  }
}
