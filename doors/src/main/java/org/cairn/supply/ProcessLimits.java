// SPDX-License-Identifier: Apache-2.0
package org.cairn.supply;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * How much the system lets this process have, where it tells, as Linux does in a file. How many
 * threads there may be it does not tell: what it says of that counts for some users and not for
 * others.
 */
public final class ProcessLimits {
  private static final Path PROCESS = Path.of("/proc/self/limits");

  private ProcessLimits() {}

  /** How many files may be open at a time; empty if there is no limit, or it is not known. */
  public static OptionalLong openFiles() {
    return ofProcess("Max open files");
  }

  private static OptionalLong ofProcess(String name) {
    try {
      for (String line : Files.readAllLines(PROCESS)) {
        if (line.startsWith(name)) {
          String limits = line.substring(name.length()).strip(); // the soft one first
          return OptionalLong.of(Long.parseLong(limits.substring(0, limits.indexOf(' '))));
        }
      }
    } catch (IOException | RuntimeException e) {
      // Another kind of system; or it says that there is none.
    }
    return OptionalLong.empty();
  }
}
