// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.nio.file.Files;
import java.nio.file.Path;
import org.cairn.VersionName;
import org.jspecify.annotations.Nullable;

/**
 * A state as a user names it: {@code DIR[@VERSION]}.
 *
 * @param path a directory or a container file
 * @param version which of its versions; null for the newest
 */
public record StateName(Path path, @Nullable VersionName version) {
  /**
   * Reads a name.
   *
   * @throws IllegalArgumentException if what is behind the @ is no version
   */
  public static StateName parse(String text) {
    int at = Files.exists(Path.of(text)) ? -1 : start(text);
    return at < 0
        ? new StateName(Path.of(text), null)
        : new StateName(Path.of(text.substring(0, at)), VersionName.parse(text.substring(at + 1)));
  }

  /** Where the version begins, which may have an @ of its own: {@code run1@1.3@5f0c}. */
  private static int start(String text) {
    int last = text.lastIndexOf('@');
    int before = text.lastIndexOf('@', last - 1);
    return before > 0 && text.substring(before + 1, last).matches("\\d+\\.\\d+") ? before : last;
  }
}
