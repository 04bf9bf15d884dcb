// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.cairn.testkit.process.ChildJava;

/** A JVM that takes a lock, says so, and holds it until its input ends or it is killed. */
final class LockingProcess implements AutoCloseable {
  private final Process process;

  private LockingProcess(Process process) {
    this.process = process;
  }

  /** Starts the process; returns when it has the lock. */
  static LockingProcess start(Path directory, String name) throws IOException {
    Process process =
        new ProcessBuilder(
                ChildJava.executable(),
                "-cp",
                classPath(),
                LockingProcess.class.getName(),
                directory.toString(),
                name)
            .redirectErrorStream(true)
            .start();
    BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
    String answer = output.readLine();
    if (!"locked".equals(answer)) {
      throw new IOException("the process could not lock: " + answer);
    }
    return new LockingProcess(process);
  }

  private static String classPath() {
    return String.join(
        File.pathSeparator, List.of(home(DirectoryStore.class), home(LockingProcess.class)));
  }

  private static String home(Class<?> type) {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath()).toString();
  }

  long pid() {
    return process.pid();
  }

  /** Lets the process release the lock and end. */
  void release() throws IOException, InterruptedException {
    process.getOutputStream().close();
    process.waitFor();
  }

  /** Kills the process as the system would: nothing of it runs any more. */
  void kill() {
    close();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }

  public static void main(String[] args) throws IOException {
    try (StoreLock lock = DirectoryStore.open(Path.of(args[0]), false).lock(args[1])) {
      System.out.println(lock.isHeld() ? "locked" : "not locked");
      int end = System.in.read();
      assert end < 0;
    }
  }
}
