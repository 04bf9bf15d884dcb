// SPDX-License-Identifier: Apache-2.0
package org.cairn.work;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;

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
