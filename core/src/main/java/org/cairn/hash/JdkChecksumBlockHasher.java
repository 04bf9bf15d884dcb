// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import java.util.zip.Checksum;
import org.cairn.HashAlgorithm;

/**
 * A checksum of the JDK of each block, in the low half of its digest.
 *
 * <p>The JDK's checksums run on instructions made for them, but read bytes only: buffers over
 * native memory and {@code byte[]}. All other memory goes to a twin of our own, since a {@code
 * double[]} cannot become a {@code ByteBuffer} without a copy.
 */
final class JdkChecksumBlockHasher implements BlockHasher {

  /** How much one buffer may cover: buffers are indexed by {@code int}. */
  private static final long LARGEST_BUFFER = 1L << 30;

  private final Supplier<Checksum> checksums;
  private final BlockHasher twin;

  /** {@code twin} computes the same digests for memory that buffers cannot show. */
  JdkChecksumBlockHasher(Supplier<Checksum> checksums, BlockHasher twin) {
    this.checksums = checksums;
    this.twin = twin;
  }

  @Override
  public HashAlgorithm algorithm() {
    return twin.algorithm();
  }

  @Override
  public void hash(
      MemorySegment data, long offset, long length, int blockSize, long[] digests, int at) {
    switch (MemoryKind.of(data)) {
      case NATIVE, MAPPED, BYTES -> hashBytes(data, offset, length, blockSize, digests, at);
      default -> twin.hash(data, offset, length, blockSize, digests, at);
    }
  }

  private void hashBytes(
      MemorySegment data, long offset, long length, int blockSize, long[] digests, int at) {
    ConsecutiveBlocks.check(data, offset, length, blockSize, digests, at);
    Checksum checksum = checksums.get();
    int blocksPerBuffer = (int) Math.max(1, LARGEST_BUFFER / blockSize);
    long step = (long) blocksPerBuffer * blockSize;
    for (long done = 0; done < length; done += step) {
      long size = Math.min(step, length - done);
      ByteBuffer buffer = data.asSlice(offset + done, size).asByteBuffer();
      hashBuffer(checksum, buffer, blockSize, digests, at + (int) (done / blockSize));
    }
  }

  private static void hashBuffer(
      Checksum checksum, ByteBuffer buffer, int blockSize, long[] digests, int at) {
    int end = buffer.limit();
    for (int block = at; buffer.position() < end; block++) {
      // Written so that blocks near 2 GiB do not overflow.
      buffer.limit(buffer.position() + Math.min(blockSize, end - buffer.position()));
      checksum.reset();
      checksum.update(buffer);
      digests[2 * block] = checksum.getValue();
      digests[2 * block + 1] = 0;
    }
  }
}
