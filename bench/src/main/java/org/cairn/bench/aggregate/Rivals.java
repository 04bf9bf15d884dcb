// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import io.airlift.compress.v3.zstd.ZstdNativeCompressor;
import io.airlift.compress.v3.zstd.ZstdNativeDecompressor;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.zip.Deflater;
import org.cairn.hash.Xxh3;

/**
 * What others make of all bytes of a set, one after the other: gzip −6 (zlib, without the 18 bytes
 * around it), bzip2 −9 if it is installed, zstd −3, and FPC with gzip −6 behind it, which takes all
 * bytes for doubles.
 */
public final class Rivals {
  private static final int GZIP_LEVEL = 6;
  private static final int ZSTD_LEVEL = 3;
  private static final int FPC_TABLE_BITS = 20;

  private Rivals() {}

  /** The size after zlib at level 6. */
  public static long gzip(byte[] bytes, int length) {
    Deflater deflater = new Deflater(GZIP_LEVEL, true);
    try {
      deflater.setInput(bytes, 0, length);
      deflater.finish();
      byte[] target = new byte[1 << 16];
      long size = 0;
      while (!deflater.finished()) {
        size += deflater.deflate(target);
      }
      return size;
    } finally {
      deflater.end();
    }
  }

  /** The size after {@code bzip2 -9}; empty where there is none. */
  public static OptionalLong bzip2(byte[] bytes, Path folder) throws IOException {
    Path source = folder.resolve("for-bzip2");
    Path target = folder.resolve("from-bzip2");
    Files.write(source, bytes);
    try {
      Process process =
          new ProcessBuilder("bzip2", "-9", "-c")
              .redirectInput(source.toFile())
              .redirectOutput(target.toFile())
              .redirectError(Redirect.to(new File("/dev/null")))
              .start();
      return process.waitFor() == 0 ? OptionalLong.of(Files.size(target)) : OptionalLong.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return OptionalLong.empty();
    } catch (IOException e) {
      return OptionalLong.empty(); // not installed
    } finally {
      Files.deleteIfExists(source);
      Files.deleteIfExists(target);
    }
  }

  /** What zstd −3 makes of it. */
  public static byte[] zstd(byte[] bytes) {
    ZstdNativeCompressor zstd = new ZstdNativeCompressor(ZSTD_LEVEL);
    byte[] target = new byte[zstd.maxCompressedLength(bytes.length)];
    int size = zstd.compress(bytes, 0, bytes.length, target, 0, target.length);
    return java.util.Arrays.copyOf(target, size);
  }

  /** Brings back what {@link #zstd} made, once its checksum was taken: others verify, too. */
  public static void expand(byte[] compressed, byte[] target) {
    Xxh3.digest(MemorySegment.ofArray(compressed), 0, compressed.length, new long[2], 0);
    int size =
        new ZstdNativeDecompressor()
            .decompress(compressed, 0, compressed.length, target, 0, target.length);
    if (size != target.length) {
      throw new IllegalStateException("zstd gave %d bytes of %d".formatted(size, target.length));
    }
  }

  /** Sizes after FPC alone, and with gzip behind it. */
  public record FpcSizes(long alone, long withGzip) {}

  /** The sizes after FPC. */
  public static FpcSizes fpc(byte[] bytes, ByteOrder order) {
    byte[] encoded = new byte[Fpc.maxEncodedLength(bytes.length)];
    int length = new Fpc(FPC_TABLE_BITS, order).encode(bytes, bytes.length, encoded);
    return new FpcSizes(length, gzip(encoded, length));
  }
}
