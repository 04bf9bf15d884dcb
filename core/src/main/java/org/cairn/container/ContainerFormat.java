// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Set;

/**
 * The grammar of a container file, format version 2. All numbers are little-endian.
 *
 * <pre>
 * Container    → Superblock at 0, Superblock at 4096, Extent* from 8192 on
 * Extent       → BlockBytes* | Root | MapRecord | Catalog
 * Superblock   → Magic(8) ByteOrder(u32) Version(u32) ContainerId(16) Sequence(u64) Epoch(u64)
 *                LastSequence(u64) Root:Pointer End(u64) Checksum(16)
 * Pointer      → Offset(u64) Length(u64) Checksum(16)
 * Root         → "ROOT" length:u32 Fields
 *                1 Features     2 Ownership     3 MapRef*     4 VersionEntry*
 * MapRef       → base:u32 0:u32 Pointer
 * VersionEntry → length:u32 Fields
 *                1 VersionId     2 rootDigest(16)     3 Figures     4 tiers:u32
 *                5 lastRecord:u32     6 catalog:Pointer
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
 * <p>{@code Checksum} is XXH3-128 of everything before it (superblock) or of the bytes pointed to
 * (pointer), so a reader that starts at a superblock verifies every byte it trusts. The map of a
 * version is what its map records say, applied in order from the last {@code MAPB} on.
 *
 * <p>The first 112 bytes of a superblock keep their meaning in every later format version, so that
 * an old release can tell a newer file from a damaged one. Format versions are for what fields and
 * features cannot express: a release adds a field to the root, a version or a dataset; those that
 * do not know it keep it, unless its tag says that it is {@linkplain org.cairn.record.Field#NEEDED
 * needed}, and files that need more than fields name a {@linkplain org.cairn.record.Feature
 * feature}.
 *
 * @see <a href="../../../../../../../docs/format/container.md">docs/format/container.md</a>
 */
final class ContainerFormat {

  /** Not ASCII, then the name, then the line ends that text-mode transfers spoil (as in PNG). */
  static final long MAGIC = 0x0A0D4E5249414389L;

  static final int VERSION = 2;

  /** The features that this release knows: none so far. */
  static final Set<String> FEATURES = Set.of();

  /** Superblocks lie on pages of their own, so that writing one can never tear the other. */
  static final long SUPERBLOCK_STRIDE = 4096;

  static final int SUPERBLOCK_BYTES = 112;
  static final long FIRST_EXTENT = 2 * SUPERBLOCK_STRIDE;

  /**
   * Each commit starts on a page that holds nothing durable: rewriting it could tear neighbours.
   */
  static final long COMMIT_ALIGNMENT = 4096;

  static final int TAG_ROOT = 0x544F4F52;
  static final int TAG_BASE = 0x4250414D;
  static final int TAG_DELTA = 0x4450414D;
  static final int TAG_CATALOG = 0x4C544143;

  static final int RUN_HEADER_BYTES = 32;

  static final int RUN_RAW = 1;
  static final int RUN_CODED = 2;
  static final int RUN_ZERO = 3;
  static final int RUN_RELEASED = 4;

  /** The smallest block size; what it is unless told is for {@code Options} to say. */
  static final int MIN_BLOCK = 128;

  /** The largest block size. */
  static final int MAX_BLOCK = 1 << 20;

  /** The number of axes is a byte in the file. */
  static final int MAX_AXES = 255;

  /** How many versions a container retains at most. */
  static final int MAX_VERSIONS = 4096;

  /** How many datasets a version has at most. */
  static final int MAX_DATASETS = 1 << 17;

  /** How many bytes the name of a dataset has at most. */
  static final int MAX_NAME = 1 << 16;

  // Nobody reads, or makes room for, a record that claims to be longer than these.

  static final long MAX_ROOT = 8 << 20;
  static final long MAX_CATALOG = 16 << 20;
  static final long MAX_MAP_RECORD = 1L << 32;

  /** A version is described by at most this many map records; writers stay far below. */
  static final int MAX_CHAIN = 256;

  /** Numbers that only grow stay below this, so that counting on cannot overflow. */
  static final long MAX_NUMBER = 1L << 62;

  /** Slots are ints in memory; 2^31 blocks of 16 KiB are 32 TiB of state in one rank. */
  static final long MAX_SLOTS = Integer.MAX_VALUE;

  /** Places are packed with lengths into one long when they wait to be freed. */
  static final long MAX_FILE = 1L << 43;

  static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private ContainerFormat() {}
}
