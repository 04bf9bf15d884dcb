// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Decodes frames on several threads within a budget of memory. For one thread, which reads stored
 * frames; what is made of them is first done side by side, then in order.
 */
public final class DecodingLine implements AutoCloseable {
  /** What was expanded, a piece that is brought back, and what the transforms take. */
  private static final int FRAMES_EACH = 4;

  private final Line<FrameDecoder, FrameInfo> line;

  /** Uses a frame that is open. */
  public interface Use {
    /** Reads what it wants; on any thread. */
    void read(FrameDecoder open) throws IOException;
  }

  /** Goes on after a frame. */
  public interface Done {
    /** Is called in order, by the thread that gives the frames. */
    void run() throws IOException;
  }

  /**
   * A line.
   *
   * @param threads how many at most
   * @param budget bytes of memory that it holds at most; with little there are fewer threads
   * @param frame plain bytes of the largest frame
   * @throws IllegalArgumentException if not even one thread can work within the budget
   */
  public DecodingLine(int threads, long budget, long frame) {
    this.line =
        new Line<>(
            "cairn-decoding",
            Capacity.of(threads, budget, frame, FRAMES_EACH),
            FrameDecoder::new,
            FrameDecoder::close);
  }

  /**
   * Memory for the stored bytes of the next frame; waits until some is free.
   *
   * @param info was {@link FrameInfo#check checked}, so that nobody takes memory for nothing
   */
  public MemorySegment memory(FrameInfo info) throws IOException {
    return line.slot().bytes(info.storedLength()).asSlice(0, info.storedLength());
  }

  /**
   * Decodes the frame whose stored bytes are in {@link #memory}, later and elsewhere.
   *
   * @param file where the frame comes from
   * @param offset where in the file
   * @param use reads from it, on a thread of this line
   * @param done is called afterwards by this thread, after those of all frames before
   * @throws IOException if a frame given before is damaged, or what its use has thrown
   */
  public void decode(FrameInfo info, String file, long offset, Use use, Done done)
      throws IOException {
    line.give(
        (decoder, slot) -> {
          long length = info.storedLength();
          decoder.open(slot.bytes(length).asSlice(0, length), info, file, offset);
          use.read(decoder);
          return info;
        },
        (_, _) -> MemorySegment.NULL,
        (_, _) -> done.run());
  }

  /** Waits for all frames. */
  public void finish() throws IOException {
    line.finish();
  }

  /** Gives up what is not finished; returns when nobody works any more. */
  @Override
  public void close() {
    line.close();
  }
}
