// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.FileInputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.cairn.Checkpointer;
import org.cairn.DatasetStats;
import org.cairn.Options;
import org.cairn.Tracking;
import org.slf4j.LoggerFactory;

/** A program where something is missing that tracking needs; says how it fares. */
final class ConfinedProgram {
  private static final int PAGE = 4 << 10;
  private static final long BYTES = 1 << 20;
  private static final int PAGEMAP_SCAN = 0xC0606610;
  private static final int USERFAULT_API = 0xC018AA3F;

  private final Path directory;

  private ConfinedProgram(Path directory) {
    this.directory = directory;
  }

  /** Arguments: a directory, and what is missing. */
  public static void main(String[] arguments) throws Throwable {
    new ConfinedProgram(Path.of(arguments[0])).run(arguments[1]);
    System.out.println("end");
  }

  private void run(String missing) throws Throwable {
    switch (missing) {
      case "nothing" -> saveAndLoad();
      case "permission" -> without(() -> SystemCallFilter.failUserfaultfd(1));
      case "call" -> without(() -> SystemCallFilter.failUserfaultfd(38));
      case "asynchronous" -> without(() -> SystemCallFilter.failIoctl(USERFAULT_API, 22));
      case "scan" -> without(() -> SystemCallFilter.failIoctl(PAGEMAP_SCAN, 25));
      case "scan-later" -> withoutLater();
      case "files" -> withFiles(0);
      case "second-file" -> withFiles(1);
      case "memory" -> manyDatasets(100_000, 64, Tracking.AUTO);
      case "memory-for-watches" -> manyDatasets(20_000, PAGE, Tracking.REQUIRED);
      default -> throw new IllegalArgumentException(missing);
    }
  }

  private interface Confining {
    void run() throws Throwable;
  }

  private void without(Confining confining) throws Throwable {
    confining.run();
    saveAndLoad();
    refuse();
  }

  /** Saves a change of a page, once more, and looks at what came of it. */
  private void saveAndLoad() {
    try (Checkpointer cairn = Checkpointer.open(directory)) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      cairn.checkpoint();
      grid.set(JAVA_BYTE, 100 * PAGE, (byte) 7);
      tell(cairn);
    }
    checkPage100();
  }

  private static void tell(Checkpointer cairn) {
    DatasetStats seen = cairn.checkpoint().stats().orElseThrow().datasets().getFirst();
    System.out.printf(
        "hashed %d, changed %d, %s%n", seen.hashedBytes(), seen.changedBytes(), seen.tracking());
  }

  private void checkPage100() {
    try (Checkpointer cairn = Checkpointer.open(directory)) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      cairn.restart();
      System.out.println("saved " + grid.get(JAVA_BYTE, 100 * PAGE));
    }
  }

  private void refuse() {
    try {
      Checkpointer.open(directory, Options.defaults().tracking(Tracking.REQUIRED)).close();
    } catch (IllegalStateException e) {
      System.out.println("refused: " + e.getMessage());
    }
  }

  /** What worked for a while works no longer; whether it pays is not asked. */
  private void withoutLater() throws Throwable {
    Options required = Options.defaults().tracking(Tracking.REQUIRED);
    try (Checkpointer cairn = Checkpointer.open(directory, required)) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      cairn.checkpoint();
      grid.set(JAVA_BYTE, 3 * PAGE, (byte) 1);
      tell(cairn);
      SystemCallFilter.failIoctl(PAGEMAP_SCAN, 25);
      grid.set(JAVA_BYTE, 100 * PAGE, (byte) 7);
      tell(cairn);
      tell(cairn);
    }
    checkPage100();
  }

  /** Opens files until there is room for so many more, and asks for tracking then. */
  private void withFiles(int free) throws Exception {
    loadClasses();
    Deque<FileInputStream> open = new ArrayDeque<>();
    try {
      while (true) {
        open.add(new FileInputStream("/dev/null"));
      }
    } catch (IOException e) {
      System.out.println(open.size() + " files, then: " + e.getMessage());
    }
    for (int i = 0; i < free; i++) {
      open.removeLast().close();
    }
    System.out.println("why: " + SharedPages.get().why());
    while (!open.isEmpty()) {
      open.removeLast().close();
    }
    saveAndLoad();
    refuse();
  }

  /** Which takes files. */
  private static void loadClasses() throws Exception {
    UserfaultWatch.open().close();
    LoggerFactory.getLogger(ConfinedProgram.class)
        .info(SharedPages.none("classes are there").why());
    Class.forName(
        SharedPages.class.getName() + "$OfProcess", false, ConfinedProgram.class.getClassLoader());
  }

  /** In little memory. */
  private void manyDatasets(int many, long bytes, Tracking tracking) {
    try (Arena arena = Arena.ofShared();
        Checkpointer cairn = Checkpointer.open(directory, Options.defaults().tracking(tracking))) {
      MemorySegment all = arena.allocate(many * bytes, PAGE);
      for (int i = 0; i < many; i++) {
        cairn.protect("dataset " + i, all.asSlice(i * bytes, bytes));
      }
      cairn.checkpoint();
      all.set(JAVA_BYTE, many / 3 * bytes, (byte) 1);
      var stats = cairn.checkpoint().stats().orElseThrow();
      System.out.printf(
          "%d datasets, %d hashed, %d changed, %s, %d watched%n",
          stats.datasets().size(),
          stats.datasets().stream().filter(one -> one.hashedBytes() > 0).count(),
          stats.dirtyBlocks(),
          stats.datasets().get(many / 3).tracking().split(":", 2)[0],
          SharedPages.get().pages().map(WatchedPages::ranges).orElse(0));
    }
  }
}
