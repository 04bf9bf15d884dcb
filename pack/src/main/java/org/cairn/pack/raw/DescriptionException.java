// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.raw;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlPosition;

/** A description of files that cannot be understood; the message has the line and the column. */
public final class DescriptionException extends IOException {
  private static final long serialVersionUID = 1;

  DescriptionException(String file, @Nullable TomlPosition place, String message) {
    super(
        place == null
            ? "%s: %s".formatted(file, message)
            : "%s, line %d, column %d: %s".formatted(file, place.line(), place.column(), message));
  }
}
