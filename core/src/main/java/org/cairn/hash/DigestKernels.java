// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The kernels of an algorithm: for short and for long input, each one per kind of memory. */
final class DigestKernels {

  /**
   * What does not depend on the path that long input takes.
   *
   * @param shortInput for input of at most {@code longest} bytes
   * @param cold of all kinds of memory, while the others are cold
   */
  record Common(KernelCopies<DigestKernel> shortInput, int longest, DigestKernel cold) {}

  private final Common common;
  private final KernelCopies<? extends DigestKernel> longInput;
  private final @Nullable Warmup warmup;

  /** Kernels that are used from the first call on, slow as they may be then. */
  DigestKernels(Common common, KernelCopies<? extends DigestKernel> longInput) {
    this(common, longInput, null);
  }

  private DigestKernels(
      Common common, KernelCopies<? extends DigestKernel> longInput, @Nullable Warmup warmup) {
    this.common = common;
    this.longInput = longInput;
    this.warmup = warmup;
  }

  /** The same, used once they are warm. */
  DigestKernels warming() {
    return new DigestKernels(common, longInput, new Warmup(longInput::of));
  }

  /** What hashes long input until the others are warm, if they are warmed. */
  Optional<DigestKernel> cold() {
    return warmup == null ? Optional.empty() : Optional.of(common.cold);
  }

  /** The kernel for ranges of this length in memory of this kind. */
  DigestKernel kernel(MemoryKind kind, long length) {
    if (length <= common.longest) {
      return common.shortInput.of(kind);
    }
    // An array whose type is not known is read fast by copying only.
    boolean copied = kind == MemoryKind.HIDDEN || (warmup != null && !warmup.isWarm(kind));
    return copied ? common.cold : longInput.of(kind);
  }

  /** Takes note that so many bytes of this kind are about to be hashed. */
  void count(MemoryKind kind, long bytes) {
    if (warmup != null) {
      warmup.count(kind, bytes);
    }
  }
}
