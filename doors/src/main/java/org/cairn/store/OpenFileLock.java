// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.Optional;
import org.cairn.supply.Supply;

/**
 * A lock that Linux keeps with an open file, for the files that are written to themselves. Locks of
 * POSIX, which is what Java has, are lost as soon as any part of the process closes the file; these
 * are not, and so may be held on a file that others in this process read.
 *
 * <p>It stands behind the lock file, whose name can be deleted under its holder. Where there is no
 * such lock (another system, a file system without locks, a program that does not permit native
 * access), the lock file is all there is.
 */
final class OpenFileLock implements AutoCloseable {
  private static final int READ_AND_WRITE = 2;
  private static final int CLOSE_ON_EXEC = 0x80000;
  private static final int SET_LOCK_OF_OPEN_FILE = 37;
  private static final short EXCLUSIVE = 1;
  private static final int TRY_AGAIN = 11;
  private static final int ACCESS_DENIED = 13;

  /** Beyond what any container holds; locks may lie behind the end. */
  private static final long LOCKED_BYTE = 1L << 60;

  private static final int MOST_TRIES = 1_000;
  private static final long PAUSE_NANOS = 1_000_000;

  /** {@code struct flock} of 64-bit Linux. */
  private static final StructLayout FLOCK =
      MemoryLayout.structLayout(
          ValueLayout.JAVA_SHORT.withName("type"),
          ValueLayout.JAVA_SHORT.withName("whence"),
          MemoryLayout.paddingLayout(4),
          ValueLayout.JAVA_LONG.withName("start"),
          ValueLayout.JAVA_LONG.withName("length"),
          ValueLayout.JAVA_INT.withName("pid"),
          MemoryLayout.paddingLayout(4));

  private static final Optional<SystemCalls> SYSTEM = SystemCalls.find();

  private final SystemCalls system;
  private final int descriptor;
  private boolean closed;

  private OpenFileLock(SystemCalls system, int descriptor) {
    this.system = system;
    this.descriptor = descriptor;
  }

  /**
   * Locks a file; empty if that cannot be done here.
   *
   * @throws StoreLockedException if it is locked already, by whomever
   */
  static Optional<OpenFileLock> take(Path path) throws IOException {
    if (SYSTEM.isEmpty()) {
      return Optional.empty();
    }
    SystemCalls system = SYSTEM.get();
    int descriptor = system.open(path);
    if (descriptor < 0) {
      return Optional.empty();
    }
    OpenFileLock lock = new OpenFileLock(system, descriptor);
    int error;
    try {
      // Made before: a lock that nobody can be given would stay.
      Optional<OpenFileLock> taken = Optional.of(lock);
      error = system.lock(descriptor);
      if (error == 0) {
        return taken;
      }
    } catch (Throwable e) {
      lock.close();
      throw e;
    }
    lock.close();
    if (error == TRY_AGAIN || error == ACCESS_DENIED) {
      throw StoreLockedException.heldByUnknown(path.toString(), " or another part of this one");
    }
    return Optional.empty();
  }

  /** Where the heap is full it is tried again: a lock that stays keeps everybody from the file. */
  @Override
  public synchronized void close() {
    for (int tries = 1; !closed; tries++) {
      try {
        system.close(descriptor);
        closed = true;
      } catch (OutOfMemoryError e) {
        if (tries == MOST_TRIES) {
          throw e;
        }
        Supply.nap(this, PAUSE_NANOS);
      }
    }
  }

  /** The calls of the system. */
  private record SystemCalls(MethodHandle open, MethodHandle fcntl, MethodHandle close) {
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERROR =
        STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    static Optional<SystemCalls> find() {
      boolean linux = System.getProperty("os.name").equals("Linux");
      // Asking without permission would print a warning into the program's output.
      if (!linux || !OpenFileLock.class.getModule().isNativeAccessEnabled()) {
        return Optional.empty();
      }
      Linker linker = Linker.nativeLinker();
      SymbolLookup library = linker.defaultLookup();
      Linker.Option variadic = Linker.Option.firstVariadicArg(2);
      return Optional.of(
          new SystemCalls(
              linker.downcallHandle(
                  library.findOrThrow("open"),
                  FunctionDescriptor.of(
                      ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
                  variadic),
              linker.downcallHandle(
                  library.findOrThrow("fcntl"),
                  FunctionDescriptor.of(
                      ValueLayout.JAVA_INT,
                      ValueLayout.JAVA_INT,
                      ValueLayout.JAVA_INT,
                      ValueLayout.ADDRESS),
                  variadic,
                  Linker.Option.captureCallState("errno")),
              linker.downcallHandle(
                  library.findOrThrow("close"),
                  FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT))));
    }

    /** A descriptor of its own; negative if there is none. */
    int open(Path path) {
      try (Arena arena = Supply.confinedArena()) {
        return (int)
            open.invokeExact(arena.allocateFrom(path.toString()), READ_AND_WRITE | CLOSE_ON_EXEC);
      } catch (Throwable e) {
        throw impossible(e);
      }
    }

    /** The number of the error; 0 if the lock is ours. */
    int lock(int descriptor) {
      try (Arena arena = Supply.confinedArena()) {
        MemorySegment lock = arena.allocate(FLOCK);
        lock.set(ValueLayout.JAVA_SHORT, 0, EXCLUSIVE);
        lock.set(ValueLayout.JAVA_LONG, 8, LOCKED_BYTE);
        lock.set(ValueLayout.JAVA_LONG, 16, 1L);
        MemorySegment state = arena.allocate(STATE);
        int result = (int) fcntl.invokeExact(state, descriptor, SET_LOCK_OF_OPEN_FILE, lock);
        return result == 0 ? 0 : (int) ERROR.get(state, 0L);
      } catch (Throwable e) {
        throw impossible(e);
      }
    }

    void close(int descriptor) {
      try {
        int _ = (int) close.invokeExact(descriptor);
      } catch (Throwable e) {
        throw impossible(e);
      }
    }

    private static RuntimeException impossible(Throwable e) {
      return switch (e) {
        case RuntimeException cause -> cause;
        case Error cause -> throw cause;
        default -> new IllegalStateException("a call of the system", e);
      };
    }
  }
}
