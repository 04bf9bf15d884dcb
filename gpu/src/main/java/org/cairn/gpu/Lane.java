// SPDX-License-Identifier: Apache-2.0
package org.cairn.gpu;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.cairn.HashAlgorithm;
import org.cairn.supply.Supply;

/**
 * A stream of the device with what one launch at a time needs: two of them work by turns, so that
 * one copies while the other computes. Belongs to one thread at a time, within its context.
 */
final class Lane {
  /** Blocks of one launch: their digests are 1 MiB. */
  static final int BLOCKS = 1 << 16;

  private static final long BYTES = 16L * BLOCKS;

  /** Of memory of the host, so much is on its way at a time. */
  static final long PIECE = 32L << 20;

  private final CudaContext context;
  private final Map<Kernels, Long> kernels;
  private final long stream;
  private final long onDevice;
  private final MemorySegment onHost;
  private final MemorySegment job = Supply.autoArena().allocate(40, 8);
  private final MemorySegment parameters = Supply.autoArena().allocate(ADDRESS);

  /** Where pieces of the host's memory are copied to; 0 until there was one. */
  private long piece;

  private int awaited;
  private int at;

  Lane(CudaContext context, Map<Kernels, Long> kernels) {
    this.context = context;
    this.kernels = kernels;
    this.stream = context.newStream();
    this.onDevice = context.allocate(BYTES);
    this.onHost = context.allocateHost(BYTES);
    parameters.set(ADDRESS, 0, job);
  }

  /**
   * Starts to hash blocks.
   *
   * @param bytes of the blocks, of which there are at most {@link #BLOCKS}
   * @param into the number of the first one among the digests
   */
  void hash(long pointer, long bytes, int blockSize, HashAlgorithm algorithm, int into) {
    int blocks = Math.toIntExact(Math.ceilDiv(bytes, blockSize));
    launch(
        Kernels.of(algorithm, pointer, blockSize), pointer, bytes, onDevice, 0, blockSize, blocks);
    context.copyOut(onDevice, onHost, 16L * blocks, stream);
    awaited = blocks;
    at = into;
  }

  /** The same of memory of the host, at most {@link #PIECE} bytes. */
  void hash(MemorySegment data, int blockSize, HashAlgorithm algorithm, int into) {
    if (piece == 0) {
      piece = context.allocate(PIECE);
    }
    context.copyIn(data, piece, data.byteSize(), stream);
    hash(piece, data.byteSize(), blockSize, algorithm, into);
  }

  /** Waits for the digests that were asked for last, if any. */
  void collect(long[] digests) {
    if (awaited > 0) {
      context.await(stream);
      MemorySegment.copy(onHost, JAVA_LONG, 0, digests, 2 * at, 2 * awaited);
      awaited = 0;
    }
  }

  /** Gives up what was asked for last; what the device writes meanwhile is not looked at. */
  void forget() {
    awaited = 0;
  }

  /** Copies some blocks side by side. */
  void gather(
      long pointer, long bytes, int blockSize, int[] chosen, int from, int count, long target) {
    int most = (int) (BYTES / Integer.BYTES);
    for (int done = 0; done < count; done += most) {
      int some = Math.min(most, count - done);
      MemorySegment.copy(chosen, from + done, onHost, JAVA_INT, 0, some);
      context.copyIn(onHost, onDevice, (long) some * Integer.BYTES, stream);
      launch(
          Kernels.gathering(pointer, blockSize),
          pointer,
          bytes,
          target + (long) done * blockSize,
          onDevice,
          blockSize,
          some);
      context.await(stream);
    }
  }

  /** What {@code cairn.cu} calls a Job. */
  private void launch(
      Kernels kernel, long data, long length, long out, long chosen, int blockSize, int count) {
    job.set(JAVA_LONG, 0, data);
    job.set(JAVA_LONG, 8, length);
    job.set(JAVA_LONG, 16, out);
    job.set(JAVA_LONG, 24, chosen);
    job.set(JAVA_INT, 32, blockSize);
    job.set(JAVA_INT, 36, count);
    Long function = kernels.get(kernel);
    if (function == null) {
      throw new AssertionError(kernel);
    }
    context.launch(function, kernel, count, stream, parameters);
  }
}
