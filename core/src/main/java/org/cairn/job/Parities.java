// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

/** When parity suffices. */
final class Parities {
  private Parities() {}

  /**
   * Whether a group can be decoded: in no stripe more units are missing than the code bears, and
   * the map of every missing member is with one of its successors.
   */
  static boolean canRebuild(int size, int lost, boolean[] data, boolean[] parity) {
    for (int stripe = 0; stripe < size; stripe++) {
      int missing = 0;
      for (int i = 0; i < size; i++) {
        boolean isParity = Math.floorMod(i - stripe, size) < lost;
        missing += (isParity ? parity[i] : data[i]) ? 0 : 1;
      }
      if (missing > lost) {
        return false;
      }
    }
    for (int i = 0; i < size; i++) {
      boolean mapped = data[i];
      for (int next = 0; next <= lost; next++) {
        mapped |= parity[(i + next) % size];
      }
      if (!mapped) {
        return false;
      }
    }
    return true;
  }
}
