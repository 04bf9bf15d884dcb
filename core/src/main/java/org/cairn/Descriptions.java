// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import org.cairn.division.Description;
import org.cairn.version.DatasetSpec;

/** What ranks have to know of each other's datasets. */
final class Descriptions {
  private Descriptions() {}

  /** Adds what is said of a dataset. */
  static void add(Description.Builder said, DatasetSpec spec) {
    String form =
        "%s elements of type %s in blocks of %d bytes, hashed by %s"
            .formatted(
                spec.shape(), spec.type().label(), spec.blockSize(), spec.algorithm().label());
    said.add(spec.name(), spec.type(), DatasetSpec.elements(spec.shape()), form, spec.division());
  }
}
