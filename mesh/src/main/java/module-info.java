// SPDX-License-Identifier: Apache-2.0

/** A language for structured grids in which checkpoints cost the author one line. */
module org.cairn.mesh {
  requires transitive org.cairn.core;
  requires org.slf4j;
  // Annotations for compilers.
  requires static org.jspecify;

  exports org.cairn.mesh;
  exports org.cairn.mesh.kernel;
  exports org.cairn.mesh.plain;
  // Woven loops are classes of programs.
  exports org.cairn.mesh.sum;
  exports org.cairn.mesh.weave;
}
