// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

/** The kernels of XXH3: for short and for long input, each one per kind of memory. */
final class Xxh3Kernels {

  private static final KernelCopies<Xxh3Kernel> SHORT =
      new KernelCopies<>(Xxh3Kernel.class, ShortXxh3.class);

  private static final KernelCopies<LongXxh3> PLAIN =
      new KernelCopies<>(LongXxh3.class, PlainXxh3.class);

  private static final Xxh3Kernels CHOSEN = of(HashPath.current());

  private final KernelCopies<LongXxh3> longInput;

  private Xxh3Kernels(KernelCopies<LongXxh3> longInput) {
    this.longInput = longInput;
  }

  /** The kernels of the path chosen for this run. */
  static Xxh3Kernels chosen() {
    return CHOSEN;
  }

  /** The kernels of a path, which may only be a vector one where the Vector API is present. */
  static Xxh3Kernels of(HashPath path) {
    if (!path.vector()) {
      return new Xxh3Kernels(PLAIN);
    }
    return path.bits() == 128 ? narrow() : wide(path.bits());
  }

  private static Xxh3Kernels narrow() {
    NarrowXxh3.introduceSlices();
    return new Xxh3Kernels(
        new KernelCopies<>(
            LongXxh3.class, NarrowXxh3.class, 128, kind -> new Object[] {PLAIN.of(kind)}));
  }

  /** As {@link #of}, but vectors of 128 bits too are treated like wide ones. */
  static Xxh3Kernels wide(int bits) {
    return new Xxh3Kernels(
        new KernelCopies<>(LongXxh3.class, WideXxh3.class, bits, _ -> new Object[0]));
  }

  /** The kernel for ranges of this length in memory of this kind. */
  Xxh3Kernel kernel(MemoryKind kind, long length) {
    if (length <= ShortXxh3.LONGEST) {
      return SHORT.of(kind);
    }
    // Vectors can be loaded fast only from arrays whose type is known.
    return (kind == MemoryKind.HIDDEN ? PLAIN : longInput).of(kind);
  }
}
