// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Something that can be done without.
 *
 * @param category why
 * @param what the file, or what of it, for people
 * @param life whose it is; empty if nobody can say
 * @param bytes how much that would free; in a container of which something stays, about
 * @param stays the file that stays, if only a part of it can be done without
 * @param deletion does it
 */
record Prunable(
    Category category,
    String what,
    String life,
    long bytes,
    Optional<Path> stays,
    Deletion deletion) {

  /** Something that goes as a whole. */
  Prunable(Category category, String what, String life, long bytes, Deletion deletion) {
    this(category, what, life, bytes, Optional.empty(), deletion);
  }

  /** Why something can be done without. */
  enum Category {
    /** Newer ones are there. */
    VERSIONS("old versions"),
    /** Taken to be kept for ever. */
    KEPT("kept versions"),
    /** Past, or not written to for long. */
    LIVES("old lives"),
    /** Of earlier mappings of ranks to nodes, or unfinished. */
    LEFTOVERS("leftovers"),
    /** Put aside, or not whole. */
    DAMAGED("damaged");

    private final String label;

    Category(String label) {
      this.label = label;
    }

    String label() {
      return label;
    }
  }

  /** Deletes something. */
  interface Deletion {
    /**
     * Deletes.
     *
     * @return how many bytes that freed
     * @throws KeptException if it has to stay, because somebody uses it
     */
    long run() throws IOException;
  }

  /** Something stays for a good reason. */
  static final class KeptException extends IOException {
    private static final long serialVersionUID = 1L;

    KeptException(String why) {
      super(why);
    }
  }
}
