// SPDX-License-Identifier: Apache-2.0
package org.cairn.work;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Has classes loaded that opening and restarting will need, while the program is on its way to
 * them.
 *
 * <p>A restart always happens in a process that has just begun, and what it waits for most is some
 * thousand classes, which are loaded one by one where they are first used. The build writes down
 * which they are ({@code build/FirstClasses.java}); threads of their own load and verify them
 * meanwhile. Nothing is initialized, so nothing happens in another order than it would. A class
 * that is not there, or a list that is not, costs time and nothing else.
 */
public final class HeadStart {
  /** More would wait for each other: two are as much ahead as four. */
  private static final int THREADS = 2;

  private static final String LIST = "first-classes.txt";
  private static final String OURS = "org.cairn.";

  /** Not atomic otherwise: to make that the JVM links more than this saves. */
  private static boolean begun;

  private HeadStart() {}

  /** Begins, if nobody has yet. */
  public static synchronized void begin() {
    if (!begun) {
      begun = true;
      for (int i = 0; i < THREADS; i++) {
        int first = i;
        begin(() -> load(first));
      }
      begin(HeadStart::rehearse);
    }
  }

  private static void begin(Runnable loading) {
    try {
      // Not asked of Supply: a failure that is planted there would hurt nobody.
      Thread.ofPlatform().daemon().name("cairn-head-start").start(loading);
    } catch (OutOfMemoryError e) {
      return; // the program will say so itself where that matters
    }
  }

  /**
   * Does in small what opening and restarting does with the JDK: how memory is looked at, and code
   * of the JDK that is linked when it is first run, costs the first who comes to it a tenth of the
   * time. Nothing of ours is in it, and nothing comes of it.
   */
  private static void rehearse() {
    try {
      Object[] _ = {memory(), orders(), streams()};
    } catch (OutOfMemoryError e) {
      return;
    }
  }

  private static long memory() {
    MemorySegment some = MemorySegment.ofArray(new byte[16]);
    some.set(ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), 0, 1);
    some.set(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), 4, 1);
    some.set(ValueLayout.JAVA_BYTE, 12, (byte) 1);
    MemorySegment.copy(MemorySegment.ofArray(new byte[1]), 0, some, 0, 1);
    return some.get(ValueLayout.JAVA_BYTE, 0)
        + some.toArray(ValueLayout.JAVA_BYTE).length
        + some.get(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), 4);
  }

  private static int orders() {
    List<Long> numbers = new ArrayList<>(List.of(2L, 1L));
    numbers.sort(
        Comparator.comparingLong(Long::longValue).thenComparing(Comparator.naturalOrder()));
    numbers.sort(Comparator.comparing(String::valueOf));
    long[] places = {2, 1};
    Arrays.sort(places);
    return numbers.size() + places.length;
  }

  private static long streams() {
    List<Integer> few = List.of(1, 2);
    Set<Integer> set = few.stream().filter(number -> number > 0).collect(Collectors.toSet());
    return set.size()
        + few.stream().mapToLong(Integer::longValue).sum()
        + few.stream().mapToInt(Integer::intValue).max().orElse(0)
        + few.stream().sorted(Comparator.reverseOrder()).toList().size()
        + few.stream().map(Integer::longValue).max(Comparator.naturalOrder()).orElse(0L);
  }

  private static void load(int first) {
    try {
      String[] names = names();
      for (int i = first; i < names.length; i += THREADS) {
        load(names[i]);
      }
    } catch (IOException | OutOfMemoryError e) {
      return; // who needs a class will load it
    }
  }

  private static String[] names() throws IOException {
    try (InputStream list = HeadStart.class.getResourceAsStream(LIST)) {
      return list == null ? new String[0] : new String(list.readAllBytes(), US_ASCII).split("\n");
    }
  }

  private static void load(String name) {
    try {
      Class<?> loaded = Class.forName(name, false, HeadStart.class.getClassLoader());
      if (name.startsWith(OURS)) {
        // To say which constructors it has, the JVM verifies it.
        Object[] _ = loaded.getDeclaredConstructors();
      }
    } catch (ClassNotFoundException | LinkageError e) {
      return; // another JDK, or a library that this program does without
    }
  }
}
