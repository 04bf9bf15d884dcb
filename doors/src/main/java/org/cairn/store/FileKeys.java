// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/**
 * Tells one file from another of the same name. While a file is open no other gets its key, even if
 * it was deleted.
 */
final class FileKeys {
  private static final Object UNKNOWN = "this system has no keys";

  private FileKeys() {}

  /** The key of the file that a path leads to; empty if there is none. */
  static Optional<Object> of(Path path) throws IOException {
    try {
      BasicFileAttributes attributes =
          Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      Object key = attributes.fileKey();
      return Optional.of(key == null ? UNKNOWN : key);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }
}
