// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;
import org.cairn.HashAlgorithm;

/** A checksum of our own of each block, in the low half of its digest. */
final class ChecksumBlockHasher implements BlockHasher {

  private final HashAlgorithm algorithm;
  private final KernelCopies<ChecksumKernel> kernels;

  ChecksumBlockHasher(
      HashAlgorithm algorithm, Class<? extends ChecksumKernel> kernel, Object... arguments) {
    this.algorithm = algorithm;
    this.kernels = new KernelCopies<>(ChecksumKernel.class, kernel, arguments);
  }

  @Override
  public HashAlgorithm algorithm() {
    return algorithm;
  }

  @Override
  public void hash(
      MemorySegment data, long offset, long length, int blockSize, long[] digests, int at) {
    int blocks = ConsecutiveBlocks.check(data, offset, length, blockSize, digests, at);
    ChecksumKernel kernel = kernels.of(MemoryKind.of(data));
    for (int block = 0; block < blocks; block++) {
      long done = (long) block * blockSize;
      int size = (int) Math.min(blockSize, length - done);
      digests[2 * (at + block)] = kernel.checksum(data, offset + done, size);
      digests[2 * (at + block) + 1] = 0;
    }
  }
}
