// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

/** A field: its name for reports, all points that it has, and how many bytes each of them takes. */
public record FieldShape(String name, Box whole, int elementBytes) {
  /** A field with at least one byte a point. */
  public FieldShape {
    if (elementBytes < 1) {
      throw new IllegalArgumentException(
          "an element of the field \"" + name + "\" has " + elementBytes + " bytes, not 1 or more");
    }
  }
}
