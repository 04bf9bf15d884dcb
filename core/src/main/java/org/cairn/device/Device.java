// SPDX-License-Identifier: Apache-2.0
package org.cairn.device;

import java.lang.foreign.MemorySegment;
import org.cairn.HashAlgorithm;

/**
 * A device with memory of its own, in one context of a program.
 *
 * <p>Assumptions: memory of the program does not change while a call that reads it is going on; who
 * wants that waits with {@link #await} first.
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>Any thread may call, many at once; none finds its current context changed afterwards.
 *   <li>A call that returns has done what it says, but for copies, which are {@linkplain Copy
 *       awaited}.
 *   <li>Whatever goes wrong is a {@link DeviceException}; the device's own memory that a call took
 *       is given back.
 * </ol>
 */
public interface Device {
  /** For people, such as {@code NVIDIA H200}. */
  String name();

  /** Whether it computes digests of this algorithm. */
  boolean computes(HashAlgorithm algorithm);

  /**
   * Makes sure that so many bytes from an address on are memory of this device.
   *
   * @throws DeviceException if they are not: freed, or less than was said
   */
  void check(long pointer, long bytes);

  /** Waits until all is done that the program has asked of this context. */
  void await();

  /** Waits until all is done that the program has asked of a stream. */
  void await(long stream);

  /**
   * Computes the digests of blocks where they lie, as {@code BlockHasher} of the same bytes would.
   *
   * @param blockSize of all but the last one, which may be shorter
   * @param digests gets two words a block, from block {@code at} on
   */
  void hash(
      long pointer, long bytes, int blockSize, HashAlgorithm algorithm, long[] digests, int at);

  /**
   * The same of memory of the host, which is copied to the device piece by piece, beside the
   * computation; fast only if it is {@linkplain #register registered}.
   */
  void hashHost(MemorySegment data, int blockSize, HashAlgorithm algorithm, long[] digests, int at);

  /** How much memory is left. */
  long freeBytes();

  /**
   * Takes memory of the device.
   *
   * @throws DeviceException if there is not so much
   */
  Buffer allocate(long bytes);

  /** Memory of the device until it is closed. */
  interface Buffer extends AutoCloseable {
    /** Where it begins. */
    long pointer();

    /** How much it is. */
    long bytes();

    @Override
    void close();
  }

  /**
   * Copies chosen blocks of memory of the device into a buffer, each into the room of a whole one,
   * side by side.
   *
   * @param bytes of all blocks that there are
   * @param chosen numbers of blocks, of which {@code count} from {@code from} on are copied
   */
  void gather(
      long pointer, long bytes, int blockSize, int[] chosen, int from, int count, Buffer target);

  /** Begins to copy memory of the device to the host; two such copies may be going on at a time. */
  Copy copyOut(long pointer, MemorySegment target);

  /** Begins to copy memory of the host to the device; what it reads stays until it is awaited. */
  Copy copyIn(MemorySegment source, long pointer);

  /** A copy on its way. */
  interface Copy {
    /** Waits until all bytes are there. */
    void await();
  }

  /**
   * Lets the device reach memory of the host by itself, until that is closed: copies are many times
   * faster then. The memory must not be freed before.
   *
   * @throws DeviceException if the system allows no more of it
   */
  Registration register(MemorySegment host);

  /** Memory of the host that the device reaches by itself. */
  interface Registration extends AutoCloseable {
    @Override
    void close();
  }
}
