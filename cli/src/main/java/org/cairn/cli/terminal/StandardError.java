// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.terminal;

import java.io.PrintStream;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The real standard error. {@code ./cairn} starts the JVM with a filter there, which swallows the
 * JVM's remark on incubating modules, and the real one as descriptor {@code cairn.stderr}. A filter
 * is a process of its own: what passes it may appear late, even after the command has ended. So the
 * real one is put back in its place, the first time that something is to be written: the foreign
 * call takes a tenth of a second, which most commands need not spend.
 */
final class StandardError {
  private static final int STDERR = 2;

  private StandardError() {}

  static PrintStream get() {
    return Restored.STREAM;
  }

  private static final class Restored {
    static final PrintStream STREAM = restore();
  }

  private static PrintStream restore() {
    Integer real = Integer.getInteger("cairn.stderr");
    if (real != null) {
      duplicate(real);
    }
    return System.err;
  }

  /** Like the shell's {@code 2>&real}. If it fails, the filter stays, and does no harm. */
  private static void duplicate(int real) {
    try {
      Linker linker = Linker.nativeLinker();
      MethodHandle dup2 =
          linker.downcallHandle(
              linker.defaultLookup().findOrThrow("dup2"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
      int ignored = (int) dup2.invokeExact(real, STDERR);
    } catch (Throwable e) {
      if (e instanceof Error error && !(e instanceof LinkageError)) {
        throw error;
      }
    }
  }
}
