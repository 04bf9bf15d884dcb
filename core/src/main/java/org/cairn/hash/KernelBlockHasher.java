// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;
import org.cairn.HashAlgorithm;

/** The digests of blocks by kernels, all whole ones in one call. */
final class KernelBlockHasher implements BlockHasher {

  private final HashAlgorithm algorithm;
  private final DigestKernels kernels;

  KernelBlockHasher(HashAlgorithm algorithm, DigestKernels kernels) {
    this.algorithm = algorithm;
    this.kernels = kernels;
  }

  @Override
  public HashAlgorithm algorithm() {
    return algorithm;
  }

  @Override
  public void hash(
      MemorySegment data, long offset, long length, int blockSize, long[] digests, int at) {
    ConsecutiveBlocks.check(data, offset, length, blockSize, digests, at);
    MemoryKind kind = MemoryKind.of(data);
    kernels.count(kind, length);
    int whole = (int) (length / blockSize);
    kernels.kernel(kind, blockSize).digestAll(data, offset, whole, blockSize, digests, at);
    long rest = length % blockSize;
    if (rest > 0) {
      kernels.kernel(kind, rest).digest(data, offset + length - rest, rest, digests, at + whole);
    }
  }
}
