// SPDX-License-Identifier: Apache-2.0
package org.cairn.supply;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** How much the system lets this process have, where it tells, as Linux does in files. */
public final class ProcessLimits {
  private static final Path PROCESS = Path.of("/proc/self/limits");
  private static final Path SYSTEM = Path.of("/proc/sys/kernel/threads-max");

  private ProcessLimits() {}

  /** How many files may be open at a time; empty if there is no limit, or it is not known. */
  public static OptionalLong openFiles() {
    return ofProcess("Max open files");
  }

  /** How many threads there may be; empty if there is no limit, or it is not known. */
  public static OptionalLong threads() {
    OptionalLong mine = ofProcess("Max processes");
    OptionalLong all = ofSystem();
    return mine.isPresent() && all.isPresent()
        ? OptionalLong.of(Math.min(mine.getAsLong(), all.getAsLong()))
        : mine.isPresent() ? mine : all;
  }

  private static OptionalLong ofProcess(String name) {
    try {
      for (String line : Files.readAllLines(PROCESS)) {
        if (line.startsWith(name)) {
          return OptionalLong.of(Long.parseLong(line.substring(name.length()).strip().split(" ")[0]));
        }
      }
    } catch (IOException | RuntimeException e) {
      // Another kind of system; or it says that there is none.
    }
    return OptionalLong.empty();
  }

  private static OptionalLong ofSystem() {
    try {
      return OptionalLong.of(Long.parseLong(Files.readString(SYSTEM).strip()));
    } catch (IOException | RuntimeException e) {
      return OptionalLong.empty();
    }
  }
}
