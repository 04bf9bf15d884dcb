// SPDX-License-Identifier: Apache-2.0

/** Checkpoints of any program, packed into few small files that are verified. */
@SuppressWarnings("requires-automatic")
module org.cairn.pack {
  requires transitive org.cairn.core;
  // Annotations for compilers.
  requires static org.jspecify;

  exports org.cairn.pack.locate;
}
