// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Programs of others that write files for tests, where they are installed. */
public final class Python {
  private Python() {}

  /** What a program gives back if a module is missing. */
  private static final int MISSING = 77;

  /**
   * Runs a program in a directory; leaves the test out where Python or one of the modules is
   * missing.
   */
  public static void run(Path directory, String modules, String program) {
    try {
      Process process =
          new ProcessBuilder("python3", "-c", importing(modules) + program)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int status = process.waitFor();
      assumeTrue(status != MISSING, "no Python with " + modules);
      assertThat(status).as(output).isZero();
    } catch (IOException e) {
      assumeTrue(false, "no Python");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static String importing(String modules) {
    return """
        import sys
        try:
            import %s
        except ImportError:
            sys.exit(%d)
        """
        .formatted(modules, MISSING);
  }
}
