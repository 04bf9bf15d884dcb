// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.nio.file.Path;

/** A file changed while it was packed. */
public final class ChangedFileException extends IOException {
  private static final long serialVersionUID = 1;

  ChangedFileException(Path path) {
    super(path + " changed while it was packed; pack it when nobody writes to it");
  }
}
