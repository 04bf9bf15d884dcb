// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A filter of system calls as containers have them: the kernel itself answers a call with an error,
 * in all threads of this process, until it ends. So it is for processes that are made for it.
 */
final class SystemCallFilter {
  private static final int SET_NO_NEW_PRIVILEGES = 38;
  private static final long SET_MODE_FILTER = 1;
  private static final long ALL_THREADS = 1;

  // Words of struct seccomp_data that are looked at, by their offsets.
  private static final int NUMBER = 0;
  private static final int SECOND_ARGUMENT = 24;

  // Instructions of the kernel's little machine.
  private static final int LOAD = 0x20;
  private static final int JUMP_IF_EQUAL = 0x15;
  private static final int RETURN = 0x06;

  private static final int ALLOW = 0x7fff0000;
  private static final int ERROR = 0x00050000;

  private static final int INSTRUCTION_BYTES = 8;

  /** Numbers of calls, by processor. */
  private record Numbers(int seccomp, int userfaultfd, int ioctl) {
    static Numbers here() {
      return System.getProperty("os.arch").equals("aarch64")
          ? new Numbers(277, 282, 29)
          : new Numbers(317, 323, 16);
    }
  }

  private record Instruction(int code, int ifTrue, int ifFalse, int value) {}

  private final List<Instruction> program = new ArrayList<>();

  private SystemCallFilter() {}

  /** {@code userfaultfd} fails, as where a container forbids it. */
  static void failUserfaultfd(int error) throws Throwable {
    SystemCallFilter filter = new SystemCallFilter();
    filter.load(NUMBER);
    filter.failIf(Numbers.here().userfaultfd, error);
    filter.install();
  }

  /** A request of {@code ioctl} fails, as with a kernel that does not know it yet. */
  static void failIoctl(int request, int error) throws Throwable {
    SystemCallFilter filter = new SystemCallFilter();
    filter.load(NUMBER);
    filter.program.add(new Instruction(JUMP_IF_EQUAL, 1, 0, Numbers.here().ioctl));
    filter.answer(ALLOW);
    filter.load(SECOND_ARGUMENT);
    filter.failIf(request, error);
    filter.install();
  }

  private void load(int word) {
    program.add(new Instruction(LOAD, 0, 0, word));
  }

  private void failIf(int value, int error) {
    program.add(new Instruction(JUMP_IF_EQUAL, 0, 1, value));
    answer(ERROR | error);
    answer(ALLOW);
  }

  private void answer(int value) {
    program.add(new Instruction(RETURN, 0, 0, value));
  }

  private void install() throws Throwable {
    Linker linker = Linker.nativeLinker();
    var prctl =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("prctl"),
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
            Linker.Option.firstVariadicArg(1));
    var seccomp =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("syscall"),
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS),
            Linker.Option.firstVariadicArg(1));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment header = arena.allocate(16, 8);
      header.set(JAVA_SHORT, 0, (short) program.size());
      header.set(ADDRESS, 8, instructions(arena));
      int allowed = (int) prctl.invokeExact(SET_NO_NEW_PRIVILEGES, 1L, 0L, 0L, 0L);
      long installed =
          (long)
              seccomp.invokeExact(
                  (long) Numbers.here().seccomp, SET_MODE_FILTER, ALL_THREADS, header);
      if (allowed != 0 || installed != 0) {
        throw new IllegalStateException("no filter: " + allowed + ", " + installed);
      }
    }
  }

  private MemorySegment instructions(Arena arena) {
    MemorySegment code = arena.allocate((long) program.size() * INSTRUCTION_BYTES, 8);
    for (int i = 0; i < program.size(); i++) {
      Instruction one = program.get(i);
      long at = (long) i * INSTRUCTION_BYTES;
      code.set(JAVA_SHORT, at, (short) one.code);
      code.set(JAVA_BYTE, at + 2, (byte) one.ifTrue);
      code.set(JAVA_BYTE, at + 3, (byte) one.ifFalse);
      code.set(JAVA_INT, at + 4, one.value);
    }
    return code;
  }
}
