// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import org.cairn.Codec;
import org.cairn.codec.BlockCodec;
import org.cairn.codec.BlockCodecs;
import org.jspecify.annotations.Nullable;

/**
 * The codec that was used last, which mostly is the one of the next block too: making one takes
 * memory outside the heap. For one thread.
 */
final class LastCodec implements AutoCloseable {
  private @Nullable BlockCodec codec;
  private int id;

  /** The codec with this number. */
  BlockCodec of(int number) {
    BlockCodec current = codec;
    if (current == null || id != number) {
      close();
      current = BlockCodecs.create(Codec.of(number));
      codec = current;
      id = number;
    }
    return current;
  }

  @Override
  public void close() {
    if (codec != null) {
      codec.close();
      codec = null;
    }
  }
}
