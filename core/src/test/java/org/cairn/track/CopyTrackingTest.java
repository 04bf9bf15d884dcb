// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

/** The logic, with a watch that runs anywhere. */
class CopyTrackingTest extends TrackingTest {
  @Override
  PageWatch watch() {
    return new CopyWatch(4 << 10);
  }
}
