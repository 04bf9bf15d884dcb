// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Optional;

/**
 * Gives files their times. Java counts nanoseconds from 1970 on in 63 bits: of times before that,
 * and after 2262, it makes the nearest that it knows, without a word. So Linux itself is asked to
 * set those, if it may be.
 */
final class FileTimes {
  private static final Instant FIRST = Instant.EPOCH;
  private static final Instant LAST = Instant.EPOCH.plusNanos(Long.MAX_VALUE);

  /** The current folder, for names that are not whole; not used with those that are. */
  private static final int AT_FOLDER = -100;

  /** In place of nanoseconds: this time stays as it is. */
  private static final long OMIT = 0x3FFFFFFE;

  private static final Optional<MethodHandle> SYSTEM = find();

  private FileTimes() {}

  private static Optional<MethodHandle> find() {
    boolean linux = System.getProperty("os.name").equals("Linux");
    // Asking without permission would print a warning into the program's output.
    if (!linux || !FileTimes.class.getModule().isNativeAccessEnabled()) {
      return Optional.empty();
    }
    try {
      Linker linker = Linker.nativeLinker();
      return Optional.of(
          linker.downcallHandle(
              linker.defaultLookup().findOrThrow("utimensat"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.ADDRESS,
                  ValueLayout.ADDRESS,
                  ValueLayout.JAVA_INT)));
    } catch (UnsupportedOperationException e) {
      return Optional.empty(); // a machine whose functions Java cannot call
    }
  }

  /** Says when a file was last changed. */
  static void set(Path file, Instant time) throws IOException {
    boolean known = !time.isBefore(FIRST) && !time.isAfter(LAST);
    if (known || SYSTEM.isEmpty() || !ask(SYSTEM.get(), file, time)) {
      Files.setLastModifiedTime(file, FileTime.from(time));
    }
  }

  private static boolean ask(MethodHandle utimensat, Path file, Instant time) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom(ValueLayout.JAVA_BYTE, PackName.zeroEnded(file));
      MemorySegment times =
          arena.allocateFrom(
              ValueLayout.JAVA_LONG, 0, OMIT, time.getEpochSecond(), (long) time.getNano());
      return (int) utimensat.invokeExact(AT_FOLDER, name, times, 0) == 0;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a call of the system", e);
    }
  }
}
