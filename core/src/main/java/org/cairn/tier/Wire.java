// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The messages that bring a version from one container to another.
 *
 * <pre>
 * receiver → sender, tag OFFER:   Offer → count:u32 (VersionId
 *                                          digestLow:u64 digestHigh:u64){count}
 *                                 Image, if the sender asked for the map
 * sender → receiver, tag DATA:    Message*, the last one End, Nothing or Failed
 *   Message → kind:u32 …
 *     Open    based:u32 VersionId Head              the version, and what it is compared with
 *     AskMap                                        send the image of your newest version
 *     Blocks  count:u32 Block{count} bytes
 *     End | Nothing | Failed text
 *   Block   → dataset:u32 block:u32 codec:u32 stored:i32 low:u64 high:u64   stored −1: all zeros
 * </pre>
 */
final class Wire {
  static final int OFFER = 1;
  static final int DATA = 2;

  static final int OPEN = 1;
  static final int ASK_MAP = 2;
  static final int BLOCKS = 3;
  static final int END = 4;
  static final int NOTHING = 5;
  static final int FAILED = 6;

  static final int BLOCK_BYTES = 32;

  static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Wire() {}
}
