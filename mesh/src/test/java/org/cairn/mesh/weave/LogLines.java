// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.simple.SimpleLogger;

/** What the log tells while this is open; else tests are silent. */
public final class LogLines implements AutoCloseable {
  private static final String NAME = "org.cairn.mesh";

  private final PrintStream before = System.err;
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final SimpleLogger logger;
  private final int levelBefore;

  /** Of weaving, from now on. */
  LogLines() {
    this(NAME);
  }

  /** Of a logger, from now on. */
  public LogLines(String name) {
    this.logger = (SimpleLogger) LoggerFactory.getLogger(name);
    this.levelBefore = level(Level.INFO.toInt());
    System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
  }

  /** A logger that was made knows no other way to change its level. */
  private int level(int wanted) {
    try {
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
        .filter(line -> line.contains(NAME) && line.contains(text))
        .toList();
  }

  @Override
  public void close() {
    System.setErr(before);
    level(levelBefore);
  }
}
