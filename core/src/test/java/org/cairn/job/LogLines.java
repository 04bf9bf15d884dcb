// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.simple.SimpleLogger;

/** What a class warns of while this is open; else tests are silent. */
public final class LogLines implements AutoCloseable {
  private final PrintStream before = System.err;
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final Class<?> of;
  private final int levelBefore;

  /** Of this class. */
  public LogLines(Class<?> of) {
    this.of = of;
    this.levelBefore = level(Level.WARN.toInt());
    System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
  }

  /** A logger that was made knows no other way to change its level. */
  private int level(int wanted) {
    try {
      SimpleLogger logger = (SimpleLogger) LoggerFactory.getLogger(of);
      Field level = SimpleLogger.class.getDeclaredField("currentLogLevel");
      level.setAccessible(true);
      int found = level.getInt(logger);
      level.setInt(logger, wanted);
      return found;
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  /** The lines so far that have this in them. */
  public List<String> with(String text) {
    return written
        .toString(StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.contains(of.getName()) && line.contains(text))
        .toList();
  }

  @Override
  public void close() {
    System.setErr(before);
    level(levelBefore);
  }
}
