// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import java.io.IOException;

/** A file says of its data what cannot be, and was to be refused for that. */
public final class BadHintException extends IOException {
  private static final long serialVersionUID = 1;

  BadHintException(String file, long offset, String text) {
    super("%s, offset %d: %s".formatted(file, offset, text));
  }
}
