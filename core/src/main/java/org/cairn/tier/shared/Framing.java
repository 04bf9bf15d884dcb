// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.cairn.Compression;
import org.cairn.frame.Chooser;
import org.cairn.frame.EncodingLine;
import org.cairn.frame.FrameInfo;
import org.cairn.frame.FrameOrder;
import org.cairn.frame.FramePlan;
import org.cairn.frame.TypedBytes;

/**
 * How a rank makes frames of blocks; what it has learned of its data stays from flush to flush. For
 * one thread.
 */
final class Framing implements AutoCloseable {
  /** Of the rank's memory; the rest is for what is received, and for the segment. */
  private static final long BUDGET = 40 << 20;

  private static final int MOST_THREADS = 2;
  private static final int MOST_TOLD = 8;

  /** What a parallel file system gives one of many nodes. */
  private static final double UNKNOWN_BANDWIDTH = 500e6;

  /** What takes less says nothing of bandwidth. */
  private static final long LEAST_MEASURED = 1 << 20;

  private final Compression compression;
  private final long frame;
  private final int threads;
  private final Chooser own;
  private final Chooser merged;
  private double bytesPerSecond = UNKNOWN_BANDWIDTH;

  // Since the last beginning.
  private long plain;
  private long stored;
  private int frames;
  private String reason = "";
  private final Map<String, String> chosen = new TreeMap<>();

  /**
   * A way to make frames.
   *
   * @param frame how many plain bytes a frame has
   */
  Framing(Compression compression, long frame) {
    this.compression = compression;
    this.frame = frame;
    this.threads = Math.min(MOST_THREADS, Runtime.getRuntime().availableProcessors());
    this.own = new Chooser(compression);
    this.merged = new Chooser(compression);
  }

  /** Plain bytes of a frame. */
  long frame() {
    return frame;
  }

  /**
   * Whether a variable is framed by its own rank, which then reads no other's to have it back:
   * smaller ones are, with those of others.
   */
  boolean isLarge(long bytes) {
    return bytes >= Math.min(frame / 2, FrameOrder.LARGE);
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
    plain = 0;
    stored = 0;
    frames = 0;
    chosen.clear();
    own.beginSet();
    own.store(storeBytesPerSecond / ranks, threads);
    merged.beginSet();
    merged.store(storeBytesPerSecond, threads);
  }

  /** How a frame that one rank alone has is best encoded. */
  FramePlan planOwn(List<TypedBytes> pieces) {
    return own.plan(pieces);
  }

  /** How a frame that is filled with what several ranks have is best encoded. */
  FramePlan planMerged(List<TypedBytes> pieces) {
    return merged.plan(pieces);
  }

  /** A frame of this rank has become so large. */
  void storedOwn(FramePlan plan, FrameInfo info) {
    own.stored(plan, info);
    note(plan, info);
  }

  /** A frame of several ranks has become so large. */
  void storedMerged(FramePlan plan, FrameInfo info) {
    merged.stored(plan, info);
    note(plan, info);
  }

  private void note(FramePlan plan, FrameInfo info) {
    plain += info.plainLength();
    stored += info.storedLength();
    frames++;
    reason = plan.toString();
    plan.classes()
        .forEach((key, expected) -> chosen.put(key, expected.estimate().recipe().toString()));
  }

  /** What was done since the last {@link #begin}, for people; empty if nothing was. */
  Optional<String> remark() {
    if (frames == 0) {
      return Optional.empty();
    }
    String classes =
        chosen.entrySet().stream()
            .limit(MOST_TOLD)
            .map(one -> one.getKey() + " " + one.getValue())
            .collect(Collectors.joining(", "));
    return Optional.of(
        String.format(
            Locale.ROOT,
            "%d bytes in %d frames of %d, %.2f times smaller: %s; %s%s",
            plain,
            frames,
            stored,
            (double) plain / Math.max(1, stored),
            reason,
            classes,
            chosen.size() > MOST_TOLD ? ", …" : ""));
  }

  /**
   * A line for frames.
   *
   * @param largest plain bytes of the largest; one block may be larger than a frame is meant to be
   */
  EncodingLine line(long largest) {
    return new EncodingLine(threads, Math.max(BUDGET, 8 * largest), largest);
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
