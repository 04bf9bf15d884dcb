// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.util.List;
import org.cairn.Compression;
import org.cairn.frame.Chooser;
import org.cairn.frame.EncodingLine;
import org.cairn.frame.FrameOrder;

/**
 * How a rank makes frames of blocks; what it has learned of its data stays from flush to flush. For
 * one thread.
 */
final class Framing implements AutoCloseable {
  /** Plain bytes of a frame. */
  static final long FRAME = FrameOrder.Sizes.FRAME;

  /** Variables of so many bytes are framed by their own rank, smaller ones with those of others. */
  static final long LARGE = FRAME / 2;

  /** Of the rank's memory; the rest is for what is received, and for the segment. */
  private static final long BUDGET = 40 << 20;

  private static final int MOST_THREADS = 2;

  /** What a parallel file system gives one of many nodes. */
  private static final double UNKNOWN_BANDWIDTH = 500e6;

  /** What takes less says nothing of bandwidth. */
  private static final long LEAST_MEASURED = 1 << 20;

  private final Compression compression;
  private final int threads;
  private final Chooser own;
  private final Chooser merged;
  private double bytesPerSecond = UNKNOWN_BANDWIDTH;

  Framing(Compression compression) {
    this.compression = compression;
    this.threads = Math.min(MOST_THREADS, Runtime.getRuntime().availableProcessors());
    this.own = new Chooser(compression);
    this.merged = new Chooser(compression);
  }

  /** A segment was written, to its end. */
  void measured(long bytes, long nanos) {
    if (bytes >= LEAST_MEASURED && nanos > 0) {
      bytesPerSecond = (bytesPerSecond + bytes * 1e9 / nanos) / 2;
    }
  }

  /** How fast the store takes bytes from one rank. */
  double bytesPerSecond() {
    return bytesPerSecond;
  }

  /** A new version is flushed, to a store as fast as this, which so many ranks of a group share. */
  void begin(double storeBytesPerSecond, int ranks) {
    own.beginSet();
    own.store(storeBytesPerSecond / ranks, threads);
    merged.beginSet();
    merged.store(storeBytesPerSecond, threads);
  }

  /** Chooses for frames that one rank alone has. */
  Chooser own() {
    return own;
  }

  /** Chooses for frames that are filled with what several ranks have. */
  Chooser merged() {
    return merged;
  }

  /**
   * A line for frames.
   *
   * @param frame plain bytes of the largest
   */
  EncodingLine line(long frame) {
    // One block may be larger than a frame is meant to be.
    return new EncodingLine(threads, Math.max(BUDGET, 8 * frame), frame);
  }

  /** What was chosen for which class, in words. */
  List<String> choices() {
    return java.util.stream.Stream.concat(own.choices().stream(), merged.choices().stream())
        .map(choice -> choice.key() + ": " + choice.tried())
        .sorted()
        .toList();
  }

  @Override
  public String toString() {
    return compression.toString();
  }

  @Override
  public void close() {
    own.close();
    merged.close();
  }
}
