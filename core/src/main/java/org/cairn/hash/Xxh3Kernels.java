// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

/** Which kernels XXH3 runs on. */
final class Xxh3Kernels {

  private static final DigestKernels.Common COMMON =
      new DigestKernels.Common(
          new KernelCopies<>(DigestKernel.class, ShortXxh3.class),
          ShortXxh3.LONGEST,
          new TiledXxh3());

  private static final KernelCopies<LongXxh3> PLAIN =
      new KernelCopies<>(LongXxh3.class, PlainXxh3.class);

  private static final DigestKernels CHOSEN = choose(HashPath.current());

  private Xxh3Kernels() {}

  private static DigestKernels choose(HashPath path) {
    return path.forced() ? of(path) : of(path).warming();
  }

  /** The kernels of the path chosen for this run. */
  static DigestKernels chosen() {
    return CHOSEN;
  }

  /** The kernels of a path, which may only be a vector one where the Vector API is present. */
  static DigestKernels of(HashPath path) {
    if (!path.vector()) {
      return new DigestKernels(COMMON, PLAIN);
    }
    return path.bits() == 128 ? narrow() : wide(path.bits());
  }

  private static DigestKernels narrow() {
    NarrowXxh3.introduceSlices();
    return new DigestKernels(
        COMMON,
        new KernelCopies<>(
            LongXxh3.class, NarrowXxh3.class, 128, kind -> new Object[] {PLAIN.of(kind)}));
  }

  /** The kernel of cold processes. */
  static DigestKernels cold() {
    return new DigestKernels(COMMON, new KernelCopies<>(DigestKernel.class, TiledXxh3.class));
  }

  /** As {@link #of}, but vectors of 128 bits too are treated like wide ones. */
  static DigestKernels wide(int bits) {
    return new DigestKernels(
        COMMON, new KernelCopies<>(DigestKernel.class, WideXxh3.class, bits, _ -> new Object[0]));
  }
}
