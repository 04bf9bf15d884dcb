// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Set;
import org.cairn.HashAlgorithm;
import org.cairn.record.Feature;
import org.cairn.version.VersionFormat;

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
 *                those of VersionInfo     5 lastRecord:u32     6 catalog:Pointer
 * </pre>
 *
 * <p>What a {@code VersionInfo}, a {@code MapRecord} and a {@code Catalog} are is said by {@link
 * VersionFormat}: they are about a version, not about the file.
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

  /** Of files with a dataset that {@link HashAlgorithm#SPOOKY_128} hashes. */
  static final Feature SPOOKY = new Feature("org.cairn.spooky", Feature.TO_READ);

  /** The features that this release knows. */
  static final Set<String> FEATURES = Set.of(SPOOKY.name());

  /** Superblocks lie on pages of their own, so that writing one can never tear the other. */
  static final long SUPERBLOCK_STRIDE = 4096;

  static final int SUPERBLOCK_BYTES = 112;

  /** Behind both superblocks. */
  static final long FIRST_EXTENT = VersionFormat.FIRST_PLACE;

  /**
   * Each commit starts on a page that holds nothing durable: rewriting it could tear neighbours.
   */
  static final long COMMIT_ALIGNMENT = 4096;

  static final int TAG_ROOT = 0x544F4F52;

  /** How many versions a container retains at most. */
  static final int MAX_VERSIONS = 4096;

  // Nobody reads, or makes room for, a record that claims to be longer than these.

  static final long MAX_ROOT = 8 << 20;
  static final long MAX_CATALOG = 16 << 20;
  static final long MAX_MAP_RECORD = 1L << 32;

  /** A version is described by at most this many map records; writers stay far below. */
  static final int MAX_CHAIN = 256;

  /** Numbers that only grow stay below this, so that counting on cannot overflow. */
  static final long MAX_NUMBER = 1L << 62;

  static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private ContainerFormat() {}
}
