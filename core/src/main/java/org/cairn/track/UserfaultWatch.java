// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.cairn.supply.Supply;

/**
 * Watches by {@code userfaultfd} in the asynchronous mode of write protection, and {@code
 * PAGEMAP_SCAN} (Linux 6.7 and later): the kernel itself lifts the protection of a page at the
 * first write to it and remembers that; one call tells which pages that were and protects them
 * again. No thread waits for a handler, which could not run while the garbage collector does.
 */
public final class UserfaultWatch implements PageWatch {
  private static final int CALL_ON_X86_64 = 323;
  private static final int CALL_ON_AARCH64 = 282;

  private static final int CLOSE_ON_EXEC = 0x80000;
  private static final int DO_NOT_BLOCK = 0x800;
  private static final int USER_MODE_ONLY = 1;

  private static final long API = 0xC018AA3FL;
  private static final long REGISTER = 0xC020AA00L;
  private static final long UNREGISTER = 0x8010AA01L;
  private static final long PAGEMAP_SCAN = 0xC0606610L;

  private static final long API_VERSION = 0xAA;
  private static final long ASYNCHRONOUS_PROTECTION = (1L << 15) | (1L << 13);
  private static final long PROTECTS_WRITES = 1L << 1;

  private static final long PROTECT_WHAT_MATCHES = 1;
  private static final long FAIL_IF_NOT_WATCHED = 1 << 1;
  private static final long WRITTEN = 1 << 1;

  /** Pages that are somewhere: in memory, or in the swap space or on their way. */
  private static final long ANYWHERE = 1 << 3 | 1 << 4;

  /** Before Linux 6.9, whose major and minor number these are, scans misread some pages. */
  private static final int[] READS_ALL_PAGES = {6, 9};

  /** Words of {@code struct pm_scan_arg}, and of one region in its answer. */
  private static final int SCAN_WORDS = 12;

  private static final int REGION_WORDS = 3;

  /** How many mappings a process may have unless somebody has said otherwise. */
  private static final int USUAL_MAPPINGS = 65_530;

  /** What is watched apart from all else is one of its own, and so is what is left behind it. */
  private static final int MAPPINGS_OF_A_RANGE = 2;

  private static final int MOST_REGIONS = 8 << 10;

  private final LinuxCalls system;
  private final int faults;
  private final int pagemap;
  private final MemorySegment argument = Supply.autoArena().allocate(SCAN_WORDS * 8L, 8);
  private final MemorySegment regions =
      Supply.autoArena().allocate(MOST_REGIONS * REGION_WORDS * 8L, 8);

  /** Whether pages are asked for in both ways that the kernel has. */
  private final boolean twice;

  private UserfaultWatch(LinuxCalls system, int faults, int pagemap, boolean twice) {
    this.system = system;
    this.faults = faults;
    this.pagemap = pagemap;
    this.twice = twice;
  }

  /**
   * A watch that was seen to work.
   *
   * @throws UnwatchableException where there can be none, or it does not tell what is written
   */
  public static UserfaultWatch open() throws UnwatchableException {
    return open(System.getProperty("os.version"));
  }

  /** The same on a kernel of this version. */
  static UserfaultWatch open(String kernel) throws UnwatchableException {
    LinuxCalls system = LinuxCalls.find();
    int faults =
        system.call(
            number(System.getProperty("os.arch")), CLOSE_ON_EXEC | DO_NOT_BLOCK | USER_MODE_ONLY);
    if (faults < 0) {
      throw new UnwatchableException("the kernel gives no userfaultfd: " + reason(-faults));
    }
    int pagemap = system.openToRead("/proc/self/pagemap");
    if (pagemap < 0) {
      system.close(faults);
      throw new UnwatchableException("/proc/self/pagemap cannot be read: " + reason(-pagemap));
    }
    UserfaultWatch watch = new UserfaultWatch(system, faults, pagemap, misreadsPages(kernel));
    try {
      watch.agree();
      SelfTest.of(watch);
      return watch;
    } catch (UnwatchableException e) {
      watch.close();
      throw e;
    }
  }

  /** A number that is not known for sure is not guessed: it would be another call. */
  static int number(String processor) throws UnwatchableException {
    return switch (processor) {
      case "amd64", "x86_64" -> CALL_ON_X86_64;
      case "aarch64" -> CALL_ON_AARCH64;
      default ->
          throw new UnwatchableException(
              "the number of the call userfaultfd is not known on " + processor);
    };
  }

  /**
   * Linux 6.7 and 6.8 take the quick way where only written pages are asked for, and look there for
   * the mark of a page at the place where it is while the page is in memory: half of the pages that
   * are in the swap space, or are just being moved, look as if nobody had written to them.
   * Distributions have mended some of these without another version.
   */
  static boolean misreadsPages(String kernel) {
    String[] numbers = kernel.split("[^0-9]+", 3);
    try {
      int major = Integer.parseInt(numbers[0]);
      int minor = Integer.parseInt(numbers[1]);
      return major < READS_ALL_PAGES[0]
          || major == READS_ALL_PAGES[0] && minor < READS_ALL_PAGES[1];
    } catch (NumberFormatException | IndexOutOfBoundsException e) {
      return true; // it costs time only
    }
  }

  private static String reason(int error) {
    return switch (error) {
      case LinuxCalls.NOT_PERMITTED ->
          "not permitted here (a container's filter of system calls, for example)";
      case LinuxCalls.TOO_MANY_OPEN -> "too many files are open; see ulimit -n";
      case LinuxCalls.NOT_KNOWN_TO_THE_KERNEL, LinuxCalls.NOT_A_CALL_OF_THIS_FILE ->
          "it does not know the call; Linux 6.7 or later does";
      case LinuxCalls.INVALID -> "it cannot protect asynchronously; Linux 6.7 or later can";
      case LinuxCalls.NO_MEMORY ->
          "no memory for it, or too many mappings; see sysctl vm.max_map_count";
      case LinuxCalls.BUSY -> "somebody else in this process watches this memory";
      default -> "error " + error;
    };
  }

  private void agree() throws UnwatchableException {
    word(0, API_VERSION);
    word(1, ASYNCHRONOUS_PROTECTION);
    word(2, 0);
    int result = system.ioctl(faults, API, argument);
    if (result < 0) {
      throw new UnwatchableException("the kernel's userfaultfd is too old: " + reason(-result));
    }
  }

  LinuxCalls system() {
    return system;
  }

  @Override
  public int pageSize() {
    return system.pageSize();
  }

  @Override
  public Ground ground() throws UnwatchableException {
    return Mappings.read();
  }

  @Override
  public void watch(long from, long to) throws UnwatchableException {
    word(0, from);
    word(1, to - from);
    word(2, PROTECTS_WRITES);
    word(3, 0);
    int result = system.ioctl(faults, REGISTER, argument);
    if (result < 0) {
      throw new UnwatchableException("the kernel does not watch it: " + reason(-result));
    }
  }

  /** A quarter is left to the others: a JVM that gets no mapping for its heap or a thread ends. */
  @Override
  public int room() throws UnwatchableException {
    int ours = mostMappings() / 4 * 3;
    return Math.max(0, ours - Mappings.read().count()) / MAPPINGS_OF_A_RANGE;
  }

  /** Read at once: who asks byte by byte gets the first digit of such a file. */
  private static int mostMappings() {
    try (BufferedReader file = Files.newBufferedReader(Path.of("/proc/sys/vm/max_map_count"))) {
      return Integer.parseInt(file.readLine());
    } catch (IOException | NumberFormatException e) {
      return USUAL_MAPPINGS;
    }
  }

  /** Whether it succeeds or not: memory that is gone is not watched either. */
  @Override
  public void unwatch(long from, long to) {
    word(0, from);
    word(1, to - from);
    int _ = system.ioctl(faults, UNREGISTER, argument);
  }

  @Override
  public void scan(long from, long to, Written written) throws UnwatchableException {
    scan(from, to, 0, written);
    if (twice) {
      scanAnywhere(from, to, written);
    }
  }

  /** Of pages that were given back to the kernel this tells nothing, but it misreads none. */
  void scanAnywhere(long from, long to, Written written) throws UnwatchableException {
    scan(from, to, ANYWHERE, written);
  }

  private void scan(long from, long to, long anyOf, Written written) throws UnwatchableException {
    long next = from;
    while (next < to) {
      int found = scanSome(next, to, anyOf);
      for (int i = 0; i < found; i++) {
        written.pages(region(i, 0), region(i, 1));
      }
      long end = argument.getAtIndex(ValueLayout.JAVA_LONG, 4);
      // The kernel may name the end of an earlier stretch although it came further: what lies
      // behind is then asked for again, which finds nothing.
      next = found == 0 ? to : Math.max(next, end);
    }
  }

  private int scanSome(long from, long to, long anyOf) throws UnwatchableException {
    argument.fill((byte) 0);
    word(0, argument.byteSize());
    word(1, PROTECT_WHAT_MATCHES | FAIL_IF_NOT_WATCHED);
    word(2, from);
    word(3, to);
    word(5, regions.address());
    word(6, MOST_REGIONS);
    word(9, WRITTEN);
    word(10, anyOf);
    word(11, WRITTEN);
    int found = system.ioctl(pagemap, PAGEMAP_SCAN, argument);
    if (found < 0) {
      throw new UnwatchableException(
          -found == LinuxCalls.NOT_PERMITTED
              ? "it is no longer the memory that was watched"
              : "the kernel does not say what was written: " + reason(-found));
    }
    return found;
  }

  private long region(int index, int word) {
    return regions.getAtIndex(ValueLayout.JAVA_LONG, (long) REGION_WORDS * index + word);
  }

  private void word(int index, long value) {
    argument.setAtIndex(ValueLayout.JAVA_LONG, index, value);
  }

  @Override
  public void close() {
    system.close(pagemap);
    system.close(faults);
  }
}
