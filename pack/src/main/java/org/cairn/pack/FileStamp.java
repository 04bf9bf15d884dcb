// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/**
 * What tells whether a file is the one that it was, and unchanged.
 *
 * @param key which file it is, for the system
 */
record FileStamp(long size, Instant modified, Object key, int mode) {
  private static final int USUAL_MODE = 0644;

  static FileStamp of(Path path) throws IOException {
    try {
      Map<String, Object> found = Files.readAttributes(path, "unix:size,lastModifiedTime,ino,mode");
      int mode = (int) Objects.requireNonNull(found.get("mode"));
      return of(found, Objects.requireNonNull(found.get("ino")), mode);
    } catch (UnsupportedOperationException | IllegalArgumentException e) {
      Map<String, Object> found = Files.readAttributes(path, "size,lastModifiedTime,fileKey");
      return of(found, Objects.requireNonNullElse(found.get("fileKey"), ""), USUAL_MODE);
    }
  }

  private static FileStamp of(Map<String, Object> found, Object key, int mode) {
    long size = (long) Objects.requireNonNull(found.get("size"));
    FileTime time = (FileTime) Objects.requireNonNull(found.get("lastModifiedTime"));
    return new FileStamp(size, time.toInstant(), key, mode & PackedFile.PERMISSIONS);
  }

  /** Whether nothing but the permissions may have changed since. */
  boolean isStill(FileStamp later) {
    return size == later.size && modified.equals(later.modified) && key.equals(later.key);
  }
}
