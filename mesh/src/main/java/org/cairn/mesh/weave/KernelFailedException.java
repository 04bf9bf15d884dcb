// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

import java.io.Serial;

/**
 * A kernel threw an exception, which is the cause. Says in which loop and at which point: woven
 * loops do not show in stack traces.
 */
public final class KernelFailedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  private KernelFailedException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * What a loop throws when its kernel threw: called by woven loops.
   *
   * @param name the loop's name
   * @param span its points
   * @param k the point that the kernel was called for
   * @param j its global index along the second axis
   * @param l its global index along the third axis
   * @param thrown what the kernel threw
   * @throws VirtualMachineError if that was thrown, which is no fault of the kernel
   */
  public static KernelFailedException at(
      String name, Span span, int k, int j, int l, Throwable thrown) {
    return failed(name, span, k, j, l, thrown, "point");
  }

  /** The same for a kernel that was called for the row which begins at {@code k}. */
  public static KernelFailedException inRow(
      String name, Span span, int k, int j, int l, Throwable thrown) {
    return failed(name, span, k, j, l, thrown, "row from");
  }

  private static KernelFailedException failed(
      String name, Span span, int k, int j, int l, Throwable thrown, String what) {
    if (thrown instanceof VirtualMachineError error) {
      throw error;
    }
    int i = k - span.base() - j * span.pitch() - l * span.plane();
    return new KernelFailedException(
        "loop \"%s\" failed at %s i=%d, j=%d, l=%d: %s".formatted(name, what, i, j, l, thrown),
        thrown);
  }
}
