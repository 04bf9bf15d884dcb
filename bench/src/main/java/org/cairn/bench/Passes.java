// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.cairn.HashAlgorithm;
import org.cairn.Options;
import org.cairn.hash.BlockHasher;
import org.cairn.hash.Hashers;
import org.cairn.work.Workers;

/**
 * Passes over the memory of a state with all threads, as plain as can be: what a checkpoint cannot
 * do without, and so is measured against.
 */
final class Passes implements AutoCloseable {
  private static final int PIECE = 1 << 20;

  private final State state;
  private final Workers crew;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment copy;
  private final long[] digests;
  private final int blockSize;
  private final LongAdder sink = new LongAdder();

  Passes(State state, int threads, int blockSize) {
    this.state = state;
    this.crew = new Workers(threads, "bench-pass");
    this.copy = arena.allocate(state.bytes(), 4096).fill((byte) 1);
    this.blockSize = blockSize;
    this.digests = new long[Math.toIntExact(2 * (state.bytes() / blockSize + state.datasets()))];
  }

  /** What a pass does with a piece of a dataset. */
  private interface Piece {
    void run(int dataset, long offset, int length, long position);
  }

  private void forPieces(long bytes, Piece piece) throws IOException {
    AtomicLong next = new AtomicLong();
    crew.run(
        worker -> {
          long position = next.getAndAdd(PIECE);
          while (position < bytes) {
            runPiece(position, bytes, piece);
            position = next.getAndAdd(PIECE);
          }
        });
  }

  private void runPiece(long position, long bytes, Piece piece) {
    long at = position;
    long end = Math.min(position + PIECE, bytes);
    while (at < end) {
      int dataset = (int) (at / state.datasetBytes());
      long offset = at % state.datasetBytes();
      int length = (int) Math.min(end - at, state.datasetBytes() - offset);
      piece.run(dataset, offset, length, at);
      at += length;
    }
  }

  /** Reads all of the memory: a plain sum. */
  void sum() throws IOException {
    if (state.isHeap()) {
      forPieces(
          state.bytes(),
          (dataset, offset, length, at) ->
              sink.add(sum(state.array(dataset), (int) (offset / 8), length / 8)));
    } else {
      forPieces(
          state.bytes(),
          (dataset, offset, length, at) -> sink.add(sum(state.segment(dataset), offset, length)));
    }
  }

  private static long sum(MemorySegment memory, long from, int length) {
    long total = 0;
    for (int i = 0; i < length; i += Long.BYTES) {
      total += memory.get(ValueLayout.JAVA_LONG_UNALIGNED, from + i);
    }
    return total;
  }

  /** C2 may not reorder a sum of doubles, so there are eight of them. */
  private static long sum(double[] data, int from, int count) {
    double a = 0;
    double b = 0;
    double c = 0;
    double d = 0;
    double e = 0;
    double f = 0;
    double g = 0;
    double h = 0;
    for (int i = from; i < from + count; i += 8) {
      a += data[i];
      b += data[i + 1];
      c += data[i + 2];
      d += data[i + 3];
      e += data[i + 4];
      f += data[i + 5];
      g += data[i + 6];
      h += data[i + 7];
    }
    return (long) (a + b + c + d + e + f + g + h);
  }

  /** Hashes every block. */
  void hash(HashAlgorithm algorithm) throws IOException {
    BlockHasher hasher = Hashers.of(algorithm);
    forPieces(
        state.bytes(),
        (dataset, offset, length, at) ->
            hasher.hash(
                state.segment(dataset),
                offset,
                length,
                blockSize,
                digests,
                (int) (at / blockSize)));
  }

  /** Copies so many bytes of the state elsewhere, to memory that has been used before. */
  void copy(long bytes) throws IOException {
    forPieces(
        bytes,
        (dataset, offset, length, at) ->
            MemorySegment.copy(state.segment(dataset), offset, copy, at, length));
  }

  /** Memory as large as the state, for whoever needs some. */
  MemorySegment spare() {
    return copy;
  }

  /** Tells states apart, after {@link #hash}. */
  long fingerprint() throws IOException {
    hash(Options.defaults().hash());
    return 31L * Arrays.hashCode(digests) + digests[0];
  }

  @Override
  public void close() {
    crew.close();
    arena.close();
  }
}
