// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.Collection;
import org.cairn.division.Description;
import org.cairn.version.DatasetSpec;

/** What ranks have to know of each other's datasets. */
final class Descriptions {
  private Descriptions() {}

  /** What is said of datasets. */
  static Description of(Collection<DatasetSpec> datasets) {
    Description.Builder said = new Description.Builder();
    for (DatasetSpec spec : datasets) {
      if (!spec.division().isAlone()) {
        add(said, spec);
      }
    }
    return said.build();
  }

  /** How datasets are divided; nothing of them is asked of the program. */
  static Description ofDivisions(Collection<Dataset> datasets) {
    Description.Builder said = new Description.Builder();
    for (Dataset dataset : datasets) {
      said.add(dataset.name(), dataset.elementType(), 0, "", dataset.division());
    }
    return said.build();
  }

  /** Adds what is said of a dataset. */
  static void add(Description.Builder said, DatasetSpec spec) {
    String form =
        "%s elements of type %s in blocks of %d bytes, hashed by %s"
            .formatted(
                spec.shape(), spec.type().label(), spec.blockSize(), spec.algorithm().label());
    said.add(spec.name(), spec.type(), DatasetSpec.elements(spec.shape()), form, spec.division());
  }
}
