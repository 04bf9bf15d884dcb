// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.cairn.Codec;
import org.cairn.CodecUnavailableException;

/** Runs in a JVM of its own: one block through each codec named, answers on standard output. */
final class CodecChild {
  private CodecChild() {}

  public static void main(String[] names) {
    for (String name : names) {
      Codec codec = Codec.parse(name);
      try (BlockCodec blocks = BlockCodecs.create(codec);
          Arena arena = Arena.ofConfined()) {
        MemorySegment block = arena.allocate(4096);
        MemorySegment stored = arena.allocate(4096);
        int size = blocks.compress(block, 0, 4096, stored, 0, 4096);
        blocks.decompress(stored, 0, size < 0 ? 4096 : size, block, 0, 4096);
        System.out.println("works: " + codec.label());
      } catch (CodecUnavailableException e) {
        System.out.println("unavailable: " + e.getMessage());
      }
    }
  }
}
