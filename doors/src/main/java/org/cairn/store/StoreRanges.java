// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

/** Checks of arguments that all stores share. */
final class StoreRanges {
  private StoreRanges() {}

  /** Refuses a range that starts below zero or ends beyond what a {@code long} can address. */
  static void check(long position, long length) {
    if (position < 0 || position > Long.MAX_VALUE - length) {
      throw new IllegalArgumentException(
          "position " + position + " of " + length + " bytes is outside any file");
    }
  }

  static void checkSize(long size) {
    if (size < 0) {
      throw new IllegalArgumentException("negative file size " + size);
    }
  }
}
