// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A file that says where a run ended. */
public final class ResultFile {
  private ResultFile() {}

  /** Writes what the result says of itself; the file is complete or absent. */
  public static void write(Path file, Record result) throws IOException {
    Path part = file.resolveSibling(file.getFileName() + ".part");
    Files.writeString(part, result.toString());
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
