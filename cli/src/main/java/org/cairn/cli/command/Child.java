// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.command;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * A process that does not outlive the command that started it: who interrupts us ends it too. That
 * holds also for one that is being started at that very moment, so one hook waits for all of them,
 * from before the first.
 */
public final class Child implements AutoCloseable {
  private static final Set<Child> ALIVE = new HashSet<>();
  private static boolean weEnd = !isHooked();

  private final Process process;
  private final Consumer<Process> end;

  private Child(Process process, Consumer<Process> end) {
    this.process = process;
    this.end = end;
  }

  /** Starts one that is killed with all that descends from it. */
  public static Child start(ProcessBuilder builder) throws IOException {
    return start(builder, Child::kill);
  }

  /**
   * Starts one.
   *
   * @param end how it is ended if a person interrupts us
   */
  public static Child start(ProcessBuilder builder, Consumer<Process> end) throws IOException {
    synchronized (ALIVE) {
      while (weEnd) {
        LockSupport.park(ALIVE); // nothing begins any more
      }
      Child child = new Child(builder.start(), end);
      ALIVE.add(child);
      return child;
    }
  }

  public Process process() {
    return process;
  }

  /** Kills it and all that descends from it. */
  public void kill() {
    kill(process);
  }

  private static void kill(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    // By its handle: Process.destroyForcibly also closes streams, which may be being read.
    process.toHandle().destroyForcibly();
  }

  /** Sees to it that it has ended. */
  @Override
  public void close() {
    kill();
    process.onExit().join();
    synchronized (ALIVE) {
      ALIVE.remove(this);
    }
  }

  private static boolean isHooked() {
    try {
      Runtime.getRuntime().addShutdownHook(new Thread(Child::endAll, "reaper"));
      return true;
    } catch (IllegalStateException e) {
      return false; // we are ending already
    }
  }

  private static void endAll() {
    List<Child> children;
    synchronized (ALIVE) {
      weEnd = true;
      children = List.copyOf(ALIVE);
    }
    children.forEach(child -> child.end.accept(child.process));
  }
}
