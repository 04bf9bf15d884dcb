// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import org.cairn.Codec;
import org.jspecify.annotations.Nullable;

/**
 * The codec that was used last, which mostly is the one of the next block too: making one takes
 * memory outside the heap. For one thread.
 */
public final class LastCodec implements AutoCloseable {
  /** Null as long as none was needed. */
  private @Nullable BlockCodec codec;

  private int id;

  /** The codec with this number. */
  public BlockCodec of(int number) {
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
