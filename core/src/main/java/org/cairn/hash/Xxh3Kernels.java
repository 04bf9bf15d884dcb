// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import org.jspecify.annotations.Nullable;

/** The kernels of XXH3: for short and for long input, each one per kind of memory. */
final class Xxh3Kernels {

  private static final KernelCopies<Xxh3Kernel> SHORT =
      new KernelCopies<>(Xxh3Kernel.class, ShortXxh3.class);

  private static final KernelCopies<LongXxh3> PLAIN =
      new KernelCopies<>(LongXxh3.class, PlainXxh3.class);

  /** Of all kinds of memory, while the others are cold. */
  private static final LongXxh3 COLD = new TiledXxh3();

  private static final Xxh3Kernels CHOSEN = choose(HashPath.current());

  private final KernelCopies<LongXxh3> longInput;
  private final @Nullable Warmup warmup;

  private Xxh3Kernels(KernelCopies<LongXxh3> longInput) {
    this(longInput, null);
  }

  private Xxh3Kernels(KernelCopies<LongXxh3> longInput, @Nullable Warmup warmup) {
    this.longInput = longInput;
    this.warmup = warmup;
  }

  private static Xxh3Kernels choose(HashPath path) {
    Xxh3Kernels kernels = of(path);
    return path.forced()
        ? kernels
        : new Xxh3Kernels(kernels.longInput, new Warmup(kernels.longInput::of));
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

  /** The kernel of cold processes. */
  static Xxh3Kernels cold() {
    return new Xxh3Kernels(new KernelCopies<>(LongXxh3.class, TiledXxh3.class));
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
    // An array whose type is not known is read fast by copying only.
    boolean copied = kind == MemoryKind.HIDDEN || (warmup != null && !warmup.isWarm(kind));
    return copied ? COLD : longInput.of(kind);
  }

  /** Takes note that so many bytes of this kind are about to be hashed. */
  void count(MemoryKind kind, long bytes) {
    if (warmup != null) {
      warmup.count(kind, bytes);
    }
  }
}
