// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Encodes frames on several threads and gives them out in order, within a budget of memory. For one
 * thread, which fills frames and takes them stored:
 *
 * <pre>{@code
 * try (EncodingLine line = new EncodingLine(2, EncodingLine.BUDGET, frameBytes)) {
 *   for (...) {
 *     MemorySegment plain = line.memory();       // waits for the oldest frame if all are under way
 *     ...                                        // fill it
 *     line.encode(pieces, level, (info, stored) -> file.append(stored));
 *   }
 *   line.finish();
 * }
 * }</pre>
 */
public final class EncodingLine implements AutoCloseable {
  /** 64 MiB. */
  public static final long BUDGET = 64 << 20;

  /** Content, and what the transforms take. */
  private static final int FRAMES_EACH = 3;

  private final Line<FrameEncoder, FrameInfo> line;
  private final long frame;

  /** Takes a stored frame; its bytes are gone when it returns. */
  public interface Sink {
    /** Takes the next frame. */
    void take(FrameInfo info, MemorySegment stored) throws IOException;
  }

  /**
   * A line.
   *
   * @param threads how many at most
   * @param budget bytes of memory that it holds at most, at levels up to 9; with little there are
   *     fewer threads
   * @param frame plain bytes of the largest frame
   * @throws IllegalArgumentException if not even one thread can work within the budget
   */
  public EncodingLine(int threads, long budget, long frame) {
    this.frame = frame;
    this.line =
        new Line<>(
            "cairn-encoding",
            Capacity.of(threads, budget, frame, FRAMES_EACH),
            FrameEncoder::new,
            FrameEncoder::close);
  }

  /**
   * Memory for the plain bytes of the next frame; always the same until it is given to {@link
   * #encode}. Waits until some is free.
   */
  public MemorySegment memory() throws IOException {
    return line.slot().bytes().asSlice(0, frame);
  }

  /**
   * Encodes a frame, later and elsewhere, and gives out those that are done.
   *
   * @param pieces parts of {@link #memory}, or other memory that stays as it is until the frame is
   *     given out
   * @param sink takes the frame; called by this thread, after those of all frames before
   * @throws IOException what a sink has thrown; nothing more is given out then
   */
  public void encode(List<Piece> pieces, int level, Sink sink) throws IOException {
    List<Piece> own = List.copyOf(pieces);
    long most = FrameEncoder.mostStored(own);
    line.give(
        (encoder, slot) -> encoder.encode(own, level, slot.bytes(most)),
        (info, slot) -> slot.bytes(most).asSlice(0, info.storedLength()),
        sink::take);
  }

  /** Waits for all frames, and gives them out. */
  public void finish() throws IOException {
    line.finish();
  }

  /** Gives up what is not finished; returns when nobody works any more. */
  @Override
  public void close() {
    line.close();
  }
}
