// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.command;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** What a command makes for itself and takes away again. */
public final class Folder {
  private Folder() {}

  /** Deletes all that is in a folder. */
  public static void empty(Path folder) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      for (Path entry : entries) {
        delete(entry);
      }
    }
  }

  /** Deletes a folder with all that is in it, if there is one; links are not followed. */
  public static void delete(Path folder) throws IOException {
    if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (Stream<Path> tree = Files.walk(folder)) {
      for (Path one : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(one);
      }
    }
  }
}
