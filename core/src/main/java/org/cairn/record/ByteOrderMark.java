// SPDX-License-Identifier: Apache-2.0
package org.cairn.record;

import java.nio.ByteOrder;

/**
 * How the program's data lie in the blocks of a file: as in the memory of the machine that wrote
 * them. The mark itself is a little-endian number like all others.
 */
public final class ByteOrderMark {
  /** That of this machine. */
  public static final int NATIVE =
      ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 0x0A0B0C0D : 0x0D0C0B0A;

  private ByteOrderMark() {}

  /** Whether a mark is that of machines of the other kind. */
  public static boolean isOpposite(int mark) {
    return mark == Integer.reverseBytes(NATIVE);
  }
}
