// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import java.lang.Thread.UncaughtExceptionHandler;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Ends MPI together with the program, in a shutdown hook: in order if the program ended well, with
 * {@code MPI_Abort} if not, because the other ranks might wait for this one forever.
 *
 * <p>A hook is not told how the program ended, so two places are watched: an exception that ends
 * the main thread or the one that started MPI, and the status of {@link System#exit}, which {@link
 * Runtime#exit} is specified to log. Closing a communicator does not end MPI: a {@code try} with
 * resources closes it on the way of an exception too.
 */
final class MpiExit {
  // A logger that nobody holds may be collected, and its handler with it.
  private static final Logger EXITS = Logger.getLogger("java.lang.Runtime");

  private static volatile int status;

  private MpiExit() {}

  static void install(MpiProcess process) {
    Thread.setDefaultUncaughtExceptionHandler(
        new Watch(Thread.currentThread(), Thread.getDefaultUncaughtExceptionHandler()));
    if (!EXITS.isLoggable(Level.FINE)) {
      EXITS.setLevel(Level.FINE);
    }
    EXITS.addHandler(new ExitHandler());
    Runtime.getRuntime().addShutdownHook(new Thread(() -> process.end(status), "cairn-mpi-exit"));
  }

  /** Notes the end of the main thread, then does what would have been done without us. */
  private record Watch(Thread starter, @Nullable UncaughtExceptionHandler next)
      implements UncaughtExceptionHandler {
    @Override
    public void uncaughtException(Thread thread, Throwable thrown) {
      // The JVM's exit status says so of the thread "main" too.
      if (thread == starter || thread.getName().equals("main")) {
        status = 1;
      }
      if (next != null) {
        next.uncaughtException(thread, thrown);
      } else {
        System.err.print("Exception in thread \"" + thread.getName() + "\" ");
        thrown.printStackTrace();
      }
    }
  }

  /** Reads "Runtime.exit() called with status: 3". */
  private static final class ExitHandler extends Handler {
    @Override
    public void publish(LogRecord record) {
      Object[] parameters = record.getParameters();
      if (parameters != null && parameters.length > 0 && parameters[0] instanceof Integer exit) {
        status = exit;
        return;
      }
      String message = String.valueOf(record.getMessage());
      int digits = message.lastIndexOf(' ') + 1;
      try {
        status = Integer.parseInt(message.substring(digits));
      } catch (NumberFormatException e) {
        status = 0; // in other words than we know
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
