// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import java.nio.file.Path;
import java.util.List;

/**
 * Finds where a file has no blocks on disk: bytes that are read as zeros and cost nothing, here as
 * there.
 *
 * <p>A hole that is not found is zeros like any others. So whatever goes wrong (another system, a
 * file system that knows no holes, a program that does not permit native access, a file that cannot
 * be opened) there are no holes, or fewer. Where a hole is reported there was one at that moment:
 * whoever leaves it out sees to it that the file has not changed meanwhile.
 */
public interface Holes {
  /** Shorter ones are not worth their place in a list. */
  long SHORTEST = 1 << 12;

  /** So many are found in a file, and no more. */
  int MOST = 1 << 20;

  /**
   * A run of bytes that are zero.
   *
   * @param offset where it begins in the file
   * @param length how many there are
   */
  record Hole(long offset, long length) {
    /** Behind its last byte. */
    public long end() {
      return offset + length;
    }
  }

  /**
   * The holes within the first {@code size} bytes of a file, in its order, apart from each other.
   */
  List<Hole> of(Path path, long size);

  /** By the system's own knowledge, where it tells. */
  static Holes ofSystem() {
    return SystemHoles.INSTALLED;
  }

  /** The plain twin, which knows of no holes. */
  static Holes none() {
    return (_, _) -> List.of();
  }
}
