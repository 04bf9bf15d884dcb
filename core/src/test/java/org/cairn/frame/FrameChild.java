// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.List;
import org.cairn.Codec;
import org.cairn.CodecUnavailableException;
import org.cairn.Compression;
import org.cairn.record.Digest;
import org.cairn.transform.Elements;
import org.cairn.transform.Transform;

/** Runs in a JVM of its own: frames where there may be no zstd library. */
final class FrameChild {
  private FrameChild() {}

  /** Takes a compressed frame in hexadecimal digits, and the number of its plain bytes. */
  public static void main(String[] arguments) throws IOException {
    MemorySegment plain = MemorySegment.ofArray(new byte[100_000]);
    MemorySegment target = Arena.global().allocate(200_000);
    try (FrameEncoder encoder = new FrameEncoder();
        FrameDecoder decoder = new FrameDecoder();
        Chooser chooser = new Chooser(Compression.small())) {
      for (int i = 0; i < 3; i++) {
        FrameInfo info = encoder.encode(List.of(new Piece(plain, Transform.NONE)), 3, target);
        decoder.open(target.asSlice(0, info.storedLength()), info, "file", 0);
        System.out.println("stored: " + info.codec().label());
      }
      FramePlan plan =
          chooser.plan(List.of(new TypedBytes("zeros", Elements.BYTES, List.of(), plain)));
      System.out.println("chosen: level " + plan.level() + ", " + plan);
      byte[] stored = HexFormat.of().parseHex(arguments[0]);
      FrameInfo info =
          new FrameInfo(stored.length, Long.parseLong(arguments[1]), Codec.ZSTD, Digest.of(stored));
      decoder.open(MemorySegment.ofArray(stored), info, "file", 0);
      System.out.println("decoded");
    } catch (CodecUnavailableException e) {
      System.out.println("unavailable: " + e.getMessage());
    }
  }
}
