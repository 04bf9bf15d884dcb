// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.cairn.frame.FrameDecoder;
import org.cairn.frame.FrameEncoder;
import org.cairn.frame.FrameInfo;
import org.cairn.frame.Piece;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.supply.Supply;
import org.cairn.transform.Transform;

/**
 * The head of a version as a frame: one with many small datasets is mostly their names, which are
 * much alike.
 *
 * <pre>FramedHead → FrameInfo stored</pre>
 */
final class FramedHead {
  /** A shorter one becomes hardly smaller: packs of thousands of small files have one of each. */
  static final int SHORTEST = 1 << 10;

  private static final int LEVEL = 6;

  private FramedHead() {}

  static byte[] write(byte[] head) {
    List<Piece> pieces = List.of(new Piece(MemorySegment.ofArray(head), Transform.NONE));
    byte[] target = Supply.bytes((int) FrameEncoder.mostStored(pieces));
    MemorySegment stored = MemorySegment.ofArray(target);
    try (FrameEncoder encoder = new FrameEncoder()) {
      FrameInfo info = encoder.encode(pieces, LEVEL, stored);
      RecordWriter out = RecordWriter.onHeap();
      info.write(out);
      out.putBytes(stored.asSlice(0, info.storedLength()).toArray(ValueLayout.JAVA_BYTE));
      return out.toArray();
    }
  }

  static byte[] read(RecordReader in) throws IOException {
    FrameInfo info = FrameInfo.read(in);
    MemorySegment stored = MemorySegment.ofArray(in.getRest());
    try (FrameDecoder decoder = new FrameDecoder()) {
      decoder.open(stored, info, in.file(), -1);
      byte[] head = Supply.bytes((int) decoder.plainLength());
      decoder.read(0, MemorySegment.ofArray(head));
      return head;
    }
  }
}
