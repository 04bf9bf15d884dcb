// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

import java.util.List;

/** What is to be saved at a place, field by field. */
public record Prediction(LoopPlace place, List<FieldPrediction> fields) {
  /** The points to be saved, field by field. */
  public List<Boxes> save() {
    return fields.stream().map(FieldPrediction::save).toList();
  }
}
