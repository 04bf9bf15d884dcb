// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

import org.cairn.mesh.kernel.Kernel;
import org.cairn.mesh.kernel.Totals;

/** A loop over the points of a span, made for one class of kernels. */
public abstract class Loop {
  /** For classes that are made of templates, in the packages of programs. */
  protected Loop() {}

  /**
   * Runs a kernel at all points of a span, row after row. Several threads may do so at once, with
   * totals of their own.
   *
   * @param name the loop's name, for messages
   * @param kernel a kernel of the class that the loop was made for
   * @param span the points
   * @param out the totals that values are added to; {@link Totals#none} where there are none
   * @throws KernelFailedException if the kernel throws
   */
  public abstract void run(String name, Kernel kernel, Span span, Totals out);

  /** Whether the kernel's body is part of the loop, rather than called for each point. */
  public boolean isWoven() {
    return false;
  }
}
