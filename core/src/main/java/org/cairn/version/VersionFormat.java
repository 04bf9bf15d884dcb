// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

/**
 * The grammar of what describes a version, in a container and wherever a version travels. All
 * numbers are little-endian.
 *
 * <pre>
 * VersionInfo  → Fields
 *                1 VersionId     2 rootDigest(16)     3 Figures     4 tiers:u32
 * Figures      → takenAt:u64 protectedBytes:u64 blocks:u64 dirtyBlocks:u64 bytesWritten:u64
 * MapRecord    → ("MAPB" | "MAPD") 0:u32 runs:u64 Run*
 * Run          → kind:u8 codec:u8 0:u16 blockLength:u32 firstSlot:u64 count:u64 place:u64 Entry*
 * Entry        → digest(16)                        in a RAW run
 *              | digest(16) storedLength:u32 0:u32 in a CODED run
 *              | nothing                           in a ZERO or RELEASED run
 * Catalog      → "CATL" datasets:u32 DatasetEntry*
 * DatasetEntry → length:u32 Fields
 *                1 name:UTF-8     2 Layout     3 extent:u64*     4 (firstSlot:u32 count:u32)*
 * Layout       → type:u8 algorithm:u8 codec:u8 0:u8 blockSize:u32 byteLength:u64
 * Fields       → (tag:u16 length:u32 bytes)*       tags ascending from 1 on
 * </pre>
 *
 * @see <a href="../../../../../../../docs/format/container.md">docs/format/container.md</a>
 */
public final class VersionFormat {
  /** Begins a map record that stands for itself. */
  public static final int TAG_BASE = 0x4250414D;

  /** Begins a map record that changes what those before it say. */
  public static final int TAG_DELTA = 0x4450414D;

  /** Begins a catalog. */
  public static final int TAG_CATALOG = 0x4C544143;

  /** Blocks as they are. */
  public static final int RUN_RAW = 1;

  /** Blocks that a codec made shorter. */
  public static final int RUN_CODED = 2;

  /** Blocks of zeros. */
  public static final int RUN_ZERO = 3;

  /** Slots that no dataset has any more. */
  public static final int RUN_RELEASED = 4;

  /** The smallest block size; what it is unless told is for {@code Options} to say. */
  public static final int MIN_BLOCK = 128;

  /** The largest block size. */
  public static final int MAX_BLOCK = 1 << 20;

  /** The number of axes is a byte in the file. */
  public static final int MAX_AXES = 255;

  /** How many datasets a version has at most. */
  public static final int MAX_DATASETS = 1 << 17;

  /** How many bytes the name of a dataset has at most. */
  public static final int MAX_NAME = 1 << 16;

  /** Slots are ints in memory; 2^31 blocks of 16 KiB are 32 TiB of state in one rank. */
  public static final long MAX_SLOTS = Integer.MAX_VALUE;

  /** No block lies before this place: what leads to versions does. */
  public static final long FIRST_PLACE = 8192;

  /** Places are packed with lengths into one long when they wait to be freed. */
  public static final long MAX_FILE = 1L << 43;

  private VersionFormat() {}
}
