// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import org.cairn.mesh.live.Mode;
import org.jspecify.annotations.Nullable;

/**
 * What a program has said of fields, by the first of them: it says the same again at each call of a
 * loop, and what is the same object need not be made, nor compared.
 */
final class Said {
  /** More are not worth looking through. */
  private static final int MOST = 16;

  private final @Nullable Access[] known = new Access[MOST];

  Access find(Mode mode, Stencil stencil, Data... fields) {
    for (int n = 0; n < MOST; n++) {
      Access one = known[n];
      if (one == null) {
        Access made = Access.made(mode, stencil, fields);
        known[n] = made;
        return made;
      }
      if (one.isMade(mode, stencil, fields)) {
        return one;
      }
    }
    return Access.made(mode, stencil, fields);
  }
}
