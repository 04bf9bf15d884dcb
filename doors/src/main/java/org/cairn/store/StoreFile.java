// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * An open file of a {@link Store}: bytes read and written by position.
 *
 * <p>Safe for use by many threads. Operations on ranges that do not overlap do not disturb each
 * other; where a read and a write overlap, the read may see any mixture of old and new bytes.
 * Segments may be native or on the heap, and larger than 2 GiB. After {@link #close} every
 * operation fails with {@link java.nio.channels.ClosedChannelException}. Negative positions and
 * sizes are refused with {@link IllegalArgumentException}.
 */
public interface StoreFile extends AutoCloseable {
  /** From so many bytes on, the way of a write to the medium matters more than its beginning. */
  long LARGE = 1L << 20;

  /** The name under which the file was opened. */
  String name();

  /**
   * Whether the name still leads to this file, and not to nothing or to another one: what is
   * written to a file that was deleted or moved away nobody finds again.
   */
  boolean isNamed() throws IOException;

  /**
   * Locks the file itself, until it is closed, against all others who do the same, in this process
   * too. Does nothing where the system has no such lock; {@link Store#lock} is what must be held.
   *
   * @throws StoreLockedException if somebody else has locked it
   */
  default void lock() throws IOException {}

  /** The current length in bytes. */
  long size() throws IOException;

  /** Whether its length is memory of this process: then nobody keeps it longer than it must be. */
  default boolean isMemory() {
    return false;
  }

  /**
   * Reads from {@code position} on until {@code target} is full or the file ends. Reading at or
   * beyond the end reads nothing.
   *
   * @return how many bytes were read, from 0 to the size of {@code target}; the rest of {@code
   *     target} is unchanged
   */
  long read(long position, MemorySegment target) throws IOException;

  /**
   * Writes all of {@code source} at {@code position}. The file grows as needed; a gap between its
   * old end and {@code position} reads as zeros. Writing nothing changes nothing, not even the
   * length. If it fails, any part of the range may have been written.
   *
   * @throws java.nio.channels.NonWritableChannelException if the file was opened to be read
   */
  void write(long position, MemorySegment source) throws IOException;

  /**
   * Reads as {@link #read} does, bytes that will not be wanted again soon: past what the system
   * keeps of files in memory where that has not got them and can be passed. For pieces of a quarter
   * of a MiB and more, into native memory whose address is a multiple of 4096 as the position is;
   * others are read as always.
   */
  default long readOnce(long position, MemorySegment target) throws IOException {
    return read(position, target);
  }

  /**
   * Writes as {@link #write} does, bytes that will hardly be read soon: past what the system keeps
   * of files in memory, where that can be done and is the faster way. For {@link #LARGE} pieces of
   * native memory whose address is a multiple of 4096 as the position is; others are written as
   * always. No byte is durable before the file is forced.
   *
   * @return how many of the bytes are on their way to the medium already, so that nothing is gained
   *     by forcing them early
   */
  default long writeLarge(long position, MemorySegment source) throws IOException {
    write(position, source);
    return 0;
  }

  /**
   * Cuts the file to {@code size} bytes; a file that is already as short stays as it is. Bytes that
   * were cut off do not come back: growing the file again shows zeros.
   *
   * @throws java.nio.channels.NonWritableChannelException if the file was opened to be read
   */
  void truncate(long size) throws IOException;

  /**
   * Makes all bytes written before, through whichever open file, and the length durable. The name
   * is not: see {@link Store#forceDirectory}. Allowed also on a file opened to be read, where a
   * reader must not trust what is visible until it is durable.
   */
  void force() throws IOException;

  /** Closes the file, without forcing it. Closing twice is fine. */
  @Override
  void close() throws IOException;
}
