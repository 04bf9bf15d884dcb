// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.cairn.CodecUnavailableException;
import org.cairn.supply.Supply;

/**
 * Compresses at any level, one Zstandard frame a call, with a context that is used again. Its
 * window is as large as what is compressed: repeats are found wherever they lie in it. For one
 * thread at a time.
 */
public final class ZstdCompressor implements AutoCloseable {
  /** The least effort. */
  public static final int FASTEST = 1;

  /** The most effort without windows that decoders refuse. */
  public static final int SMALLEST = 19;

  private static final int SMALLEST_WINDOW_LOG = 10;
  private static final int LARGEST_WINDOW_LOG = 27;

  private static final int MEDIUM = 3;
  private static final int THOROUGH = 6;
  private static final int LAST_TUNED = 9;
  private static final int SEARCH = 5;
  private static final int SHORT_MATCH = 4;

  /**
   * What zstd takes at low levels depends on how much there is: 7 of a whole frame, 5 of a small
   * sample, which then promises what the frame does not keep. Shorter ones also make frames of
   * numbers up to 6 % smaller, for less than a tenth of the speed.
   */
  private static final int MATCH = 5;

  private final ZstdFunctions zstd = ZstdFunctions.LIBRARY.get();
  private final Arena arena = Supply.sharedArena();
  private final MemorySegment context = zstd.newCompressor(arena);
  private int level;
  private int windowLog;

  /**
   * A context of its own.
   *
   * @throws CodecUnavailableException if there is no library; {@link BlockCodecs#unavailable} tells
   *     so beforehand
   */
  public ZstdCompressor() {}

  /**
   * Compresses all bytes of a segment. Both are native.
   *
   * @return how many bytes it takes, or -1 if they do not fit the target
   */
  public long compress(MemorySegment source, MemorySegment target, int wantedLevel) {
    if (wantedLevel < FASTEST || wantedLevel > SMALLEST) {
      throw new IllegalArgumentException(
          "levels are %d to %d, not %d".formatted(FASTEST, SMALLEST, wantedLevel));
    }
    Ranges.check(source, 0, source.byteSize(), target, 0, target.byteSize());
    tune(wantedLevel, windowLogOf(source.byteSize()));
    long size = zstd.compress(context, source, source.byteSize(), target, target.byteSize());
    if (size >= 0) {
      return size;
    }
    zstd.forget(context);
    if (size == ZstdFunctions.TARGET_TOO_SMALL) {
      return -1;
    }
    throw new IllegalStateException("zstd cannot compress: " + zstd.errorName(size));
  }

  /**
   * Levels are made for files of any size; here all is at hand, and numbers repeat at distances
   * that their tables have forgotten by then. Tables that remember more cost little time: a frame
   * of 3.5 MiB became half as large at level 1, and 9 % smaller at level 6.
   */
  private void tune(int wantedLevel, int wantedLog) {
    if (level == wantedLevel && windowLog == wantedLog) {
      return;
    }
    boolean thorough = wantedLevel >= THOROUGH;
    int table = wantedLevel > LAST_TUNED ? 0 : tableLog(wantedLevel, wantedLog);
    zstd.set(context, ZstdFunctions.LEVEL, wantedLevel);
    zstd.set(context, ZstdFunctions.WINDOW_LOG, wantedLog);
    zstd.set(context, ZstdFunctions.HASH_LOG, table);
    zstd.set(context, ZstdFunctions.CHAIN_LOG, table);
    zstd.set(context, ZstdFunctions.SEARCH_LOG, thorough && table > 0 ? SEARCH : 0);
    zstd.set(context, ZstdFunctions.MIN_MATCH, table == 0 ? 0 : thorough ? SHORT_MATCH : MATCH);
    level = wantedLevel;
    windowLog = wantedLog;
  }

  /** What a table has room for: a part of all places, as large as the level has time for. */
  private static int tableLog(int level, int windowLog) {
    int part = level >= THOROUGH ? 2 : level >= MEDIUM ? 4 : 5;
    return Math.max(windowLog - part, SMALLEST_WINDOW_LOG);
  }

  private static int windowLogOf(long bytes) {
    int log = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, bytes - 1));
    return Math.clamp(log, SMALLEST_WINDOW_LOG, LARGEST_WINDOW_LOG);
  }

  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
