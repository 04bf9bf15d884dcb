// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.cairn.Codec;
import org.cairn.supply.Supply;

/** {@link Codec#LZ4}: bare LZ4 blocks. Make it only where {@link Lz4Functions#LIBRARY} is there. */
final class Lz4BlockCodec extends NativeBlockCodec {
  // Constants to the JIT, which can then inline the calls.
  private static final Lz4Functions LZ4 = Lz4Functions.LIBRARY.get();
  private static final int STATE_SIZE = LZ4.stateSize();
  private static final int ACCELERATION = 1;

  private final Arena arena = Supply.sharedArena();
  private final MemorySegment state = arena.allocate(STATE_SIZE, Long.BYTES);

  @Override
  int compress(MemorySegment source, int length, MemorySegment target, int room) {
    int size = LZ4.compress(state, source, length, target, room, ACCELERATION);
    return size > 0 ? size : -1;
  }

  @Override
  long decompress(MemorySegment source, int storedLength, MemorySegment target, int room) {
    checkOpen();
    return LZ4.decompress(source, storedLength, target, room);
  }

  @Override
  String describe(long error) {
    // liblz4 counts down from the place in the source where it gave up.
    return "LZ4 finds them malformed near byte " + (-error - 1);
  }

  private void checkOpen() {
    // Expanding needs no state, but a closed codec should not half work.
    if (!state.scope().isAlive()) {
      throw new IllegalStateException("Block codec is closed");
    }
  }

  @Override
  public void close() {
    super.close();
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
