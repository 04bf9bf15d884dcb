// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.cairn.frame.FrameOrder;
import org.cairn.frame.TypedBytes;

/** Which parts of files come into which frames, and what these parts are. */
final class FrameReading {
  private FrameReading() {}

  /** The parts of each frame; a block is never cut. */
  static Iterator<List<FrameOrder.Part>> order(List<SourceFile> files, PackSettings settings) {
    return settings
        .order()
        .frames(files.stream().map(FrameReading::member).toList(), settings.sizes());
  }

  /** How many bytes a frame has at most: one block at least. */
  static long largest(PackSettings settings) {
    return Math.max(settings.sizes().frame(), Stream.BLOCK);
  }

  private static FrameOrder.Member member(SourceFile file) {
    return new FrameOrder.Member(
        file.streams().stream()
            .map(
                stream ->
                    new FrameOrder.Variable(stream.key(), stream.places().length(), Stream.BLOCK))
            .toList());
  }

  /** Reads what a frame has, in its order. */
  static List<TypedBytes> fill(
      List<SourceFile> files, List<FrameOrder.Part> parts, MemorySegment memory)
      throws IOException {
    List<TypedBytes> pieces = new ArrayList<>(parts.size());
    long at = 0;
    for (FrameOrder.Part part : parts) {
      SourceFile file = files.get(part.member());
      MemorySegment bytes = memory.asSlice(at, part.length());
      file.read(part.variable(), part.from(), bytes);
      Stream stream = file.streams().get(part.variable());
      pieces.add(
          new TypedBytes(stream.key(), stream.elements(), stream.shape(), bytes, stream.coded()));
      at += part.length();
    }
    return pieces;
  }
}
