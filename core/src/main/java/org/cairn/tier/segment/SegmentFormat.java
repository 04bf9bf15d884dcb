// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.segment;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cairn.version.JobId;
import org.cairn.version.RunId;
import org.cairn.version.VersionId;

/**
 * The grammar of segments and manifests, format version {@value #VERSION}.
 *
 * <p>Numbers are little-endian; {@code v} is an unsigned number of 7 bits a byte, lowest first, the
 * uppermost bit of each byte telling that more follow. A checksum is XXH3-128, low half first, of
 * everything in its record before it.
 *
 * <pre>
 * Segment     → Header Block* MemberIndex* Footer Tail       "seg-7.12-g3.cairn-seg"
 * Header      → magic:u64 byteOrder:u32 version:u32 epoch:u64 sequence:u64 ranks:u32 group:u32
 *               createdAt:u64 checksum                       64 bytes
 * Block       → bytes as the caller gave them
 * MemberIndex → "MIDX" rank:u32 segments:u32 text{segments} catalogLength:u32 catalog
 *               blocks:u32 runs:u32 Run{runs} checksum
 * Run         → kind:u8=1 count:v segment:v offset:v codec:v blockLength:v storedLength:v
 *               digest{count}                                side by side, of one stored length
 *             | kind:u8=2 count:v segment:v offset:v codec:v blockLength:v
 *               (digest storedLength:v){count}               side by side, of any stored length
 *             | kind:u8=3 count:v blockLength:v digest       nothing but zeros, nothing stored
 * Footer      → "FOOT" members:u32 (rank:u32 offset:u64 length:u64){members}
 *               references:u32 (text size:u64 live:u64){references} checksum
 * Tail        → footer:u64 fileSize:u64 checksum magic:u64   40 bytes
 * Manifest    → Header groups:u32 (group:u32 text members:u32 rank:u32{members}){groups}
 *               references:u32 (text size:u64 live:u64){references} checksum
 *                                                            "manifest-7.12"
 * text        → length:u32 ASCII, a name that a store accepts
 * digest      → low:u64 high:u64
 * </pre>
 *
 * <p>A reference names a segment with its size and how many bytes of blocks the version has there.
 * The one to the segment itself has size 0 in the footer, which is written before the size is
 * known. The header of a manifest has its own magic, and group 0. The 64 bytes of the header keep
 * their places and meanings in all later versions, so that an old release can tell a newer file
 * from a damaged one.
 */
final class SegmentFormat {

  static final int VERSION = 1;

  /** {@code \x89CAIRNS\n}: not text, and damaged by whatever changes line ends. */
  static final long SEGMENT_MAGIC = 0x0A534E5249414389L;

  /** {@code \x89CAIRNM\n}. */
  static final long MANIFEST_MAGIC = 0x0A4D4E5249414389L;

  static final int BYTE_ORDER_MARK = 0x0A0B0C0D;

  static final int INDEX_TAG = 0x5844494D; // MIDX
  static final int FOOTER_TAG = 0x544F4F46; // FOOT

  static final int RUN_EQUAL = 1;
  static final int RUN_VARIED = 2;
  static final int RUN_ZERO = 3;

  static final int HEADER_BYTES = 88;
  static final int TAIL_BYTES = 40;
  static final int CHECKSUM_BYTES = 16;

  private static final String VERSION_NAME =
      "([0-9a-f]{32})-([0-9a-f]{16})-(\\d{1,18})\\.(\\d{1,18})-r(\\d{1,9})";
  private static final Pattern SEGMENT =
      Pattern.compile("seg-" + VERSION_NAME + "-g(\\d{1,9})\\.cairn-seg");
  private static final Pattern MANIFEST = Pattern.compile("manifest-" + VERSION_NAME);

  private SegmentFormat() {}

  static String segmentName(VersionId version, int group) {
    return "seg-" + versionName(version) + "-g" + group + ".cairn-seg";
  }

  /** The group in the name of a segment. */
  static int segmentGroup(String name) {
    Matcher matcher = SEGMENT.matcher(name);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("not the name of a segment: " + name);
    }
    return Integer.parseInt(matcher.group(6));
  }

  static String manifestName(VersionId version) {
    return "manifest-" + versionName(version);
  }

  /** All of the identity: files of many jobs lie side by side. */
  private static String versionName(VersionId version) {
    return "%s-%s-%s-r%d".formatted(version.job(), version.run(), version, version.ranks());
  }

  /** The version in the name of a segment, if it is one. */
  static Optional<VersionId> segmentVersion(String name) {
    return version(SEGMENT.matcher(name));
  }

  /** The version in the name of a manifest, if it is one. */
  static Optional<VersionId> manifestVersion(String name) {
    return version(MANIFEST.matcher(name));
  }

  private static Optional<VersionId> version(Matcher name) {
    return name.matches()
        ? Optional.of(
            new VersionId(
                JobId.parse(name.group(1)),
                RunId.parse(name.group(2)),
                Long.parseLong(name.group(3)),
                Long.parseLong(name.group(4)),
                Integer.parseInt(name.group(5))))
        : Optional.empty();
  }
}
