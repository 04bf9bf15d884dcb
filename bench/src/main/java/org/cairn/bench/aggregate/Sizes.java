// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.cairn.Compression;
import org.cairn.frame.FrameOrder;

/**
 * How small a set becomes with others, over all of its bytes one after the other, and as a pack,
 * index included.
 *
 * @param frames with {@code small}, without what is around frames
 */
public record Sizes(
    String set,
    long bytes,
    long gzip,
    OptionalLong bzip2,
    long zstd,
    long fpc,
    long fpcGzip,
    long none,
    long fast,
    long small,
    long frames) {
  /** Measures all of it. */
  public static Sizes of(CheckpointSet set, LoadedSet loaded, Path scratch) throws IOException {
    byte[] all = set.concatenated();
    Rivals.FpcSizes fpc = Rivals.fpc(all, Framing.byteOrder(loaded));
    FrameOrder.Sizes frames =
        new FrameOrder.Sizes(loaded.size(), Ratios.BLOCK, FrameOrder.Sizes.FRAME);
    return new Sizes(
        set.name(),
        all.length,
        Rivals.gzip(all, all.length),
        Rivals.bzip2(all, scratch),
        Rivals.zstd(all).length,
        fpc.alone(),
        fpc.withGzip(),
        set.pack(Compression.none(), scratch).stored(),
        set.pack(Compression.fast(), scratch).stored(),
        set.pack(Compression.small(), scratch).stored(),
        new Framing(loaded, FrameOrder.AWARE, frames).stored(Compression.small()));
  }
}
