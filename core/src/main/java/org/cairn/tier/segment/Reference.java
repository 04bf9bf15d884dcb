// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.segment;

import java.util.ArrayList;
import java.util.List;
import org.cairn.record.CorruptContainerException;

/**
 * A segment that a version needs.
 *
 * @param segment its name
 * @param size how many bytes the file has
 * @param liveBytes how many of them are blocks of that version
 */
public record Reference(String segment, long size, long liveBytes) {

  private static final int MIN_BYTES = 4 + 1 + 8 + 8;

  static void write(RecordOutput out, List<Reference> references) {
    out.u32(references.size());
    for (Reference reference : references) {
      out.text(reference.segment).u64(reference.size).u64(reference.liveBytes);
    }
  }

  static List<Reference> read(RecordInput in) throws CorruptContainerException {
    int count = in.count(MIN_BYTES);
    List<Reference> references = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      references.add(
          new Reference(in.name(), in.notNegative64("size"), in.notNegative64("live bytes")));
    }
    return references;
  }
}
