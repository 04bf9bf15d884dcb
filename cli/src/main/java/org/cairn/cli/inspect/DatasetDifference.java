// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import org.cairn.version.DatasetSpec;
import org.jspecify.annotations.Nullable;

/**
 * How a dataset differs between two versions.
 *
 * @param before what it was, or null if it was not there
 * @param after what it is, or null if it is gone
 * @param unit size of the blocks that were compared
 * @param units how many of them the longer one has
 * @param changed those that differ, or that only one of them has
 */
record DatasetDifference(
    @Nullable DatasetSpec before,
    @Nullable DatasetSpec after,
    int unit,
    long units,
    BlockRanges changed) {

  String name() {
    return after != null ? after.name() : before != null ? before.name() : "";
  }

  String kind() {
    if (before == null) {
      return "added";
    } else if (after == null) {
      return "removed";
    } else if (before.type() != after.type()) {
      return "retyped";
    } else if (before.byteLength() != after.byteLength()) {
      return before.byteLength() < after.byteLength() ? "grown" : "shrunk";
    } else if (!before.shape().equals(after.shape())) {
      return "reshaped";
    }
    return changed.count() > 0 ? "changed" : "same";
  }

  boolean isSame() {
    return kind().equals("same");
  }
}
