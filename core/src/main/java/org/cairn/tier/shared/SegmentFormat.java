// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.util.Set;
import org.cairn.record.Feature;

/**
 * The grammar of segments and manifests, format version {@value #VERSION}.
 *
 * <p>Numbers are little-endian; {@code v} is an unsigned number of 7 bits a byte, lowest first, the
 * uppermost bit of each byte telling that more follow. A checksum is XXH3-128, low half first, of
 * everything in its record before it; that of a manifest covers the file from its first byte.
 *
 * <pre>
 * Segment     → Header Preamble (Block | Frame)* MemberIndex* Frames? Footer Tail
 * Indices     → Header Preamble MemberIndex* Footer Tail
 * Manifest    → Header Preamble "MANI" length:u32 Fields checksum
 *   1 Group*     2 Reference*     3 takenAt:u64
 * Header      → magic:u64 byteOrder:u32 version:u32 VersionId token:u32 group:u32
 *               preambleBytes:u32 createdAt:u64 checksum              96 bytes
 * Preamble    → "PREA" length:u32 Fields checksum                     preambleBytes
 *   1 Lineage     2 Feature*
 * Block       → bytes as the caller gave them
 * Frame       → many blocks together, see {@link org.cairn.frame.FrameEncoder}
 * Frames      → "FRMS" length:u32 Fields checksum
 *   1 (offset:v FrameInfo)*     2 count:v, of those that only one member has blocks in
 * MemberIndex → "MIDX" length:u32 Fields checksum
 *   1 rank:u32   2 text*, segments   3 catalog   4 blocks:u32   5 Run*
 *   6 root:digest   7 takenAt:u64   8 Verification   0x8009 Link, of an index of changes
 * Link        → Fields
 *   1 number:u32   2 name of the older segment   3 checksum of the index there
 * Run         → kind:u8=1 count:v segment:v offset:v codec:v blockLength:v storedLength:v
 *               digest{count}                                side by side, of one stored length
 *             | kind:u8=2 count:v segment:v offset:v codec:v blockLength:v
 *               (digest storedLength:v){count}               side by side, of any stored length
 *             | kind:u8=3 count:v blockLength:v digest       nothing but zeros, nothing stored
 *             | kind:u8=4 count:v                            as the linked index has them
 * Footer      → "FOOT" length:u32 Fields checksum
 *   1 Member*     2 Reference*     3 digest of Header and Preamble
 *   4 offset:u64 length:u64 checksum, of Frames; not there if there are none
 * Member      → length:u32 Fields
 *   1 rank:u32   2 offset:u64   3 length:u64   4 checksum of the index   5 root:digest
 *   6 takenAt:u64     7 verified:u64
 * Reference   → length:u32 Fields
 *   1 name   2 size:u64   3 live:u64   4 checksum of the footer
 *   5 bytes of all frames:u64; not there if it has none
 * Group       → length:u32 Fields
 *   1 group:u32   2 name of the segment   3 rank:u32*   4 root:digest*
 * Tail        → footer:u64 fileSize:u64 checksum magic:u64   40 bytes
 * Fields      → (tag:u16 length:u32 bytes)*                  tags ascending, from 0x8000 on needed
 * Feature     → need:u32 text                                0 optional, 1 to write, 2 to read
 * text        → length:u32 ASCII, a name that a store accepts
 * digest      → low:u64 high:u64
 * </pre>
 *
 * <p>So a manifest holds the checksums of footers, a footer those of the indices of its members,
 * and an index the digests of blocks: a file of the right name and size with other content is found
 * out at each step. The reference of a segment to itself has size 0 and checksum 0 in its footer,
 * which is written before they are known. The 96 bytes of the header keep their places and meanings
 * in all later versions, so that an old release can tell a newer file from a damaged one.
 */
final class SegmentFormat {

  static final int VERSION = 2;

  /** {@code \x89CAIRNS\n}: not text, and damaged by whatever changes line ends. */
  static final long SEGMENT_MAGIC = 0x0A534E5249414389L;

  /** {@code \x89CAIRNI\n}: a segment that holds nothing but indices. */
  static final long INDEX_MAGIC = 0x0A494E5249414389L;

  /** {@code \x89CAIRNM\n}. */
  static final long MANIFEST_MAGIC = 0x0A4D4E5249414389L;

  static final int PREAMBLE_TAG = 0x41455250; // PREA
  static final int INDEX_TAG = 0x5844494D; // MIDX
  static final int FOOTER_TAG = 0x544F4F46; // FOOT
  static final int MANIFEST_TAG = 0x494E414D; // MANI
  static final int FRAMES_TAG = 0x534D5246; // FRMS

  /**
   * Stands in the place of a codec for blocks in frames: offsets are addresses of plain bytes then,
   * and stored lengths are those of the blocks.
   */
  static final int FRAMED = 255;

  /** The same for a block that is there for somebody else, who counts it among his live bytes. */
  static final int BORROWED = 254;

  static final int RUN_EQUAL = 1;
  static final int RUN_VARIED = 2;
  static final int RUN_ZERO = 3;
  static final int RUN_UNCHANGED = 4;

  static final int HEADER_BYTES = 96;
  static final int TAIL_BYTES = 40;

  /** A lineage is bounded, and features are few. */
  static final int MAX_PREAMBLE_BYTES = 16 << 20;

  /** No manifest of a job that fits a machine room comes near. */
  static final long MAX_MANIFEST_BYTES = 1L << 30;

  /** As long as an array can be: 128 million blocks of a rank. */
  static final long MAX_INDEX_BYTES = Integer.MAX_VALUE - 8;

  // How much memory these take when they are read, with their bytes; see SealedRecord.
  static final int PREAMBLE_IN_MEMORY = 8;
  static final int MANIFEST_IN_MEMORY = 8;
  static final int FOOTER_IN_MEMORY = 4;
  static final int INDEX_IN_MEMORY = 3;
  static final int FRAMES_IN_MEMORY = 8;

  /** Blocks may lie in frames. */
  static final Feature FRAMES = new Feature("org.cairn.frames", Feature.TO_READ);

  /** The features that this release knows. */
  static final Set<String> KNOWN_FEATURES = Set.of(FRAMES.name());

  private SegmentFormat() {}

  /** Whether blocks with this number in the place of a codec lie in frames. */
  static boolean isFramed(int codec) {
    return codec == FRAMED || codec == BORROWED;
  }

  /** What the file of this name begins and ends with. */
  static long magicOf(String segment) {
    return SharedNames.isOfIndices(segment) ? INDEX_MAGIC : SEGMENT_MAGIC;
  }
}
