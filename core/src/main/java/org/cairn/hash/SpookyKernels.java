// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

/** Which kernels SpookyHash runs on: plain ones, since it gains little by vectors. */
final class SpookyKernels {

  private static final DigestKernels.Common COMMON =
      new DigestKernels.Common(
          new KernelCopies<>(DigestKernel.class, ShortSpooky.class),
          ShortSpooky.LONGEST,
          new TiledSpooky());

  private static final DigestKernels CHOSEN = plain().warming();

  private SpookyKernels() {}

  /** The kernels of this run. */
  static DigestKernels chosen() {
    return CHOSEN;
  }

  /** The kernels that read memory where it lies. */
  static DigestKernels plain() {
    return new DigestKernels(COMMON, new KernelCopies<>(LongSpooky.class, PlainSpooky.class));
  }

  /** The kernel of cold processes. */
  static DigestKernels cold() {
    return new DigestKernels(COMMON, new KernelCopies<>(LongSpooky.class, TiledSpooky.class));
  }
}
