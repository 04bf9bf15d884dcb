// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.io.Serial;

/**
 * The program is not the one that was saved: another size, other fields, other loops. Nothing was
 * changed; the program that was saved, or a directory of its own, is the remedy.
 */
public final class ProgramChangedException extends IllegalStateException {
  @Serial private static final long serialVersionUID = 1;

  ProgramChangedException(String message) {
    super(message);
  }
}
