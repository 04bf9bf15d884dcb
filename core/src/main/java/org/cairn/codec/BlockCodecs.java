// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import java.util.Optional;
import org.cairn.Codec;
import org.cairn.CodecUnavailableException;

/** Which class compresses for which {@link Codec}, and whether it can do so here. */
public final class BlockCodecs {

  private BlockCodecs() {}

  /**
   * A codec for blocks, for one thread at a time; close it. Not cheap: it holds up to about a MiB
   * of native memory, so keep it as long as its thread.
   *
   * @throws CodecUnavailableException if {@link #unavailable} names a reason; the message is it
   */
  public static BlockCodec create(Codec codec) {
    unavailable(codec)
        .ifPresent(
            reason -> {
              throw new CodecUnavailableException(reason);
            });
    return switch (codec) {
      case NONE -> new RawBlockCodec();
      case LZ4 -> new Lz4BlockCodec();
      case ZSTD -> new ZstdBlockCodec();
      case DEFLATE -> new DeflateBlockCodec();
    };
  }

  /**
   * Why this codec cannot run here and what to do about it; empty if it can. The first question
   * about {@link Codec#LZ4} or {@link Codec#ZSTD} loads its library, later ones repeat the answer.
   */
  public static Optional<String> unavailable(Codec codec) {
    return switch (codec) {
      case NONE, DEFLATE -> Optional.empty();
      case LZ4 -> Lz4Functions.LIBRARY.problem();
      case ZSTD -> ZstdFunctions.LIBRARY.problem();
    };
  }
}
