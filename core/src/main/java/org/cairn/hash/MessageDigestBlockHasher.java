// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.cairn.HashAlgorithm;

/**
 * A cryptographic digest of the JDK of each block, of which the first 128 bits are kept.
 *
 * <p>The JDK's implementations run on instructions made for them, but read {@code byte[]} only:
 * even for a direct buffer they copy piece by piece. Data in a {@code byte[]} is read where it
 * lies; all other memory passes through a window of 1 KiB, which stays in the first-level cache and
 * costs a small part of the digest itself.
 */
final class MessageDigestBlockHasher implements BlockHasher {

  private static final int WINDOW = 1024;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final HashAlgorithm algorithm;
  private final String name;

  /** {@code name} is the JDK's name of the algorithm. */
  MessageDigestBlockHasher(HashAlgorithm algorithm, String name) {
    this.algorithm = algorithm;
    this.name = name;
  }

  @Override
  public HashAlgorithm algorithm() {
    return algorithm;
  }

  @Override
  public void hash(
      MemorySegment data, long offset, long length, int blockSize, long[] digests, int at) {
    int blocks = ConsecutiveBlocks.check(data, offset, length, blockSize, digests, at);
    MessageDigest digest = newDigest();
    byte[] result = new byte[digest.getDigestLength()];
    byte[] window = new byte[WINDOW];
    for (int block = 0; block < blocks; block++) {
      long done = (long) block * blockSize;
      update(digest, data, offset + done, Math.min(blockSize, length - done), window);
      finish(digest, result);
      digests[2 * (at + block)] = (long) LONGS.get(result, 0);
      digests[2 * (at + block) + 1] = (long) LONGS.get(result, 8);
    }
  }

  private static void update(
      MessageDigest digest, MemorySegment data, long from, long length, byte[] window) {
    if (data.heapBase().orElse(null) instanceof byte[] array) {
      digest.update(array, (int) (data.address() + from), (int) length);
      return;
    }
    for (long done = 0; done < length; done += WINDOW) {
      int size = (int) Math.min(WINDOW, length - done);
      MemorySegment.copy(data, ValueLayout.JAVA_BYTE, from + done, window, 0, size);
      digest.update(window, 0, size);
    }
  }

  private static void finish(MessageDigest digest, byte[] result) {
    try {
      digest.digest(result, 0, result.length);
    } catch (DigestException e) {
      throw new AssertionError("The result array has the length of the digest", e);
    }
  }

  private MessageDigest newDigest() {
    try {
      return MessageDigest.getInstance(name);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("This Java has no " + name + "; choose another hash", e);
    }
  }
}
