// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;
import org.cairn.HashAlgorithm;

/** The digests of blocks by kernels, two blocks at a time where the kernel gains by it. */
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
    wholeBlocks(kernels.kernel(kind, blockSize), data, offset, whole, blockSize, digests, at);
    long rest = length % blockSize;
    if (rest > 0) {
      kernels.kernel(kind, rest).digest(data, offset + length - rest, rest, digests, at + whole);
    }
  }

  private static void wholeBlocks(
      DigestKernel kernel,
      MemorySegment data,
      long offset,
      int blocks,
      int blockSize,
      long[] digests,
      int at) {
    int block = 0;
    for (; block + 2 <= blocks; block += 2) {
      kernel.digestPair(data, offset + (long) block * blockSize, blockSize, digests, at + block);
    }
    if (block < blocks) {
      kernel.digest(data, offset + (long) block * blockSize, blockSize, digests, at + block);
    }
  }
}
