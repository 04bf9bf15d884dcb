// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mpi;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.cairn.cli.command.CommandFailedException;

/** Programs that are measured from outside. */
public final class Programs {
  private Programs() {}

  /**
   * Runs one to its end.
   *
   * @return what it printed
   * @throws CommandFailedException if it cannot be started, or fails, with what it said
   */
  public static String output(List<String> command) throws IOException, InterruptedException {
    Path errors = Files.createTempFile("cairn-bench", ".err");
    try {
      Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
      String out = new String(process.getInputStream().readAllBytes(), UTF_8);
      if (process.waitFor() != 0) {
        throw new CommandFailedException(
            command.getFirst() + " failed: " + Files.readString(errors).strip());
      }
      return out;
    } catch (IOException e) {
      throw new CommandFailedException(
          command.getFirst() + " cannot be started; ./setup installs what this needs", e);
    } finally {
      Files.deleteIfExists(errors);
    }
  }
}
